/**
 * Every refusal of the API: its status, its message, what it means and, where waiting helps, when to retry.
 *
 * Code distinguishes refusals by `kind`, never by their text. They are listed in the order in which they are checked
 * (docs/api.md, "Order of checks"). The table in docs/api.md is made of this catalogue.
 */

/** One mistake in a request. `path` is a JSON pointer into the body, or the name of a header or query parameter. */
export interface Detail {
  readonly path: string;
  readonly message: string;
}

interface RefusalKindFacts {
  readonly status: number;
  readonly message: string;
  /** Meaning, for the table of docs/api.md: `npm run docs`. */
  readonly when: string;
  /** Seconds after which a retry makes sense; sent as `Retry-After`. The refused request had no effect. */
  readonly retryAfterSeconds?: number;
}

const NONE_HAS_IT = 'none has this id or name, or none any more';

const CATALOGUE = {
  malformedRequest: { status: 400, message: 'Bad Request', when: 'malformed framing' },
  hostNotAllowed: {
    status: 403,
    message: 'Host not allowed',
    when: 'a loopback address does not answer to this Host name: see `--allow-host`',
  },
  starting: { status: 503, message: 'Service starting', when: 'not ready yet: retry', retryAfterSeconds: 1 },
  draining: {
    status: 503,
    message: 'Service draining',
    when: 'the server stops: retry elsewhere',
    retryAfterSeconds: 2,
  },
  notFound: { status: 404, message: 'Not found', when: 'no such endpoint' },
  methodNotAllowed: { status: 405, message: 'Method not allowed', when: '`Allow` names the methods of this path' },
  unauthorized: {
    status: 401,
    message: 'Unauthorized action',
    when: "no key, an invalid, revoked or expired key, a role that may not do this, or another owner's record",
  },
  tooManyRequests: {
    status: 429,
    message: 'Too many requests',
    when: 'over `--rate-limit`, per key, or too many console codes; it had no effect',
    retryAfterSeconds: 1,
  },
  invalidGroupId: { status: 400, message: 'Invalid Group Id', when: 'not the form of a group id' },
  badRequest: {
    status: 400,
    message: 'Bad Request',
    when: 'an invalid query of a list, or an invalid `Idempotency-Key`',
  },
  mockNotFound: { status: 404, message: 'Mock not found', when: 'no mock of any owner has this id' },
  ruleNotFound: {
    status: 404,
    message: 'Rule not found',
    when: 'no rule of any owner has this id; for a batch, `details` names each',
  },
  groupNotFound: {
    status: 404,
    message: 'Group not found',
    when: "no group of any owner has this id, or a rule's `groupId` names none",
  },
  routeNotFound: { status: 404, message: 'Route not found', when: NONE_HAS_IT },
  responseNotFound: { status: 404, message: 'Response not found', when: NONE_HAS_IT },
  versionNotFound: { status: 404, message: 'Version not found', when: NONE_HAS_IT },
  scenarioNotFound: { status: 404, message: 'Scenario not found', when: NONE_HAS_IT },
  storeNotFound: { status: 404, message: 'Store not found', when: NONE_HAS_IT },
  itemNotFound: { status: 404, message: 'Item not found', when: NONE_HAS_IT },
  streamNotFound: { status: 404, message: 'Stream not found', when: NONE_HAS_IT },
  socketNotFound: { status: 404, message: 'WebSocket not found', when: NONE_HAS_IT },
  requestNotFound: { status: 404, message: 'Request not found', when: NONE_HAS_IT },
  sessionNotFound: {
    status: 404,
    message: 'Session not found',
    when: 'no live session has this id; for an hour after its end the message says `it has expired`, and `expired` is true',
  },
  exchangeNotFound: { status: 404, message: 'Exchange not found', when: NONE_HAS_IT },
  driftNotFound: { status: 404, message: 'Drift not found', when: NONE_HAS_IT },
  keyNotFound: { status: 404, message: 'Key not found', when: NONE_HAS_IT },
  keyInUse: { status: 409, message: 'Key in use', when: 'an admin tried to revoke the key of the request itself' },
  gatewayNotRunning: { status: 409, message: 'Gateway not running', when: 'start the server with `--gateway-port`' },
  sessionTaken: { status: 409, message: 'Session id taken', when: 'a live session has this id' },
  mockOfFile: {
    status: 409,
    message: 'Mock served from a file',
    when: 'edit the file that the message names',
  },
  payloadTooLarge: {
    status: 413,
    message: 'Payload too large',
    when: 'over `--body-max`, or over the limits of imports',
  },
  unsupportedMediaType: {
    status: 415,
    message: 'Unsupported media type',
    when: 'a body type other than JSON (for an import: an archive or a form), a `Content-Encoding`, a charset other than UTF-8',
  },
  idempotencyKeyReused: { status: 422, message: 'Idempotency-Key reused', when: 'the same key with another body' },
  ruleTypeUpdateNotAllowed: {
    status: 405,
    message: 'Rule Type update not allowed',
    when: 'a PUT or PATCH with another `ruleType`',
  },
  rulePayloadInvalid: {
    status: 400,
    message: 'Rule Payload is invalid',
    when: 'the body of a rule, a batch or an evaluation is wrong',
  },
  groupNameRequired: { status: 400, message: 'Group Name Required', when: 'a group without a name' },
  groupPayloadInvalid: { status: 400, message: 'Invalid Group Payload', when: 'the body of a group is wrong' },
  mockPayloadInvalid: {
    status: 400,
    message: 'Mock Payload is invalid',
    when: 'the body of a mock is wrong; `details` names route, response and field',
  },
  gatewayPayloadInvalid: {
    status: 400,
    message: 'Gateway Payload is invalid',
    when: 'settings, a session or a query of the gateway are wrong',
  },
  mockIdTaken: { status: 409, message: 'Mock id taken', when: 'a mock of any owner has the id that was chosen' },
  importInvalid: {
    status: 400,
    message: 'Import is invalid',
    when: 'the file cannot be read or has an unknown format; `details` says where',
  },
  nothingRecorded: {
    status: 400,
    message: 'Nothing recorded',
    when: 'the recording has no exchange that can be staged or checked',
  },
  rulePairsInvalid: { status: 400, message: 'Rule pairs are invalid', when: 'pairs that do not fit the rule type' },
  limitReached: { status: 403, message: 'Limit reached', when: 'the message names the limit' },
  preconditionFailed: {
    status: 412,
    message: 'Precondition failed',
    when: '`If-Match` no longer holds: somebody else changed the record',
  },
  storageFull: {
    status: 503,
    message: 'Storage full',
    when: 'not tried: delete something, or free disk space',
    retryAfterSeconds: 10,
  },
  storeUnavailable: {
    status: 503,
    message: 'Store unavailable',
    when: 'not tried: PostgreSQL cannot be reached; retry',
    retryAfterSeconds: 1,
  },
  overloaded: {
    status: 503,
    message: 'Service overloaded',
    when: 'not tried: too much is waiting, for one owner or in all; retry',
    retryAfterSeconds: 1,
  },
  ownerReset: {
    status: 503,
    message: 'Service recovering',
    when: 'not tried, because a write before it failed; retry',
    retryAfterSeconds: 1,
  },
  serverError: {
    status: 500,
    message: 'server error',
    when: 'tried, with an unknown outcome: repeat it with an `Idempotency-Key`',
  },
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
