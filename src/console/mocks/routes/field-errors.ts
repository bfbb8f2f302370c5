/** Which field a refusal is about. Its details name fields by JSON pointers. */
import type { Failure } from '../../state/failure.ts';

/** @returns The message for a field, or for anything below it. */
export type ErrorAt = (pointer: string) => string | undefined;

export function errorsOf(failure: Failure | undefined): ErrorAt {
  const details = failure?.details ?? [];
  return (pointer) => {
    const found = details.filter(({ path }) => path === pointer || path.startsWith(`${pointer}/`));
    return found.length === 0 ? undefined : found.map(({ message }) => message).join('; ');
  };
}

export const below =
  (errorAt: ErrorAt, prefix: string): ErrorAt =>
  (pointer) =>
    errorAt(`${prefix}${pointer}`);
