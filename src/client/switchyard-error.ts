/** The one error of the client: a request that was refused, or had no answer. */
import type { Detail } from '../errors.ts';

export class SwitchyardError extends Error {
  override readonly name = 'SwitchyardError';
  /** The HTTP status; 0 when there was no answer: then `cause` says why. */
  readonly status: number;
  /** What is wrong, thing by thing; empty when the message says it all. */
  readonly details: readonly Detail[];
  /** Finds the request in the server's log; undefined when there was no answer. */
  readonly requestId: string | undefined;

  /** @param message The refusal's own, exactly as the README lists it; details are not part of it. */
  constructor(
    message: string,
    facts: { status: number; details?: readonly Detail[]; requestId?: string | undefined; cause?: unknown },
  ) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
  }
}
