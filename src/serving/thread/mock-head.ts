/**
 * The guard that every request to a mock passes: reads the request line and the headers once, and finds what is malformed.
 *
 * Framing: wire/framing.ts. Every header is kept, for rules, templates and traffic. One object per thread is filled again and again: a request that is answered at once allocates nothing for it. One
 * that waits keeps it until it is finished, and the next request is read into another.
 */
import type { HttpRequest } from 'uWebSockets.js';
import { checkFraming, readFramingHeader, type Framing, type GoodHost } from '../../wire/framing.ts';

export class MockHead implements Framing {
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
  chunked = false;
  isLast = false;
  /** `x-mock-id` */
  mockId: string | undefined;
  origin: string | undefined;
  /** `access-control-request-method`, and `-headers`. */
  corsMethod: string | undefined;
  corsHeaders: string | undefined;
  /** Names in lower case and values, alternating, in the order received. */
  headers: string[] = [];
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

  get isHead(): boolean {
    return this.method === 'HEAD';
  }

  get isPreflight(): boolean {
    return this.method === 'OPTIONS' && this.origin !== undefined && this.corsMethod !== undefined;
  }
}

let head = new MockHead();
/** Texts in `head.headers` so far. */
let count = 0;
/** Heads of requests that are finished. */
const spares: MockHead[] = [];
const SPARES_MAX = 64;

/** The request that was read last keeps its head: the next one is read into another. */
export function keepHead(): void {
  head = spares.pop() ?? new MockHead();
}

/** Gives back what was kept. Nothing of it may be looked at from now on. */
export function releaseHead(kept: MockHead): void {
  if (spares.length < SPARES_MAX) spares.push(kept);
}

/**
 * Reads the whole head. `malformed` is set on the first violation.
 *
 * @param method As received: the router knows it already, and asking the request for it makes a text each time.
 * @returns The same object each time, unless it is kept.
 */
export function readMockHead(req: HttpRequest, method: string): MockHead {
  head.method = method;
  head.path = req.getUrl();
  head.query = req.getQuery() ?? '';
  head.host = '';
  head.contentLength = undefined;
  head.chunked = false;
  head.isLast = false;
  head.mockId = undefined;
  head.origin = undefined;
  head.corsMethod = undefined;
  head.corsHeaders = undefined;
  head.malformed = undefined;
  head.hostCount = 0;
  count = 0;
  req.forEach(readHeader);
  // To empty an array is to have its memory allocated anew: most requests have as many headers as the one before.
  if (head.headers.length !== count) head.headers.length = count;
  checkFraming(head);
  // The same text in each record of the mock: two that are one object are compared without a look at their characters.
  if (head.goodHost !== undefined && head.headers[0] === 'host') head.headers[1] = head.goodHost.text;
  return head;
}

function readHeader(name: string, value: string): void {
  head.headers[count++] = name;
  head.headers[count++] = value;
  switch (name) {
    case 'x-mock-id':
      head.mockId = value;
      break;
    case 'origin':
      head.origin = value;
      break;
    case 'access-control-request-method':
      head.corsMethod = value;
      break;
    case 'access-control-request-headers':
      head.corsHeaders = value;
      break;
    default:
      readFramingHeader(head, name, value);
  }
}
