/** Callbacks on their way from a serving thread to the process that sends them. They were rendered once, with their answer. */

/** How each attempt is signed. */
export interface CallbackKey {
  readonly scheme: 'stripe' | 'github' | 'standard' | 'hmac';
  readonly secret: string;
  /** This and the next four: of `hmac` alone. */
  readonly header: string;
  readonly value: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  readonly payload: string;
  readonly breaks: 'signature' | 'timestamp' | undefined;
}

export interface CallbackSent {
  readonly name: string;
  readonly url: string;
  readonly method: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly bodyEncoding: 'text' | 'base64';
  /** One for each time that it is sent. */
  readonly delaysMs: readonly number[];
  readonly timeoutMs: number;
  /** Attempts after the first, and what comes before each; the last one counts for all that follow. */
  readonly retries: number;
  readonly backoffMs: readonly number[];
  readonly key: CallbackKey | undefined;
  /** Whether a request has decided on its origin. */
  readonly isHostChosen: boolean;
  /** Why it is not sent. */
  readonly problem: string | undefined;
}

/** Those of one answer. */
export interface CallbacksSent {
  readonly ownerId: string;
  readonly mockId: string;
  /** "" outside of sessions. */
  readonly sessionId: string;
  /** When the session was made: its id may have been that of another. */
  readonly sessionCreatedAt: number;
  readonly requestNumber: number;
  /** How many callbacks have led to the request. */
  readonly depth: number;
  readonly callbacks: readonly CallbackSent[];
  /** Whether others before them were lost on the way. */
  readonly isAfterLoss?: true;
}

/** A callback says with it how many have led to it. */
export const DEPTH_HEADER = 'x-switchyard-depth';
/** Where that process takes them. */
export const CALLBACKS_PATH = '/callbacks';
