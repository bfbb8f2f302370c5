/** A file that is imported, and how it is sent. */
import type { SendOptions } from './transport.ts';
import type { ImportSource } from './shapes.ts';

/** @param options Its members are parameters of the query. */
export function fileOptions(file: ImportSource, query: object): SendOptions {
  const sent = typeof file === 'string' || file instanceof Uint8Array ? { file } : { body: file };
  return { ...sent, query: { ...query } };
}
