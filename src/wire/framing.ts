/**
 * The request line and the headers that frame a request, held to one value of the plain form, before any handler runs.
 *
 * This build of uWebSockets.js accepts framing that other servers along the way read differently (README, "Limits"), which is
 * how requests are smuggled. What it reads itself, and hands on to nobody, is out of reach here: the sizes of chunks, and the header
 * lines behind one that has no name.
 */

/** A Host that was found well-formed. */
export interface GoodHost {
  readonly text: string;
  /** What whoever serves it has found it to name: noted here, it is found without another look. */
  names: object | undefined;
}

export interface Framing {
  method: string;
  path: string;
  host: string;
  hostCount: number;
  /** undefined when it is malformed, or too long to be remembered. */
  goodHost: GoodHost | undefined;
  /** undefined when absent. */
  contentLength: number | undefined;
  /** Whether the body comes in chunks. */
  chunked: boolean;
  /** Whether it is the last of its connection: uWebSockets.js runs what stands behind a `Connection: close` all the same. */
  isLast: boolean;
  /** What is malformed, undefined while nothing is. */
  malformed: string | undefined;
}

const CONTENT_LENGTH = /^\d{1,10}$/;
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
/** A name or an address, and a port. What a URL could have around them, or a list of them, is read differently by others. */
const HOST = /^(?:[\w.-]+|\[[\da-f.:]+\])(?::\d*)?$/i;
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** The Host that was found well-formed last, and others: most requests of a process name the same few. */
let lastHost: GoodHost = { text: '', names: undefined };
const goodHosts = new Map<string, GoodHost>();
const GOOD_HOSTS_MAX = 10_000;
const GOOD_HOST_CHARS_MAX = 200;

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
    case 'connection':
      if (value !== 'keep-alive' && CLOSE.test(value)) framing.isLast = true;
      break;
  }
}

/** To be called when all headers were read. */
export function checkFraming(framing: Framing): void {
  const { method, path, host } = framing;
  if (method !== 'GET' && method !== 'POST') checkMethod(framing);
  if (path.charCodeAt(0) !== 0x2f) framing.malformed ??= 'the request target is no path';
  framing.goodHost = undefined;
  if (framing.hostCount !== 1 || host === '') framing.malformed = 'exactly one Host header is needed';
  else if (host === lastHost.text) framing.goodHost = lastHost;
  else if (!findGoodHost(framing)) framing.malformed ??= 'bad Host';
  if (framing.chunked && framing.contentLength !== undefined) {
    framing.malformed = 'both Content-Length and Transfer-Encoding';
  }
}

/** @returns Whether the Host is well-formed. */
function findGoodHost(framing: Framing): boolean {
  const { host } = framing;
  let known = goodHosts.get(host);
  if (known === undefined) {
    if (!HOST.test(host)) return false;
    if (host.length > GOOD_HOST_CHARS_MAX) return true;
    if (goodHosts.size >= GOOD_HOSTS_MAX) goodHosts.clear();
    known = { text: host, names: undefined };
    goodHosts.set(host, known);
  }
  lastHost = known;
  framing.goodHost = known;
  return true;
}

function checkMethod(framing: Framing): void {
  if (!TOKEN.test(framing.method)) framing.malformed ??= 'bad method';
  // A proxy that saw it answered with success would hand on bytes, and look at no request behind it any more.
  else if (framing.method === 'CONNECT') framing.malformed ??= 'there are no tunnels here';
}
