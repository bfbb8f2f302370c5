/**
 * Reads the request line and the headers of a request to a mock, once, and finds what is malformed (wire/framing.ts).
 *
 * Every header is kept, for conditions, templates and traffic. One object per thread is filled again and again, so a request
 * that is answered at once allocates nothing for it. A request that waits keeps the object until it is finished, and
 * the next request is read into another.
 */
import type { RequestHeadSent } from '../../forward/envelope.ts';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import { sessionOfBaggage, sessionOfCookies } from '../../model/mocks/sessions/named-session.ts';
import { checkFraming, Framing, readFramingHeader } from '../../wire/framing.ts';
import type { HttpRequest, HttpResponse } from '../../wire/uws.ts';
import { clientCertOf, FORWARDED_CERT_HEADER, type ClientCert } from '../matching/request/client-cert.ts';
import type { BoundTo } from '../shared/bound-port.ts';

export class MockHead extends Framing {
  /** `x-mock-id` */
  mockId: string | undefined;
  /** From `x-mock-session`, else from `baggage`, else from a cookie. */
  sessionId: string | undefined;
  baggage: string | undefined;
  cookies: string | undefined;
  isSessionOfCookie = false;
  origin: string | undefined;
  /** `access-control-request-method` and `access-control-request-headers`. */
  corsMethod: string | undefined;
  corsHeaders: string | undefined;
  /** The token of a request that another node has received (forward/peer-headers.ts): its head is in its body. */
  forwardToken: string | undefined;
  /** The address of its client, once the head of such a request is read. */
  forwardedIp: string | undefined;
  /** The mock port of this node, as others reach it, once the head of such a request is read. */
  homeAddress: string | undefined;
  /** This and the next: set by who knows the port, after it is read. It has a mock of its own. */
  boundTo: BoundTo | undefined;
  isSecure = false;
  clientCert: ClientCert | undefined;
  /** Mocks that it may mean and that were found not to exist: one of several nodes does not remember that for others. */
  absentIds: string[] | undefined;
  /** Names in lower case and values, alternating, in the order received. */
  headers: string[] = [];

  get isHead(): boolean {
    return this.method === 'HEAD';
  }

  get isPreflight(): boolean {
    return this.method === 'OPTIONS' && this.origin !== undefined && this.corsMethod !== undefined;
  }
}

let head = new MockHead();
/** Entries written to `head.headers` so far. */
let count = 0;
/** Heads of finished requests, for reuse. */
const spares: MockHead[] = [];
const SPARES_MAX = 64;

/** The request that was read last keeps its head: the next one is read into another. */
export function keepHead(): void {
  head = spares.pop() ?? new MockHead();
}

/** Returns a kept head for reuse. It must not be read from now on. */
export function releaseHead(kept: MockHead): void {
  if (spares.length < SPARES_MAX) spares.push(kept);
}

/**
 * Reads the whole head. `malformed` is set on the first violation.
 *
 * @param method As received. The router knows it already, and asking the request for it creates a string each time.
 * @returns The same object each time, unless it is kept.
 */
export function readMockHead(req: HttpRequest, method: string): MockHead {
  begin(method, req.getUrl(), req.getQuery() ?? '');
  req.forEach(readHeader);
  complete();
  return head;
}

/** Replaces a kept head by the one that another node has received. How the body comes is said by `bodyBytes` alone. */
export function readForwardedHead(kept: MockHead, sent: RequestHeadSent): void {
  const next = head;
  const { forwardToken: token, host: homeAddress } = kept;
  head = kept;
  begin(sent.method, sent.path, sent.query);
  const { headers } = sent;
  for (let index = 0; index < headers.length; index += 2)
    readHeader(headers[index] as string, headers[index + 1] as string);
  complete();
  head.chunked = false;
  head.contentLength = sent.bodyBytes;
  head.forwardToken = token;
  head.forwardedIp = sent.client;
  head.isSecure = sent.isSecure === true;
  if (sent.clientCert !== undefined) head.clientCert = clientCertOf(sent.clientCert);
  head.homeAddress = homeAddress;
  head = next;
}

/** Reads the certificate of a client at a port that asks for one, and adds the header that has it, which no client can write. */
export function readClientCert(kept: MockHead, res: HttpResponse): void {
  const { headers } = kept;
  for (let index = headers.length - 2; index >= 0; index -= 2)
    if (headers[index] === FORWARDED_CERT_HEADER) headers.splice(index, 2);
  kept.clientCert = clientCertOf(Buffer.from(res.getX509Certificate()).toString('latin1'));
  if (kept.clientCert !== undefined) headers.push(FORWARDED_CERT_HEADER, kept.clientCert.header);
}

function begin(method: string, path: string, query: string): void {
  head.method = method;
  head.path = path;
  head.query = query;
  head.host = '';
  head.contentLength = undefined;
  head.chunked = false;
  head.isLast = false;
  head.mockId = undefined;
  head.sessionId = undefined;
  head.baggage = undefined;
  head.cookies = undefined;
  head.isSessionOfCookie = false;
  head.origin = undefined;
  head.corsMethod = undefined;
  head.corsHeaders = undefined;
  head.forwardToken = undefined;
  head.forwardedIp = undefined;
  head.homeAddress = undefined;
  head.boundTo = undefined;
  head.absentIds = undefined;
  head.clientCert = undefined;
  head.malformed = undefined;
  head.hostCount = 0;
  count = 0;
}

function complete(): void {
  // Emptying an array makes it allocate its memory again: most requests have as many headers as the one before.
  if (head.headers.length !== count) head.headers.length = count;
  checkFraming(head);
  if (head.baggage !== undefined) head.sessionId ??= sessionOfBaggage(head.baggage);
  if (head.cookies !== undefined && head.sessionId === undefined) {
    head.sessionId = sessionOfCookies(head.cookies);
    head.isSessionOfCookie = head.sessionId !== undefined;
  }
  // The same string object in each record of the mock: identical objects compare equal without comparing characters.
  if (head.validHost !== undefined && head.headers[0] === 'host') head.headers[1] = head.validHost.text;
}

let forwardToken: string | undefined;

/** Sets the token of requests from other nodes; without one such a header has no meaning. */
export function trustForwards(token: string): void {
  forwardToken = token;
}

function readHeader(name: string, value: string): void {
  head.headers[count++] = name;
  head.headers[count++] = value;
  switch (name) {
    case 'x-mock-id':
      head.mockId = value;
      break;
    case 'x-mock-session':
      head.sessionId ??= value;
      break;
    case 'baggage':
      head.baggage = head.baggage === undefined ? value : `${head.baggage},${value}`;
      break;
    case 'cookie':
      head.cookies = head.cookies === undefined ? value : `${head.cookies};${value}`;
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
    case FORWARDED_HEADER:
      if (value === forwardToken) head.forwardToken = value;
      break;
    default:
      readFramingHeader(head, name, value);
  }
}
