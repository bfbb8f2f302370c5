/**
 * The options of `serve`.
 *
 * One table defines every option of `serve`: its flag, its environment variable (SWITCHYARD_ and the flag's name), its
 * default and how its text is parsed. The configuration that is made of them is checked and frozen.
 */
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { domainToASCII } from 'node:url';
import { Option, type Command, InvalidArgumentError } from 'commander';
import { LOG_LEVELS, type Config, type LogLevel, type MockPath } from '../app/config.ts';
import { memoryBytesMax } from '../base/own-memory.ts';
import { OperatorError } from '../base/operator-error.ts';
import { randomId } from '../base/random-id.ts';
import {
  CLUSTER_DRAIN_WAIT_MS,
  DEFAULT_LIMITS,
  DISK_RESERVE_MIB,
  HISTORY_RETENTION_DAYS,
  MOCK_LEASE_MS,
  OWNER_IDLE_MS,
  RESIDENT_OWNERS_MAX,
  THREAD_MEMORY_BYTES,
} from '../limits.ts';
import type { McpMode } from '../mcp/tools/tool.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../model/mocks/mock-id.ts';
import { compatConfig, compatOptions } from './compat-config.ts';
import { clusterSecret, isSet, option } from './environment.ts';
import { attachedHosts, httpsConfig, httpsOptions } from './https-config.ts';
import { nodeConfig } from './node-config.ts';
import {
  domain,
  duration,
  existingFolder,
  hostAndPort,
  hostNames,
  integerFrom,
  keptCount,
  nonEmpty,
  origins,
  portNumber,
  principalId,
  reachList,
  storeUrl,
  tunnelNames,
  urlTemplate,
} from './option-values.ts';

/** Snapshots kept. (configurable) */
const SNAPSHOTS_KEPT = 7;

const MCP_MODES: readonly McpMode[] = ['all', 'staged'];

const DEFAULT_DATA = './snapshots';

export const HOST = '127.0.0.1';
export const API_PORT = 8080;
export const MOCK_PORT = 8081;
const GATEWAY_PORT = 8082;

/** One core is left for the API. With little memory there are fewer threads than cores. */
function defaultWorkers(): number {
  return Math.max(1, Math.min(availableParallelism() - 1, Math.floor(memoryBytesMax() / THREAD_MEMORY_BYTES)));
}

