/** Failures in WireMock's own shape: its clients read nothing else. */
import type { Refusal } from '../../../errors.ts';

/** WireMock's code for an invalid body. */
const CODE_INVALID = 10;
/** WireMock's code for an unsupported feature. */
export const CODE_UNSUPPORTED = 60;

interface WireMockError {
  readonly code: number;
  /** JSON pointer into the body. */
  readonly source?: { readonly pointer: string };
  readonly title: string;
  readonly detail?: string;
}

export class Failure {
  readonly status: number;
  readonly errors: readonly WireMockError[];

  constructor(status: number, errors: readonly WireMockError[]) {
    this.status = status;
    this.errors = errors;
  }
}

export function fail(status: number, title: string, detail?: string, pointer?: string): Failure {
  const source = pointer === undefined ? {} : { source: { pointer } };
  const code = status === 422 ? CODE_UNSUPPORTED : CODE_INVALID;
  return new Failure(status, [{ code, ...source, title, ...(detail === undefined ? {} : { detail }) }]);
}

export const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** @returns undefined for a UUID. */
export function invalidId(id = ''): Failure | undefined {
  return UUID.test(id) ? undefined : fail(400, `${id} is not a valid UUID`);
}

export function errorsOfRefusal({ message, details = [] }: Refusal): string {
  const errors = details.map(({ path, message: detail }): WireMockError => {
    const source = path.startsWith('/') ? { source: { pointer: path } } : {};
    return {
      code: CODE_INVALID,
      ...source,
      title: message,
      detail: path.startsWith('/') ? detail : `${path} ${detail}`.trim(),
    };
  });
  return JSON.stringify({ errors: errors.length === 0 ? [{ code: CODE_INVALID, title: message }] : errors });
}
