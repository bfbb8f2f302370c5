/** Shared by the endpoints of imports and exports: bodies that are files, and their refusals. */
import { refuse, type Detail, type Refusal } from '../../errors.ts';
import { IMPORT_BODY_BYTES_MAX, IMPORT_MS } from '../../limits.ts';
import { Type } from '../../model/schema-type.ts';
import type { EndpointBody } from '../endpoint.ts';

const TOO_COMPLEX = {
  path: '',
  message: `too complex: it takes more than ${IMPORT_MS / 1_000} seconds or too much memory to read`,
};

/** The declaration of a body that is a file of any type, or a bundle of files. */
export const FILE_BODY = {
  schema: Type.Unknown({ description: 'The file itself, JSON or YAML, in any supported format.' }),
  bytesMax: IMPORT_BODY_BYTES_MAX,
  invalid: 'importInvalid',
  anyMediaType: true,
} as const satisfies Omit<EndpointBody<never>, 'read'>;

/** @param problem undefined when reading took too long. */
export function refuseImport(
  problem:
    | { readonly details: readonly Detail[]; readonly isOtherMedia?: true; readonly isTooLarge?: true }
    | undefined,
): Refusal {
  if (problem === undefined) return refuse('importInvalid', [TOO_COMPLEX]);
  const { details, isOtherMedia, isTooLarge } = problem;
  return refuse(isOtherMedia ? 'unsupportedMediaType' : isTooLarge ? 'payloadTooLarge' : 'importInvalid', details);
}