/** Adds the options of `serve` to a command. */
export function addServeOptions(command: Command): Command {
  const options = [
    hostOption(),
    portOption(),
    option('--mock-port <n>', 'port of the mock servers; 0 picks a free one', MOCK_PORT, portNumber),
    option(
      '--gateway-port <n>',
      `port of the gateway, a forward proxy that applies rules to live requests; 0 picks a free one (default: ${GATEWAY_PORT} on ${HOST} if it is free; none with --store)`,
      undefined,
      portNumber,
    ),
    new Option('--no-gateway', 'start without the gateway (env: SWITCHYARD_NO_GATEWAY=1)'),
    option(
      '--gateway-tunnel <names>',
      'hosts whose HTTPS the gateway tunnels without decrypting it, such as pinned.example.com,*.example.org',
      [],
      tunnelNames,
    ),
    authorityOption(),
    option('--gateway-ca-key <file>', 'private key of that CA (PEM, without a passphrase)', undefined, nonEmpty),
    new Option(
      '--rule-code',
      'run user-written code of Request and Response rules in a sandbox (env: SWITCHYARD_RULE_CODE=1)',
    ),
    option('--rule-files <folder>', 'folder whose files Redirect rules with map_local serve; repeatable', undefined)
      .argParser((text: string, before: readonly string[]) => [...before, existingFolder(text)])
      .default([], 'none'),
    ...compatOptions(),
    option('--mock-domain <name>', 'domain of mock host names: <mock_id>.<name>', 'localhost', domain),
    option(
      '--mock-url-template <url>',
      'URL of a mock, with the placeholders <mock_id> and <port>, such as https://<mock_id>.mocks.example.com',
      undefined,
      urlTemplate,
    ),
    certificateOption(),
    option('--tls-key <file>', 'private key of the certificate (PEM, without a passphrase)', undefined, nonEmpty),
    ...httpsOptions(),
    dataOption(),
    storeOption(),
    option(
      '--node-id <id>',
      'id of this node, when several nodes share the store; needs --internal-listen',
      undefined,
      principalId,
    ),
    option(
      '--internal-listen <host:port>',
      'address that this node listens on for other nodes',
      undefined,
      hostAndPort,
    ),
    option(
      '--internal-address <host:port>',
      'address that other nodes connect to, if it differs',
      undefined,
      hostAndPort,
    ),
    option(
      '--mock-lease <time>',
      'how long a node serves mocks without the database, and how long mocks of a lost node stay unavailable',
      MOCK_LEASE_MS,
      duration,
    ),
    option(
      '--drain-wait <time>',
      'how long a stopping node keeps serving while the load balancer drains it',
      CLUSTER_DRAIN_WAIT_MS,
      duration,
    ),
    option(
      '--mock <path>',
      'file or folder to serve as a mock, or ID=PATH; repeatable; without --data, all data is temporary',
      undefined,
    )
      .argParser((text: string, before: readonly MockPath[]) => [...before, mockPath(text)])
      .default([], 'none'),
    option('--mock-owner <id>', 'owner of the mocks of --mock and --wiremock', 'local', principalId),
    new Option('--strict', 'refuse a --mock file if the import would drop anything (env: SWITCHYARD_STRICT=1)'),
    option('--workers <n>', 'number of threads that serve mocks', undefined, integerFrom(1, 256)).default(
      defaultWorkers(),
      'one less than the cores, fewer with little memory',
    ),
    new Option('--no-bootstrap', 'do not create an API key on the first start (env: SWITCHYARD_NO_BOOTSTRAP=1)'),
    option(
      '--key-file <file>',
      'file with an API key for the owner "local"; the server creates a missing file with a new key',
      undefined,
      nonEmpty,
    ),
    new Option('--no-console', 'do not serve the console (env: SWITCHYARD_NO_CONSOLE=1)'),
    option(
      '--mcp <what>',
      'what agents may do at /mcp: everything, or only stage edits that a person saves',
      'all',
    ).choices([...MCP_MODES]),
    new Option('--no-mcp', 'do not serve /mcp for agents (env: SWITCHYARD_NO_MCP=1)'),
    option('--log-level <level>', 'lowest level to log; warn and above leave out requests', 'info').choices([
      ...LOG_LEVELS,
    ]),
    option('--cors-origin <origins>', 'origins that CORS allows, separated by commas; * for any', ['*'], origins),
    option(
      '--allow-host <names>',
      'further Host names to accept on a loopback address, separated by commas',
      [],
      hostNames,
    ),
    option(
      '--egress-allow <list>',
      'networks and hosts where upstreams are allowed, besides public ones, separated by commas',
      '',
      reachList,
    ),
    option('--egress-deny <list>', 'networks and hosts where upstreams are not allowed', '', reachList),
    option('--callback-allow <list>', 'hosts that a request may choose as a callback receiver', '', reachList),
    option(
      '--egress-ca <file>',
      "CA certificates to trust for upstreams, besides the system's (PEM)",
      undefined,
      nonEmpty,
    ),
    option('--egress-insecure <names>', 'upstreams whose certificates the server does not verify', [], (text) =>
      hostNames(nonEmpty(text)),
    ),
    option('--metrics-token <token>', 'bearer token that /metrics requires', undefined, nonEmpty),
    option('--rate-limit <n>', 'requests per second and key; 0 for no limit', 0, integerFrom(0, 1_000_000)),
    option(
      '--body-max <bytes>',
      'largest request body in bytes',
      DEFAULT_LIMITS.bodyBytesMax,
      integerFrom(1_000, 16_000_000),
    ),
    option(
      '--rules-max <n>',
      'maximum number of rules per owner',
      DEFAULT_LIMITS.rulesPerOwnerMax,
      integerFrom(1, 1_000_000),
    ),
    option(
      '--groups-max <n>',
      'maximum number of groups per owner',
      DEFAULT_LIMITS.groupsPerOwnerMax,
      integerFrom(1, 1_000_000),
    ),
    option(
      '--pairs-max <n>',
      'maximum number of pairs per rule',
      DEFAULT_LIMITS.pairsPerRuleMax,
      integerFrom(1, 100_000),
    ),
    option(
      '--text-max <n>',
      'maximum length of a text field in characters',
      DEFAULT_LIMITS.textCharsMax,
      integerFrom(1, 1_000_000),
    ),
    option(
      '--name-max <n>',
      'maximum length of a name in characters',
      DEFAULT_LIMITS.nameCharsMax,
      integerFrom(1, 100_000),
    ),
    option(
      '--mocks-max <n>',
      'maximum number of mocks per owner',
      DEFAULT_LIMITS.mocks.mocksPerOwnerMax,
      integerFrom(1, 100_000),
    ),
    option(
      '--mock-body-max <bytes>',
      "largest body of a mock's response in bytes",
      DEFAULT_LIMITS.mocks.responseBodyBytesMax,
      integerFrom(1_000, 10_000_000),
    ),
    option('--history-days <n>', 'days to keep history entries', HISTORY_RETENTION_DAYS, integerFrom(1, 36_500)),
    option(
      '--disk-reserve <MiB>',
      'MiB of free disk space reserved for deletes; 0 for none',
      DISK_RESERVE_MIB,
      integerFrom(0, 1e9),
    ),
    option(
      '--resident-owners <n>',
      'maximum number of owners in memory',
      RESIDENT_OWNERS_MAX,
      integerFrom(1, 1_000_000),
    ),
    option(
      '--owner-idle <ms>',
      'idle time after which an owner is unloaded from memory',
      OWNER_IDLE_MS,
      integerFrom(100, 86_400_000),
    ),
    option(
      '--snapshot-every <time>',
      'interval of scheduled snapshots, such as 30m, 6h or 1d; 0 for none',
      0,
      duration,
    ),
    option('--snapshot-keep <n>', 'number of snapshots to keep after a scheduled one', SNAPSHOTS_KEPT, keptCount),
  ];
  for (const each of options) command.addOption(each);
  return command;
}

