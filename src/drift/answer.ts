/** An answer as it is compared: its status, its media type, and its body as JSON where it is that. */
import { bufferOf } from '../base/bytes.ts';
import type { HeaderLine } from '../model/mocks/definition/definition.ts';
import { essenceOf } from '../base/content-type.ts';

export interface Answer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** A Buffer loses its class between threads. */
  readonly body: Uint8Array;
  /** Why the body is not known. */
  readonly bodyOmitted?: 'tooLarge' | 'undecodable';
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

export function bodyOf(answer: Answer): Body {
  const bytes = bufferOf(answer.body);
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

/** Whether the body of a mock is in a content coding: that of the service comes without. */
export function isCoded({ headers }: Answer): boolean {
  const line = headers.find(({ name }) => name.toLowerCase() === 'content-encoding');
  return line !== undefined && !/^\s*(?:identity)?\s*$/i.test(line.value);
}
