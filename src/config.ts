/**
 * The configuration: the only reader of the command line and of the environment.
 *
 * One table defines every option of `serve`: its flag, its environment variable (SWITCHYARD_ and the flag's name), its default
 * and how its text is read. What comes out is checked and frozen.
 */
import { availableParallelism } from 'node:os';
import { domainToASCII } from 'node:url';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  DEFAULT_LIMITS,
  DISK_RESERVE_MIB,
  HISTORY_RETENTION_DAYS,
  OWNER_IDLE_MS,
  RESIDENT_OWNERS_MAX,
  SNAPSHOTS_KEPT,
  type Limits,
} from './limits.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly mockPort: number;
  readonly mockDomain: string;
  /** `<mock_id>` and `<port>` stand for a mock's id and the port. */
  readonly mockUrlTemplate: string;
  /** Files of the certificate and its key; TLS takes both. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  readonly data: string;
  /** Threads of the data plane. */
  readonly workers: number;
  readonly bootstrap: boolean;
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly metricsToken: string | undefined;
  /** Requests a second per key; 0 for any number. */
  readonly rateLimit: number;
  readonly historyDays: number;
  /** Kept free on the disk for deletes; 0 for none. */
  readonly diskReserveMib: number;
  readonly residentOwnersMax: number;
  readonly ownerIdleMs: number;
  /** Milliseconds from one snapshot to the next; 0 for none. */
  readonly snapshotEveryMs: number;
  readonly snapshotsKept: number;
  readonly limits: Limits;
}

const PREFIX = 'SWITCHYARD_';
const DEFAULT_DATA = './snapshots';

/** Adds the options of `serve` to a command. */
export function addServeOptions(command: Command): Command {
  const options = [
    option('--host <address>', 'address to listen on, for both ports', '127.0.0.1', nonEmpty),
    option('--port <n>', 'port of the API; 0 takes a free one', 8080, portNumber),
    option('--mock-port <n>', 'port of the mock servers; 0 takes a free one', 8081, portNumber),
    option('--mock-domain <name>', 'domain under which mocks have their host names', 'localhost', domain),
    option('--mock-url-template <url>', 'address of a mock, with <mock_id> and <port>', undefined, urlTemplate),
    option('--tls-cert <file>', 'certificate (PEM, with its chain): both ports speak HTTPS', undefined, nonEmpty),
    option('--tls-key <file>', 'private key of the certificate (PEM, without a passphrase)', undefined, nonEmpty),
    dataOption(),
    option('--workers <n>', 'threads that serve mocks', Math.max(1, availableParallelism() - 1), integerFrom(1, 256)),
    new Option('--no-bootstrap', 'make no owner and key on the first start (env: SWITCHYARD_NO_BOOTSTRAP=1)'),
    option('--log-level <level>', 'least severe level that is logged', 'info').choices([...LOG_LEVELS]),
    option('--cors-origin <origins>', 'origins whose pages may read answers, with commas; * for any', ['*'], origins),
    option('--allow-host <names>', 'further Host names that a loopback address answers to, with commas', [], hostNames),
    option('--metrics-token <token>', 'bearer token that /metrics asks for', undefined, nonEmpty),
    option('--rate-limit <n>', 'requests a second per key; 0 for any number', 0, integerFrom(0, 1_000_000)),
    option('--body-max <bytes>', 'largest request body', DEFAULT_LIMITS.bodyBytesMax, integerFrom(1_000, 16_000_000)),
    option('--rules-max <n>', 'rules per owner', DEFAULT_LIMITS.rulesPerOwnerMax, integerFrom(1, 1_000_000)),
    option('--groups-max <n>', 'groups per owner', DEFAULT_LIMITS.groupsPerOwnerMax, integerFrom(1, 1_000_000)),
    option('--pairs-max <n>', 'pairs per rule', DEFAULT_LIMITS.pairsPerRuleMax, integerFrom(1, 100_000)),
    option('--text-max <n>', 'characters of a text field', DEFAULT_LIMITS.textCharsMax, integerFrom(1, 1_000_000)),
    option('--name-max <n>', 'characters of a name', DEFAULT_LIMITS.nameCharsMax, integerFrom(1, 100_000)),
    option('--mocks-max <n>', 'mocks per owner', DEFAULT_LIMITS.mocks.mocksPerOwnerMax, integerFrom(1, 100_000)),
    option(
      '--mock-body-max <bytes>',
      "largest body of a mock's response",
      DEFAULT_LIMITS.mocks.responseBodyBytesMax,
      integerFrom(1_000, 10_000_000),
    ),
    option(
      '--history-days <n>',
      'days for which history entries are kept',
      HISTORY_RETENTION_DAYS,
      integerFrom(1, 36_500),
    ),
    option(
      '--disk-reserve <MiB>',
      'free on the disk for deletes alone; 0 for none',
      DISK_RESERVE_MIB,
      integerFrom(0, 1e9),
    ),
    option('--resident-owners <n>', 'owners in memory at once', RESIDENT_OWNERS_MAX, integerFrom(1, 1_000_000)),
    option(
      '--owner-idle <ms>',
      'time after which an unused owner leaves the memory',
      OWNER_IDLE_MS,
      integerFrom(100, 86_400_000),
    ),
    option('--snapshot-every <time>', 'time between two snapshots, such as 30m, 6h or 1d; 0 for none', 0, duration),
    option('--snapshot-keep <n>', 'scheduled snapshots make older ones go: how many stay', SNAPSHOTS_KEPT, keptCount),
  ];
  for (const each of options) command.addOption(each);
  return command;
}