/** `--data`, an option of every command. */
function hostOption(): Option {
  return option('--host <address>', 'address that the ports listen on', HOST, nonEmpty);
}

function portOption(): Option {
  return option('--port <n>', 'port of the API; 0 picks a free one', API_PORT, portNumber);
}

function certificateOption(): Option {
  const description = 'certificate (PEM, with its chain), which switches both ports to HTTPS';
  return option('--tls-cert <file>', description, undefined, nonEmpty);
}

/** Options that say where a server of this environment listens. */
export function addHealthOptions(command: Command): Command {
  for (const each of [hostOption(), portOption(), certificateOption()]) command.addOption(each);
  return command;
}

export function dataOption(): Option {
  return option('--data <dir>', 'data directory', DEFAULT_DATA, nonEmpty);
}

export function authorityOption(): Option {
  return option(
    '--gateway-ca <file>',
    'your own CA certificate for the gateway (PEM), instead of a generated one; needs --gateway-ca-key',
    undefined,
    nonEmpty,
  );
}

/** `--store`, an option of every command that opens a store. */
export function storeOption(): Option {
  return option(
    '--store <url>',
    'PostgreSQL database, instead of the data directory: postgres://user@host/database',
    undefined,
    storeUrl,
  );
}

/**
 * @param given       The options of `serve` as commander parsed them.
 * @param isDataGiven Whether somebody named the data directory.
 * @throws OperatorError when two options contradict each other.
 */
