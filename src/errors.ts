/**
 * Every refusal of the API: its status, its message and, where waiting helps, when to retry.
 *
 * Code distinguishes refusals by `kind`, never by their text. They are listed in the order in which they are checked
 * (docs/api.md, "Order of checks"). A test compares the table in docs/api.md with this catalogue.
 */

/** One mistake in a request. `path` is a JSON pointer into the body, or the name of a header or query parameter. */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

interface RefusalKindFacts {
  readonly status: number;
  readonly message: string;
  /** Seconds after which a retry makes sense; sent as `Retry-After`. The refused request had no effect. */
  readonly retryAfterSeconds?: number;
}

const CATALOGUE = {
  malformedRequest: { status: 400, message: 'Bad Request' },
  hostNotAllowed: { status: 403, message: 'Host not allowed' },
  starting: { status: 503, message: 'Service starting', retryAfterSeconds: 1 },
  draining: { status: 503, message: 'Service draining', retryAfterSeconds: 2 },
  notFound: { status: 404, message: 'Not found' },
  methodNotAllowed: { status: 405, message: 'Method not allowed' },
  unauthorized: { status: 401, message: 'Unauthorized action' },
  tooManyRequests: { status: 429, message: 'Too many requests', retryAfterSeconds: 1 },
  invalidGroupId: { status: 400, message: 'Invalid Group Id' },
  badRequest: { status: 400, message: 'Bad Request' },
  mockNotFound: { status: 404, message: 'Mock not found' },
  ruleNotFound: { status: 404, message: 'Rule not found' },
  groupNotFound: { status: 404, message: 'Group not found' },
  routeNotFound: { status: 404, message: 'Route not found' },
  responseNotFound: { status: 404, message: 'Response not found' },
  versionNotFound: { status: 404, message: 'Version not found' },
  scenarioNotFound: { status: 404, message: 'Scenario not found' },
  storeNotFound: { status: 404, message: 'Store not found' },
  itemNotFound: { status: 404, message: 'Item not found' },
  streamNotFound: { status: 404, message: 'Stream not found' },
  socketNotFound: { status: 404, message: 'WebSocket not found' },
  requestNotFound: { status: 404, message: 'Request not found' },
  sessionNotFound: { status: 404, message: 'Session not found' },
  exchangeNotFound: { status: 404, message: 'Exchange not found' },
  driftNotFound: { status: 404, message: 'Drift not found' },
  keyNotFound: { status: 404, message: 'Key not found' },
  keyInUse: { status: 409, message: 'Key in use' },
  gatewayNotRunning: { status: 409, message: 'Gateway not running' },
  sessionTaken: { status: 409, message: 'Session id taken' },
  mockOfFile: { status: 409, message: 'Mock served from a file' },
  payloadTooLarge: { status: 413, message: 'Payload too large' },
  unsupportedMediaType: { status: 415, message: 'Unsupported media type' },
  idempotencyKeyReused: { status: 422, message: 'Idempotency-Key reused' },
  ruleTypeUpdateNotAllowed: { status: 405, message: 'Rule Type update not allowed' },
  rulePayloadInvalid: { status: 400, message: 'Rule Payload is invalid' },
  groupNameRequired: { status: 400, message: 'Group Name Required' },
  groupPayloadInvalid: { status: 400, message: 'Invalid Group Payload' },
  mockPayloadInvalid: { status: 400, message: 'Mock Payload is invalid' },
  gatewayPayloadInvalid: { status: 400, message: 'Gateway Payload is invalid' },
  mockIdTaken: { status: 409, message: 'Mock id taken' },
  importInvalid: { status: 400, message: 'Import is invalid' },
  nothingRecorded: { status: 400, message: 'Nothing recorded' },
  rulePairsInvalid: { status: 400, message: 'Rule pairs are invalid' },
  limitReached: { status: 403, message: 'Limit reached' },
  preconditionFailed: { status: 412, message: 'Precondition failed' },
  storageFull: { status: 503, message: 'Storage full', retryAfterSeconds: 10 },
  storeUnavailable: { status: 503, message: 'Store unavailable', retryAfterSeconds: 1 },
  overloaded: { status: 503, message: 'Service overloaded', retryAfterSeconds: 1 },
  ownerReset: { status: 503, message: 'Service recovering', retryAfterSeconds: 1 },
  serverError: { status: 500, message: 'server error' },
} as const satisfies Record<string, RefusalKindFacts>;

export type RefusalKind = keyof typeof CATALOGUE;

export const REFUSALS: Readonly<Record<RefusalKind, RefusalKindFacts>> = CATALOGUE;

/**
 * A refused request, with its mistakes.
 *
 * A class, so that no data of a client can be mistaken for one: `{"refused": ...}` is a valid body. Messages between
 * threads lose classes: they carry the fields, and the receiver makes a new instance.
 */
export class Refusal {
  readonly kind: RefusalKind;
  readonly details: readonly Detail[] | undefined;
  /** Appended to the catalogue's message after a colon: the limit, in refusals of limits; what to do instead. */
  readonly reason: string | undefined;
  /** Whether what is not found was there, and has expired. */
  readonly hasExpired: boolean;

  constructor(kind: RefusalKind, details?: readonly Detail[], reason?: string, hasExpired = false) {
    this.kind = kind;
    this.details = details;
    this.reason = reason;
    this.hasExpired = hasExpired;
  }

  get message(): string {
    const { message } = REFUSALS[this.kind];
    return this.reason === undefined ? message : `${message}: ${this.reason}`;
  }
}

export function refuse(kind: RefusalKind, details?: readonly Detail[]): Refusal {
  return new Refusal(kind, details);
}

/**
 * @param reason The limit and its value: "1000 pairs per rule".
 * @param bound  The part of it that follows "more than" in `details`, where `path` names the rest: "1000 characters" of
 *   "name of 1000 characters".
 */
export function refuseLimit(reason: string, path?: string, bound = reason): Refusal {
  const details = path === undefined ? undefined : [{ path, message: `more than ${bound}` }];
  return new Refusal('limitReached', details, reason);
}

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}

/** The store cannot be reached now, and nothing was written; a later request may find it again. */
export class StoreUnavailableError extends Error {}
