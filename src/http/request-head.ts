/**
 * Reads the request line and the headers of every request once, and finds what is malformed.
 *
 * Framing: wire/framing.ts. Only the headers that the API uses are kept. Cost per request: one switch per header.
 */
import type { RequestHeadSent } from '../forward/envelope.ts';
import { FORWARDED_HEADER } from '../forward/peer-headers.ts';
import { checkFraming, Framing, readFramingHeader } from '../wire/framing.ts';
import type { HttpRequest } from '../wire/uws.ts';

export class RequestHead extends Framing {
  contentType: string | undefined;
  contentEncoding: string | undefined;
  acceptEncoding: string | undefined;
  apiKey: string | undefined;
  authorization: string | undefined;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  idempotencyKey: string | undefined;
  origin: string | undefined;
  /** Whether a browser says that the page of another site asks: for an image in it the browser sends no Origin. */
  isFromPage = false;
  requestId: string | undefined;
  /** The token of a request that another node has received (forward/peer-headers.ts), or what a client sent in its place. */
  forwarded: string | undefined;
  /** Where a stream goes on. */
  lastEventId: string | undefined;
  /** Whether the client asks for HTML, as browsers do. */
  acceptsHtml = false;
  /** The headers of the Model Context Protocol, by name; undefined without any. */
  mcp: Record<string, string> | undefined;
}

/** @param method Known to the caller. @returns The head; with a violation in `malformed`, the rest may be missing. */
export function readHead(req: HttpRequest, method: string): RequestHead {
  const head = new RequestHead();
  head.method = method;
  head.path = req.getUrl();
  head.query = req.getQuery() ?? '';
  req.forEach((name, value) => readHeader(head, name, value));
  checkFraming(head);
  return head;
}

/** The head that another node has received. How its body comes is said by `bodyBytes` alone. */
export function readForwardedHead({ method, path, query, headers, bodyBytes }: RequestHeadSent): RequestHead {
  const head = new RequestHead();
  head.method = method;
  head.path = path;
  head.query = query;
  for (let index = 0; index < headers.length; index += 2)
    readHeader(head, headers[index] as string, headers[index + 1] as string);
  checkFraming(head);
  head.chunked = false;
  head.contentLength = bodyBytes;
  return head;
}

function readHeader(head: RequestHead, name: string, value: string): void {
  switch (name) {
    case 'x-api-key':
      if (head.apiKey !== undefined) head.malformed = 'more than one x-api-key';
      else head.apiKey = value;
      break;
    case 'content-type':
      if (head.contentType !== undefined) head.malformed = 'more than one Content-Type';
      else head.contentType = value;
      break;
    case 'content-encoding':
      head.contentEncoding = head.contentEncoding === undefined ? value : `${head.contentEncoding},${value}`;
      break;
    case 'idempotency-key':
      if (head.idempotencyKey !== undefined) head.malformed = 'more than one Idempotency-Key';
      else head.idempotencyKey = value;
      break;
    case 'if-match':
      head.ifMatch = head.ifMatch === undefined ? value : `${head.ifMatch},${value}`;
      break;
    case 'if-none-match':
      head.ifNoneMatch = head.ifNoneMatch === undefined ? value : `${head.ifNoneMatch},${value}`;
      break;
    case 'accept-encoding':
      head.acceptEncoding = head.acceptEncoding === undefined ? value : `${head.acceptEncoding},${value}`;
      break;
    case 'authorization':
      head.authorization = value;
      break;
    case 'origin':
      head.origin = value;
      break;
    case 'sec-fetch-site':
      head.isFromPage = value === 'cross-site' || value === 'same-site';
      break;
    case 'x-request-id':
      head.requestId = value;
      break;
    case 'last-event-id':
      head.lastEventId = value;
      break;
    case FORWARDED_HEADER:
      head.forwarded = value;
      break;
    case 'accept':
      if (value.includes('text/html')) head.acceptsHtml = true;
      break;
    case 'mcp-protocol-version':
    case 'mcp-method':
    case 'mcp-name':
      (head.mcp ??= {})[name] = value;
      break;
    default:
      readFramingHeader(head, name, value);
  }
}
