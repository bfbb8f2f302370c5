/** A file that is imported, and how it is sent. */
import type { SendOptions } from './transport.ts';

/**
 * @param file  Its text, its bytes, or its content.
 * @param query Its members are parameters of the query.
 */
export function fileOptions(file: string | Uint8Array | object, query: object): SendOptions {
  const sent = typeof file === 'string' || file instanceof Uint8Array ? { file } : { body: file };
  return { ...sent, query: { ...query } };
}
