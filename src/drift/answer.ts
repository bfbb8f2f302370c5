/** An answer as it is compared: its status, its media type, and its body as JSON where it is that. */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { bufferOf } from '../base/bytes.ts';
import { DRIFT_BODY_BYTES_MAX } from '../limits.ts';
import type { HeaderLine } from '../model/mocks/definition/definition.ts';
import { essenceOf } from '../model/mocks/definition/media-type.ts';

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** A Buffer loses its class between threads. */
  readonly body: Uint8Array;
  /** Whether there is more of the body. */
  readonly isPartial?: boolean;
}

export type Body =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** Its media type is that of JSON, and it is not. */
  | { readonly kind: 'brokenJson'; readonly bytes: Buffer };

/** "" without one. */
export function mediaTypeText({ headers }: Answer): string {
  const line = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  return line === undefined ? '' : essenceOf(line.value);
}

const JSON_TYPE = /^(?:application|text)\/(?:[^;\s]+\+)?json$/;

/** @returns Undefined when it is encoded in a way that cannot be undone. */
export function bodyOf(answer: Answer): Body | undefined {
  const bytes = plainBody(answer);
  if (bytes === undefined) return undefined;
  const type = mediaTypeText(answer);
  const isJson = JSON_TYPE.test(type);
  // Without a type, what reads as an object or an array is one.
  if (bytes.length === 0 || (!isJson && (type !== '' || !/^\s*[{[]/.test(bytes.toString('latin1', 0, 100)))))
    return { kind: 'bytes', bytes };
  try {
    return { kind: 'json', value: JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) };
  } catch {
    return { kind: isJson ? 'brokenJson' : 'bytes', bytes };
  }
}

/** The service is asked for a plain body; some send another one still. @returns Undefined as for `bodyOf`. */
export function plainBody({ headers, body }: Pick<Answer, 'headers' | 'body'>): Buffer | undefined {
  const bytes = bufferOf(body);
  const line = headers.find(({ name }) => name.toLowerCase() === 'content-encoding');
  const bound = { maxOutputLength: DRIFT_BODY_BYTES_MAX };
  try {
    switch (line?.value.trim().toLowerCase() ?? 'identity') {
      case 'identity':
      case '':
        return bytes;
      case 'gzip':
      case 'x-gzip':
        return gunzipSync(bytes, bound);
      case 'deflate':
        return inflateSync(bytes, bound);
      case 'br':
        return brotliDecompressSync(bytes, bound);
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
