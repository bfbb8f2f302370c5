/** The one error of the client: a request that was refused, or had no answer. */
import type { Detail } from '../errors.ts';

export class SwitchyardError extends Error {
  override readonly name = 'SwitchyardError';
  /** The refusal's own message, exactly as the README lists it. */
  readonly refusal: string;
  /** The HTTP status; 0 when there was no answer: then `cause` says why. */
  readonly status: number;
  /** What is wrong, thing by thing; empty when the message says it all. */
  readonly details: readonly Detail[];
  /** Finds the request in the server's log; undefined when there was no answer. */
  readonly requestId: string | undefined;

  /** @param refusal The error's message is made of it and of the first details: a test runner shows no more. */
  constructor(
    refusal: string,
    facts: { status: number; details?: readonly Detail[]; requestId?: string | undefined; cause?: unknown },
  ) {
    super(messageOf(refusal, facts.details ?? []), facts.cause === undefined ? undefined : { cause: facts.cause });
    this.refusal = refusal;
    this.status = facts.status;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
  }
}

const DETAILS_SHOWN = 3;

function messageOf(refusal: string, details: readonly Detail[]): string {
  if (details.length === 0) return refusal;
  const shown = details
    .slice(0, DETAILS_SHOWN)
    .map(({ path, message }) => (path === '' ? message : `${path} ${message}`));
  const more = details.length > DETAILS_SHOWN ? `; and ${details.length - DETAILS_SHOWN} more` : '';
  return `${refusal}: ${shown.join('; ')}${more}`;
}
