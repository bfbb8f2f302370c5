/** Why a tool has not done what was asked, with what to do next. */
import type { Detail } from '../errors.ts';

interface ToolErrorData {
  readonly error: string;
  readonly status: number;
  readonly details?: readonly Detail[];
  readonly todo: string;
}

export class ToolError extends Error {
  override readonly name = 'ToolError';
  /** Status like that of an answer of the API. */
  readonly status: number;
  readonly details: readonly Detail[];
  /** Further members of the answer: what a change would do now. */
  readonly more: object;

  constructor(status: number, message: string, details: readonly Detail[] = [], more: object = {}) {
    super(message);
    this.status = status;
    this.details = details;
    this.more = more;
  }

  /** The error as a tool answers it. */
  get data(): ToolErrorData {
    const { status, message, details, more } = this;
    return { error: message, status, ...(details.length === 0 ? {} : { details }), todo: this.#todo, ...more };
  }

  get #todo(): string {
    // The API says what is wrong with a key.
    if (this.status === 401 && this.details.length === 0) return OF_ANOTHER_OWNER;
    return ADVICE[this.message] ?? BY_STATUS[this.status] ?? FIX_DETAILS;
  }
}

/** The advice where nothing but the details says more. */
export const FIX_DETAILS = 'Fix the mistakes in `details`, and call again.';

/** By the message of errors.ts. */
const ADVICE: Readonly<Record<string, string>> = {
  'Mock not found': 'Call mocks_list for the ids of mocks.',
  'Route not found': 'Call mocks_read for the routes of the mock; `copy` selects the copy.',
  'Response not found': 'Call mocks_read with `route` for its responses.',
  'Version not found': 'Call mocks_read with `what`: "versions" for the versions that are kept.',
  'Request not found': 'Call traffic_list: older requests are dropped, and a reset deletes all.',
  'Session not found':
    'It has ended or expired. Call mocks_read with `what`: "sessions", or sessions_create for a new one.',
  'Exchange not found': 'Call gateway_requests for the ids of the exchanges that are kept.',
  'Gateway not running': 'The server has no gateway: ask for a start with --gateway-port.',
  'Rule not found': 'Call rules_list for the ids of rules.',
  'Group not found': 'Call rules_list with kind "group" for the ids of groups.',
  'Mock served from a file': 'Edit the file that mocks_read names: the mock follows it. Or import a copy of it.',
  'Mock id taken': 'Choose another id, or leave it out.',
  'Session id taken': 'Choose another id, or leave it out.',
  'Import is invalid': 'Check the file at the places in `details`; `format` sets the format.',
};

const OF_ANOTHER_OWNER = 'It belongs to another owner: use an id from the lists.';

const BY_STATUS: Readonly<Record<number, string>> = {
  401: 'Ask for an editor key: this key may only read, or is no longer valid.',
  403: 'Delete records that are not needed, or ask the operator for a higher limit.',
  404: 'Check the id.',
  412: 'It has changed in the meantime. Read it again, and repeat the change on the current state.',
  413: 'Send less, or import the file with `switchyard import`.',
  429: 'Wait a second, and call again.',
  500: 'The change may have been made: read before you repeat it.',
  503: 'Nothing was done. Wait a second, and call again.',
};
