/** Ports beside the mock port: what is asked there, and how they are opened. */

/** What is asked at a port beside the mock port: it is for this mock, whatever names a request has. */
export interface BoundTo {
  readonly mockId: string;
  /** Undefined: the mock itself, or what a path `/__session/<id>` or a header names. */
  readonly sessionId?: string;
  /** Calls of WireMock's interface, whose paths begin with `/__admin`, are those of the API below this URL. */
  readonly adminUrl?: string;
}

export interface BoundPort {
  /** 0 picks a free one. */
  readonly port: number;
  /** Whether it has the server's certificate. */
  readonly isTls: boolean;
  readonly to: BoundTo;
}

/** The port that is listened on; undefined where it cannot be. */
export interface PortOpened {
  readonly port: number | undefined;
}
