/** Failures in mountebank's own shape: its clients read nothing else. */
import type { Refusal, RefusalKind } from '../../../errors.ts';
import { FailedAnswer } from '../failed-answer.ts';

export interface MountebankError {
  readonly code: string;
  readonly message: string;
  /** What is wrong, as it was sent. */
  readonly source?: unknown;
  /** JSON pointer into the stub, where our importer names the place. */
  readonly pointer?: string;
}

export class Failure extends FailedAnswer<MountebankError> {}

export const BAD_DATA = 'bad data';
export const INVALID_INJECTION = 'invalid injection';

export function fail(status: number, code: string, message: string): Failure {
  return new Failure(status, [{ code, message }]);
}

export function badData(message: string, status = 400): Failure {
  return fail(status, BAD_DATA, message);
}

export function missing(message: string): Failure {
  return fail(404, 'no such resource', message);
}

const ERRORS_MAX = 100;
const SOURCES_CHARS_MAX = 262_144;

/** The first ones. Each has its whole stub as its source: of large ones it is left out. */
export function shownErrors(errors: readonly MountebankError[]): readonly MountebankError[] {
  let chars = 0;
  return errors.slice(0, ERRORS_MAX).map(({ source, ...error }) => {
    if (chars <= SOURCES_CHARS_MAX) chars += JSON.stringify(source)?.length ?? 0;
    return chars > SOURCES_CHARS_MAX ? error : { ...error, source };
  });
}

const CODES: Readonly<Partial<Record<RefusalKind, string>>> = {
  unauthorized: 'unauthorized',
  notFound: 'no such resource',
  mockNotFound: 'no such resource',
  sessionNotFound: 'no such resource',
  sessionTaken: 'resource conflict',
  mockIdTaken: 'resource conflict',
  tooManyRequests: 'communication',
  overloaded: 'communication',
};

export function errorsOfRefusal({ kind, message, details = [] }: Refusal): string {
  const code = CODES[kind] ?? BAD_DATA;
  const texts = details.map((detail) => `${message}: ${`${detail.path} ${detail.message}`.trim()}`);
  return JSON.stringify({ errors: (texts.length === 0 ? [message] : texts).map((text) => ({ code, message: text })) });
}