export function serveConfig(given: Record<string, unknown>, isDataGiven = true): Config {
  if (given.port === given.mockPort && given.port !== 0) {
    throw new OperatorError(
      `--port and --mock-port are both ${given.port as number}: choose another for one of them, or 0 for a free one`,
    );
  }
  const mockDomain = given.mockDomain as string;
  const scheme = given.tlsCert === undefined ? 'http' : 'https';
  const mockUrlTemplate = (given.mockUrlTemplate as string | undefined) ?? `${scheme}://<mock_id>.${mockDomain}:<port>`;
  const mockPaths = given.mock as MockPath[];
  const store = given.store as string | undefined;
  if (store !== undefined && isDataGiven) throw new OperatorError('--store and --data are both given: choose one');
  if (store !== undefined && given.snapshotEvery !== 0) {
    throw new OperatorError(
      '--snapshot-every is for a data directory: back the database up with the tools of PostgreSQL',
    );
  }
  const isDataTemporary = mockPaths.length > 0 && !isDataGiven && store === undefined;
  return Object.freeze({
    host: given.host as string,
    port: given.port as number,
    mockPort: given.mockPort as number,
    gateway: gatewayPlace(given),
    gatewayTunnels: given.gatewayTunnel as string[],
    ruleCode: given.ruleCode === true || isSet('RULE_CODE'),
    ruleFiles: given.ruleFiles as string[],
    ...compatConfig(given),
    gatewayAuthority: authorityFiles(given),
    mockDomain,
    mockUrlTemplate,
    tlsCert: given.tlsCert as string | undefined,
    tlsKey: given.tlsKey as string | undefined,
    https: httpsConfig(given),
    attached: attachedHosts(given.attach as Parameters<typeof attachedHosts>[0], mockDomain),
    data: isDataTemporary ? join(tmpdir(), `switchyard-${randomId(TEMPORARY_CHARS)}`) : (given.data as string),
    isDataGiven: isDataGiven || isDataTemporary,
    isDataTemporary,
    store,
    node: nodeConfig(given, store, clusterSecret),
    mockPaths,
    mockOwner: given.mockOwner as string,
    isStrict: given.strict === true || isSet('STRICT'),
    workers: given.workers as number,
    keyFile: given.keyFile as string | undefined,
    bootstrap: given.bootstrap !== false && !isSet('NO_BOOTSTRAP'),
    mcp: given.mcp === false || isSet('NO_MCP') ? 'off' : (given.mcp as McpMode),
    servesConsole: given.console !== false && !isSet('NO_CONSOLE'),
    logLevel: given.logLevel as LogLevel,
    corsOrigins: given.corsOrigin as string[],
    allowedHosts: given.allowHost as string[],
    egress: {
      allow: given.egressAllow as string,
      deny: given.egressDeny as string,
      callbackAllow: given.callbackAllow as string,
      ca: given.egressCa as string | undefined,
      insecure: (given.egressInsecure as string[]).map((name) => name.toLowerCase()),
    },
    metricsToken: given.metricsToken as string | undefined,
    rateLimit: given.rateLimit as number,
    historyDays: given.historyDays as number,
    diskReserveMib: given.diskReserve as number,
    residentOwnersMax: given.residentOwners as number,
    ownerIdleMs: given.ownerIdle as number,
    snapshotEveryMs: given.snapshotEvery as number,
    snapshotsKept: given.snapshotKeep as number,
    limits: Object.freeze({
      bodyBytesMax: given.bodyMax as number,
      rulesPerOwnerMax: given.rulesMax as number,
      groupsPerOwnerMax: given.groupsMax as number,
      pairsPerRuleMax: given.pairsMax as number,
      textCharsMax: given.textMax as number,
      nameCharsMax: given.nameMax as number,
      keptAnswerBytesMax: DEFAULT_LIMITS.keptAnswerBytesMax,
      mocks: Object.freeze({
        ...DEFAULT_LIMITS.mocks,
        mocksPerOwnerMax: given.mocksMax as number,
        responseBodyBytesMax: given.mockBodyMax as number,
        sharedDomains: sharedDomains(mockDomain, mockUrlTemplate),
      }),
    }),
  });
}

/** Nobody else can know the name, and put something there. */
const TEMPORARY_CHARS = 20;

/** The domains of the host names of mocks: the server's own, and the one in the addresses behind a proxy. */
function sharedDomains(mockDomain: string, template: string): string[] {
  const [, host = ''] = /^https?:\/\/([^/?#:]*)/.exec(template) ?? [];
  const [, proxied = ''] = /<mock_id>[^.]*\.(.+)$/.exec(host) ?? [];
  return [...new Set([mockDomain, domainToASCII(proxied)])].filter((name) => name !== '');
}

/** The text before "=" is an id, unless it contains "/": `./a=b.yaml` is a path. */
function mockPath(text: string): MockPath {
  const [, id, named] = /^([^/\\=]*)=(.*)$/s.exec(text) ?? [];
  const path = named ?? text;
  if (path.trim() === '') throw new InvalidArgumentError('Expected a file or folder, or ID=PATH.');
  if (id === undefined) return { path };
  if (!CHOSEN_ID.test(id)) throw new InvalidArgumentError(`Expected before the "=" ${CHOSEN_ID_FORM}.`);
  return { path, id };
}

/** @throws OperatorError where one of both is missing. */
function authorityFiles({ gatewayCa, gatewayCaKey }: Record<string, unknown>): Config['gatewayAuthority'] {
  if (gatewayCa === undefined && gatewayCaKey === undefined) return undefined;
  if (gatewayCa === undefined) throw new OperatorError('--gateway-ca-key needs --gateway-ca');
  if (gatewayCaKey === undefined) throw new OperatorError('--gateway-ca needs --gateway-ca-key');
  return { certificate: gatewayCa as string, key: gatewayCaKey as string };
}

/** @throws OperatorError for a port that another part has. */
function gatewayPlace({ gatewayPort: port, host, ...given }: Record<string, unknown>): Config['gateway'] {
  if (given.gateway === false || isSet('NO_GATEWAY')) return undefined;
  if (port === undefined) {
    // The network sees no port that nobody asked for. Nodes over one database have one each, or none.
    return given.store === undefined ? { host: HOST, port: GATEWAY_PORT, isChosen: false } : undefined;
  }
  if (port !== 0 && (port === given.port || port === given.mockPort)) {
    throw new OperatorError(
      `--gateway-port is ${port as number}, as another port: choose another, or 0 for a free one`,
    );
  }
  return { host: host as string, port: port as number, isChosen: true };
}
