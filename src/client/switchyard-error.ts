/** The error of the client: a request was refused, or got no response. */
import type { Detail } from '../errors.ts';

export class SwitchyardError extends Error {
  override readonly name = 'SwitchyardError';
  /** The message of the refusal, exactly as docs/api.md lists it. */
  readonly refusal: string;
  /** The HTTP status; 0 when there was no response: then `cause` has the reason. */
  readonly status: number;
  /** The mistakes, one by one; empty when the message is complete. */
  readonly details: readonly Detail[];
  /** Identifies the request in the server's log; undefined when there was no response. */
  readonly requestId: string | undefined;

  /** @param refusal With the first details it makes the error's message: a test runner shows nothing else. */
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
