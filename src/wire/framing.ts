/**
 * The headers that frame a request, held to one value of the plain form, before any handler runs.
 *
 * This build of uWebSockets.js accepts framing that other servers along the way read differently (README, "Limits"), which is
 * how requests are smuggled.
 */

export interface Framing {
  host: string;
  hostCount: number;
  /** undefined when absent. */
  contentLength: number | undefined;
  /** Whether the body comes in chunks. */
  chunked: boolean;
  /** What is malformed, undefined while nothing is. */
  malformed: string | undefined;
}

const CONTENT_LENGTH = /^\d{1,10}$/;

/** Takes a header when it is one of these. */
export function readFramingHeader(framing: Framing, name: string, value: string): void {
  switch (name) {
    case 'host':
      framing.hostCount++;
      framing.host = value;
      break;
    case 'content-length':
      if (framing.contentLength !== undefined || !CONTENT_LENGTH.test(value)) framing.malformed = 'bad Content-Length';
      else framing.contentLength = Number(value);
      break;
    case 'transfer-encoding':
      if (framing.chunked || value.toLowerCase() !== 'chunked') framing.malformed = 'bad Transfer-Encoding';
      else framing.chunked = true;
      break;
  }
}

/** To be called when all headers were read. */
export function checkFraming(framing: Framing, path: string): void {
  if (path.charCodeAt(0) !== 0x2f) framing.malformed ??= 'the request target is no path';
  if (framing.hostCount !== 1 || framing.host === '') framing.malformed = 'exactly one Host header is needed';
  if (framing.chunked && framing.contentLength !== undefined) {
    framing.malformed = 'both Content-Length and Transfer-Encoding';
  }
}
