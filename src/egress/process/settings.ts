/** Settings of the egress process at its start. */
import type { FromChild, ToChild } from '../../children/child-process.ts';
import type { OwnPort } from '../policy/connector.ts';
import type { FromGateway, ToGateway } from './gateway-messages.ts';

export interface EgressSettings {
  /** Where the serving threads reach it: a Unix socket in a folder of its own, which it makes. */
  readonly socketPath: string;
  /** Calls carry it. */
  readonly token: string;
  /** Names this server in `via`, so that it recognises what it has sent itself. */
  readonly instance: string;
  /** Lists as reach-list.ts reads them. */
  readonly allow: string;
  readonly deny: string;
  /** The same of hosts that requests may choose as receivers of callbacks. */
  readonly callbackAllow: string;
  readonly allowsLoopback: boolean;
  readonly ownPorts: readonly number[];
  /** PEM. */
  readonly ca: string | undefined;
  readonly insecure: readonly string[];
  readonly rules: RuleSettings;
  /** Undefined where no gateway listens. */
  readonly gateway: GatewaySettings | undefined;
  /** Bound of the recordings of all mocks. */
  readonly recordingBytesMax: number;
}

/** Settings of rules on the gateway's requests and on those of mocks to their upstreams. */
export interface RuleSettings {
  /** Where requests for mocks of this server go, and the domains of their host names. */
  readonly mocks: OwnPort;
  readonly mockDomains: readonly string[];
  /** Bounds of memory: of rules, and of bodies that rules read. */
  readonly tablesBytesMax: number;
  readonly bodiesBytesMax: number;
  /** Whether the code of rules is run. */
  readonly runsCode: boolean;
  /** Folders whose files rules serve, without links. */
  readonly files: readonly string[];
  /** The URL of a mock, with the placeholder `<mock_id>`. */
  readonly mockUrl: string;
}

export interface GatewaySettings {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Hosts whose tunnels are passed on unread, in lower case. */
  readonly tunnelled: readonly string[];
  /** In a cluster: the key by which nodes know each other, in base64. */
  readonly peerKey: string | undefined;
  /** The most that is kept of exchanges. */
  readonly logBytesMax: number;
  /** Whether the API process listens on the port, and hands it over: `GatewayHandleMessage`. */
  readonly isHandedOver?: boolean;
}

/** Comes with the listening port of the gateway, or with a connection that was accepted before. */
interface GatewayHandleMessage {
  readonly kind: 'gatewayHandle';
}

/** The own ports of the server, whenever they change. */
interface OwnPortsMessage {
  readonly kind: 'ownPorts';
  readonly ports: readonly number[];
}

export type ApiToEgress = ToChild<EgressSettings> | ToGateway | OwnPortsMessage | GatewayHandleMessage;
export type EgressToApi = FromChild | FromGateway;
