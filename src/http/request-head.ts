/**
 * The guard that every request passes: reads the request line and the headers once, and finds what is malformed.
 *
 * This build of uWebSockets.js accepts framing that other servers along the way read differently (README, "Limits"), which is
 * how requests are smuggled: so framing headers are held to one value of the plain form, before any handler runs. Only the
 * headers the API uses are kept. Runs once per request: a header costs a switch on its name.
 */
import type { HttpRequest } from 'uWebSockets.js';

export class RequestHead {
  method = '';
  /** As received: starts with "/", percent-encoding left as it is, no query. */
  path = '';
  /** As received, without "?"; "" when absent. */
  query = '';
  host = '';
  /** undefined when absent. */
  contentLength: number | undefined;
  /** Whether the body comes in chunks. */
  chunked = false;
  contentType: string | undefined;
  apiKey: string | undefined;
  authorization: string | undefined;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  origin: string | undefined;
  requestId: string | undefined;
  /** What is malformed, undefined while nothing is. */
  malformed: string | undefined;

  get hasBody(): boolean {
    return this.chunked || (this.contentLength ?? 0) > 0;
  }
}

const CONTENT_LENGTH = /^\d{1,10}$/;

/** Reads the whole head. `malformed` names one violation when there is any; the rest may then be missing. */
export function readHead(req: HttpRequest): RequestHead {
  const head = new RequestHead();
  head.method = req.getCaseSensitiveMethod();
  head.path = req.getUrl();
  head.query = req.getQuery() ?? '';
  if (head.path.charCodeAt(0) !== 0x2f) head.malformed = 'the request target is no path';
  let hosts = 0;
  req.forEach((name, value) => {
    switch (name) {
      case 'host':
        hosts++;
        head.host = value;
        break;
      case 'content-length':
        if (head.contentLength !== undefined || !CONTENT_LENGTH.test(value)) head.malformed = 'bad Content-Length';
        else head.contentLength = Number(value);
        break;
      case 'transfer-encoding':
        if (head.chunked || value.toLowerCase() !== 'chunked') head.malformed = 'bad Transfer-Encoding';
        else head.chunked = true;
        break;
      case 'x-api-key':
        if (head.apiKey !== undefined) head.malformed = 'more than one x-api-key';
        else head.apiKey = value;
        break;
      case 'content-type':
        if (head.contentType !== undefined) head.malformed = 'more than one Content-Type';
        else head.contentType = value;
        break;
      case 'idempotency-key':
        if (head.idempotencyKey !== undefined) head.malformed = 'more than one Idempotency-Key';
        else head.idempotencyKey = value;
        break;
      case 'if-match':
        head.ifMatch = head.ifMatch === undefined ? value : `${head.ifMatch},${value}`;
        break;
      case 'authorization':
        head.authorization = value;
        break;
      case 'origin':
        head.origin = value;
        break;
      case 'x-request-id':
        head.requestId = value;
        break;
    }
  });
  if (hosts !== 1 || head.host === '') head.malformed = 'exactly one Host header is needed';
  if (head.chunked && head.contentLength !== undefined) head.malformed = 'both Content-Length and Transfer-Encoding';
  return head;
}
