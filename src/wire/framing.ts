/**
 * The request line and the headers that frame a request. Each must have one value in its plain form, checked before any
 * handler runs.
 *
 * This build of uWebSockets.js accepts framing that other servers on the way read differently (docs/http.md); request
 * smuggling relies on such differences. What it parses itself and does not pass on is out of reach here: the sizes of
 * chunks, and the header lines after one that has no name.
 */

/** A well-formed Host. */
export interface ValidHost {
  readonly text: string;
  /** Names in this Host, remembered by the code that serves it, to save a lookup. */
  names: object | undefined;
}

/** Base of the heads that the servers read: http/request-head.ts, serving/thread/mock-head.ts. */
export class Framing {
  method = '';
  /** Path as received: starts with "/", percent-encoding left as it is, no query. */
  path = '';
  /** Query as received, without "?"; "" when absent. */
  query = '';
  host = '';
  hostCount = 0;
  /** undefined when it is malformed, or too long to be remembered. */
  validHost: ValidHost | undefined;
  /** undefined when absent. */
  contentLength: number | undefined;
  /** Whether the body comes in chunks. */
  chunked = false;
  /** Whether this is the last request of its connection: uWebSockets.js runs bytes after a `Connection: close` too. */
  isLast = false;
  /** Problem of a malformed head; undefined while nothing is. */
  malformed: string | undefined;

  /** Whether the connection cannot be used after the reply. */
  get closes(): boolean {
    // Bytes after the end of a chunked body would run as the next request: only request smuggling sends them.
    return this.chunked || this.isLast;
  }

  get hasBody(): boolean {
    return this.chunked || (this.contentLength ?? 0) > 0;
  }
}

const CONTENT_LENGTH = /^\d{1,10}$/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/**
 * A name or an address, and a port. Other servers differ on anything else: further parts of a URL, or a list of hosts.
 */
const HOST = /^(?:[\w.-]+|\[[\da-f.:]+\])(?::\d*)?$/i;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** The last well-formed Host, and others: most requests of a process name the same few. */
let lastHost: ValidHost = { text: '', names: undefined };
const validHosts = new Map<string, ValidHost>();
const VALID_HOSTS_MAX = 10_000;
const VALID_HOST_CHARS_MAX = 200;

/** Reads a header if it is one of these; ignores all others. */
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
    case 'connection':
      if (value !== 'keep-alive' && CLOSE.test(value)) framing.isLast = true;
      break;
  }
}

/** Call it when all headers are read. */
export function checkFraming(framing: Framing): void {
  const { method, path, host } = framing;
  if (method !== 'GET' && method !== 'POST') checkMethod(framing);
  if (path.charCodeAt(0) !== 0x2f) framing.malformed ??= 'the request target must be a path';
  framing.validHost = undefined;
  if (framing.hostCount !== 1 || host === '') framing.malformed = 'exactly one Host header is needed';
  else if (host === lastHost.text) framing.validHost = lastHost;
  else if (!findValidHost(framing)) framing.malformed ??= 'bad Host';
  if (framing.chunked && framing.contentLength !== undefined) {
    framing.malformed = 'both Content-Length and Transfer-Encoding';
  }
}

/** @returns Whether the Host is well-formed. */
function findValidHost(framing: Framing): boolean {
  const { host } = framing;
  let known = validHosts.get(host);
  if (known === undefined) {
    if (!HOST.test(host)) return false;
    if (host.length > VALID_HOST_CHARS_MAX) return true;
    if (validHosts.size >= VALID_HOSTS_MAX) validHosts.clear();
    known = { text: host, names: undefined };
    validHosts.set(host, known);
  }
  lastHost = known;
  framing.validHost = known;
  return true;
}

function checkMethod(framing: Framing): void {
  if (!TOKEN.test(framing.method)) framing.malformed ??= 'bad method';
  // A proxy that saw a success would turn into a tunnel: it would pass on bytes without checking further requests.
  else if (framing.method === 'CONNECT') framing.malformed ??= 'tunnels are not supported';
}
