/** The configuration of the service. cli/options.ts makes one from the command line and the environment. */
import type { NodeConfig } from '../cluster/cluster.ts';
import type { AuthorityFiles } from '../ca/authority.ts';
import type { EgressOptions } from '../egress/supervisor/egress.ts';
import type { Limits } from '../limits.ts';
import type { RuleAbilities } from '../model/rule-abilities.ts';
import type { McpMode } from '../mcp/tools/tool.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** A file or folder to serve as a mock, with the mock's id if that was given. */
export interface MockPath {
  readonly path: string;
  readonly id?: string | undefined;
}

/** Where the gateway listens. */
interface GatewayPlace {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Whether somebody chose the port: the server does without its default port if that is in use. */
  readonly isChosen: boolean;
}

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly mockPort: number;
  /** Undefined where no gateway listens. */
  readonly gateway: GatewayPlace | undefined;
  /** Hosts whose tunnels through the gateway are passed on unread. */
  readonly gatewayTunnels: readonly string[];
  /** Whether the code of rules is run. */
  readonly ruleCode: boolean;
  /** Folders whose files rules serve, without links. */
  readonly ruleFiles: readonly string[];
  /** Whether WireMock's interface takes stubs that cannot be carried over exactly. */
  readonly compatLenient: boolean;
  /** Whether it answers calls without a key, in the name of `mockOwner`. */
  readonly compatOpen: boolean;
  /** The port of WireMock's interface and of the mock behind it; undefined without one. 0 takes a free one. */
  readonly wiremock: { readonly port: number; readonly mockId: string } | undefined;
  /** Files of the operator's own authority for the gateway; undefined where one is made. */
  readonly gatewayAuthority: AuthorityFiles | undefined;
  readonly mockDomain: string;
  /** `<mock_id>` and `<port>` are placeholders for a mock's id and the mock port. */
  readonly mockUrlTemplate: string;
  /** Files of the certificate and its key; TLS needs both. */
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
  /** HTTPS of mocks at a port of its own, with certificates of this server's authority; undefined without. */
  readonly https: HttpsConfig | undefined;
  /** Mocks, by further host names that mean them. */
  readonly attached: ReadonlyMap<string, string>;
  readonly data: string;
  /** Whether the data directory is another than that which commands use without `--data`. */
  readonly isDataGiven: boolean;
  /** The address of a store in PostgreSQL, in place of the data directory. */
  readonly store: string | undefined;
  /** Present only for a node of a cluster. */
  readonly node: NodeConfig | undefined;
  /** Whether the data directory is removed at the end. */
  readonly isDataTemporary: boolean;
  /** Files and folders that mocks are served from. */
  readonly mockPaths: readonly MockPath[];
  /** The owner of these mocks. */
  readonly mockOwner: string;
  /** Whether a file is refused that has something a mock cannot have. */
  readonly isStrict: boolean;
  /** Threads of the data plane. */
  readonly workers: number;
  readonly bootstrap: boolean;
  /** Holds a key that is valid from the start: none is made and shown then. */
  readonly keyFile: string | undefined;
  readonly servesConsole: boolean;
  /** Rights of agents at `/mcp`. */
  readonly mcp: McpMode;
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
  /** Where upstreams of mocks may be; `ca` is a file. */
  readonly egress: Pick<EgressOptions, 'allow' | 'deny' | 'callbackAllow' | 'ca' | 'insecure'>;
  readonly metricsToken: string | undefined;
  /** Requests per second and key; 0 for no limit. */
  readonly rateLimit: number;
  readonly historyDays: number;
  /** Free disk space reserved for deletes; 0 for none. */
  readonly diskReserveMib: number;
  readonly residentOwnersMax: number;
  readonly ownerIdleMs: number;
  /** Interval of scheduled snapshots; 0 for none. */
  readonly snapshotEveryMs: number;
  readonly snapshotsKept: number;
  readonly limits: Limits;
}

interface HttpsConfig {
  /** 0 takes a free one. */
  readonly port: number;
  /** Further names and addresses of this server. */
  readonly names: readonly string[];
  /** The port that asks for client certificates, and a PEM file of further authorities of these. */
  readonly mtls: { readonly port: number; readonly ca: string | undefined } | undefined;
}

/** Abilities that the options of a server give to rules. */
export function abilitiesOf({ ruleCode, ruleFiles }: Pick<Config, 'ruleCode' | 'ruleFiles'>): RuleAbilities {
  return { runsCode: ruleCode, readsFiles: ruleFiles.length > 0 };
}

/** @param host What a server listens on. @returns Where somebody on this machine reaches it, as a part of a URL. */
export function addressOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** The address of a port, as somebody on this machine finds it. */
export function originOf({ host, tlsCert }: { host: string; tlsCert: string | undefined }, port: number): string {
  return `${tlsCert === undefined ? 'http' : 'https'}://${addressOf(host)}:${port}`;
}

/** The address of the gateway, whose port has no TLS. */
export function gatewayOrigin({ gateway }: Pick<Config, 'gateway'>, port: number): string {
  return originOf({ host: gateway?.host ?? '', tlsCert: undefined }, port);
}

/** The address of a mock, as `--mock-url-template` makes it. */
export function mockUrl(template: string, mockId: string, port: number): string {
  return template.replaceAll('<mock_id>', mockId).replaceAll('<port>', String(port));
}
