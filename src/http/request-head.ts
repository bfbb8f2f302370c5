/**
 * The guard that every request passes: reads the request line and the headers once, and finds what is malformed.
 *
 * Framing: wire/framing.ts. Only the headers the API uses are kept. Runs once per request: a header costs a switch on its name.
 */
import type { HttpRequest } from 'uWebSockets.js';
import { checkFraming, readFramingHeader, type Framing, type GoodHost } from '../wire/framing.ts';

export class RequestHead implements Framing {
  method = '';
  /** As received: starts with "/", percent-encoding left as it is, no query. */
  path = '';
  /** As received, without "?"; "" when absent. */
  query = '';
  host = '';
  hostCount = 0;
  goodHost: GoodHost | undefined;
  /** undefined when absent. */
  contentLength: number | undefined;
  /** Whether the body comes in chunks. */
  chunked = false;
  isLast = false;
  contentType: string | undefined;
  apiKey: string | undefined;
  authorization: string | undefined;
  ifMatch: string | undefined;
  idempotencyKey: string | undefined;
  origin: string | undefined;
  requestId: string | undefined;
  /** What is malformed, undefined while nothing is. */
  malformed: string | undefined;

  /** Whether the connection cannot be used after the reply. */
  get closes(): boolean {
    // Bytes behind the end of a chunked body would run as the next request: nobody but a smuggler sends them.
    return this.chunked || this.isLast;
  }

  get hasBody(): boolean {
    return this.chunked || (this.contentLength ?? 0) > 0;
  }
}

/** Reads the whole head but the method, which it is told. `malformed` names one violation when there is any; the rest may then be missing. */
export function readHead(req: HttpRequest, method: string): RequestHead {
  const head = new RequestHead();
  head.method = method;
  head.path = req.getUrl();
  head.query = req.getQuery() ?? '';
  req.forEach((name, value) => {
    switch (name) {
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
      default:
        readFramingHeader(head, name, value);
    }
  });
  checkFraming(head);
  return head;
}