/** `--data`, which every command has. */
export function dataOption(): Option {
  return option('--data <dir>', 'data directory', DEFAULT_DATA, nonEmpty);
}

/** @param given What commander read for the options of `serve`. */
export function serveConfig(given: Record<string, unknown>): Config {
  const mockDomain = given.mockDomain as string;
  const scheme = given.tlsCert === undefined ? 'http' : 'https';
  const mockUrlTemplate = (given.mockUrlTemplate as string | undefined) ?? `${scheme}://<mock_id>.${mockDomain}:<port>`;
  const noBootstrap = ['1', 'true', 'yes'].includes((process.env[`${PREFIX}NO_BOOTSTRAP`] ?? '').toLowerCase());
  return Object.freeze({
    host: given.host as string,
    port: given.port as number,
    mockPort: given.mockPort as number,
    mockDomain,
    mockUrlTemplate,
    tlsCert: given.tlsCert as string | undefined,
    tlsKey: given.tlsKey as string | undefined,
    data: given.data as string,
    workers: given.workers as number,
    bootstrap: given.bootstrap !== false && !noBootstrap,
    logLevel: given.logLevel as LogLevel,
    corsOrigins: given.corsOrigin as string[],
    allowedHosts: given.allowHost as string[],
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

/** An option whose environment variable is SWITCHYARD_ and its name. `read` throws on text that does not fit. */
export function option(flags: string, description: string, absent: unknown, read?: (text: string) => unknown): Option {
  const name = /^--([a-z-]+)/.exec(flags)?.[1] as string;
  const made = new Option(flags, description).env(PREFIX + name.toUpperCase().replaceAll('-', '_'));
  if (absent !== undefined) made.default(absent, Array.isArray(absent) ? absent.join() || 'none' : undefined);
  return read === undefined ? made : made.argParser(read);
}

function integerFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : NaN;
    if (!(value >= least && value <= most))
      throw new InvalidArgumentError(`Expected an integer from ${least} to ${most}.`);
    return value;
  };
}

const portNumber = integerFrom(0, 65_535);

export const keptCount = integerFrom(1, 10_000);

/** A timer takes no more than some 24 days. */
const DURATION_MS_MAX = 20 * 86_400_000;

function duration(text: string): number {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(count) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's'];
  if (text !== '0' && !(ms > 0 && ms <= DURATION_MS_MAX))
    throw new InvalidArgumentError('Expected a time of 1s to 20d, such as 30m, 6h or 1d, or 0.');
  return ms;
}

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Must not be empty.');
  return text;
}

function domain(text: string): string {
  if (!/^(?=.{1,190}$)[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(text))
    throw new InvalidArgumentError('Expected a domain name.');
  return text.toLowerCase();
}

function urlTemplate(text: string): string {
  if (!/^https?:\/\/.*<mock_id>/.test(text)) throw new InvalidArgumentError('Expected http(s)://... with <mock_id>.');
  return text;
}

/** What the host names of mocks have in common: here, and at the addresses that a proxy gives them. */
function sharedDomains(mockDomain: string, template: string): string[] {
  const [, host = ''] = /^https?:\/\/([^/?#:]*)/.exec(template) ?? [];
  const [, proxied = ''] = /<mock_id>[^.]*\.(.+)$/.exec(host) ?? [];
  return [...new Set([mockDomain, domainToASCII(proxied)])].filter((name) => name !== '');
}

function origins(text: string): string[] {
  const given = list(text);
  for (const origin of given) {
    if (!isOrigin(origin)) {
      throw new InvalidArgumentError(`Expected * or origins such as https://app.example, without a path: ${origin}`);
    }
  }
  return given;
}

/** In the form in which browsers send it: another would never be equal. */
function isOrigin(text: string): boolean {
  if (/^https?:/.test(text)) return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
  // Extensions of browsers have schemes of their own.
  return /^(?:\*|null|[a-z][a-z0-9+.-]*:\/\/[^\s/?#@]+)$/.test(text);
}

function hostNames(text: string): string[] {
  const names = list(text);
  for (const name of names) {
    if (/[/:@\s]/.test(name)) throw new InvalidArgumentError('Expected names without scheme, port or path.');
  }
  return names;
}

function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
