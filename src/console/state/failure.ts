/** The failure of a request, for display. */
import { SwitchyardError } from '../../client/switchyard-error.ts';
import type { Detail } from '../../errors.ts';

export interface Failure {
  /** 0: no answer. */
  readonly status: number;
  readonly message: string;
  readonly details: readonly Detail[];
  /** Finds it in the server's log. */
  readonly requestId: string | undefined;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof SwitchyardError) {
    const { status, refusal, details, requestId } = error;
    return { status, message: status === 0 ? 'The server is not responding.' : refusal, details, requestId };
  }
  return {
    status: 0,
    message: error instanceof Error ? error.message : String(error),
    details: [],
    requestId: undefined,
  };
}

/** Whether the server may recover: away, starting, stopping, or overloaded. */
export const isPassing = ({ status }: Failure): boolean => status === 0 || status === 502 || status === 503;

/** Whether another version has replaced the record. */
export const isRefusedByTag = (failure: Failure | undefined): boolean => failure?.status === 412;
