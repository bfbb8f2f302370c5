/** The port of WireMock's interface and of the mock behind it, which is served beside the mock port. */

/** The mock that answers requests to this port, unless a host names another. */
export interface BoundTo {
  readonly mockId: string;
  /** Calls of WireMock's interface, whose paths begin with `/__admin`, are those of the API below this URL. */
  readonly adminUrl: string;
}

/** Facts of the port that a request has come by. */
export interface ReceivingPort {
  readonly boundTo: BoundTo | undefined;
  readonly isSecure: boolean;
  /** Clients are asked for certificates. */
  readonly asksCertificate: boolean;
}

export interface BoundPort extends BoundTo {
  /** 0 picks a free one. */
  readonly port: number;
}

/** Ports beside the mock port: this one, that of HTTPS, and that of HTTPS with client certificates. */
export const FURTHER_PORTS = ['bound', 'https', 'mtls'] as const;
export type FurtherPort = (typeof FURTHER_PORTS)[number];
