/**
 * Every refusal that a client of the API can get: its status, its message and, where waiting helps, when to retry.
 *
 * Refusals are told apart by `kind`, never by their text. They are listed in the order in which they are checked
 * (decisions.md, "Order of checks"). The README's error table is held against this catalogue by a test.
 */

/** One thing that is wrong. `path` is a JSON pointer into the body, or the name of a header or query parameter. */
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
  payloadTooLarge: { status: 413, message: 'Payload too large' },
  unsupportedMediaType: { status: 415, message: 'Unsupported media type' },
  idempotencyKeyReused: { status: 422, message: 'Idempotency-Key reused' },
  ruleTypeUpdateNotAllowed: { status: 405, message: 'Rule Type update not allowed' },
  rulePayloadInvalid: { status: 400, message: 'Rule Payload is invalid' },
  groupNameRequired: { status: 400, message: 'Group Name Required' },
  groupPayloadInvalid: { status: 400, message: 'Invalid Group Payload' },
  mockPayloadInvalid: { status: 400, message: 'Mock Payload is invalid' },
  rulePairsInvalid: { status: 400, message: 'Rule pairs are invalid' },
  limitReached: { status: 403, message: 'Limit reached' },
  preconditionFailed: { status: 412, message: 'Precondition failed' },
  storageFull: { status: 503, message: 'Storage full', retryAfterSeconds: 10 },
  overloaded: { status: 503, message: 'Service overloaded', retryAfterSeconds: 1 },
  ownerReset: { status: 503, message: 'Service recovering', retryAfterSeconds: 1 },
  serverError: { status: 500, message: 'server error' },
} as const satisfies Record<string, RefusalKindFacts>;

export type RefusalKind = keyof typeof CATALOGUE;

export const REFUSALS: Readonly<Record<RefusalKind, RefusalKindFacts>> = CATALOGUE;

/**
 * A request that was refused, with what is wrong with it.
 *
 * A class, so that nothing a client sends can pass for one: a body is data, and `{"refused": ...}` is a body too. Threads
 * lose classes in the clone: between threads its fields travel, and the receiver makes a new one.
 */
export class Refusal {
  readonly kind: RefusalKind;
  readonly details: readonly Detail[] | undefined;
  /** Follows the catalogue's message after a colon; for limits, which the message names. */
  readonly reason: string | undefined;

  constructor(kind: RefusalKind, details?: readonly Detail[], reason?: string) {
    this.kind = kind;
    this.details = details;
    this.reason = reason;
  }

  get message(): string {
    const { message } = REFUSALS[this.kind];
    return this.reason === undefined ? message : `${message}: ${this.reason}`;
  }
}

export function refuse(kind: RefusalKind, details?: readonly Detail[]): Refusal {
  return new Refusal(kind, details);
}

/** `reason` names the limit and its value: "1000 pairs per rule". */
export function refuseLimit(reason: string, path?: string): Refusal {
  return new Refusal(
    'limitReached',
    path === undefined ? undefined : [{ path, message: `more than ${reason}` }],
    reason,
  );
}

export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}
