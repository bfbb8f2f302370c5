/** Heads of requests to the gateway: only those pass that every server on the way reads in the same way. */
import type { IncomingMessage } from 'node:http';
import { originAt } from '../../base/known-origins.ts';
import { sessionOfBaggage, sessionOfCookies } from '../../model/mocks/sessions/named-session.ts';
import type { Tunnel } from './tunnels.ts';

const LINES_MAX = 200;

export interface GatewayTarget {
  /** URL as sent, one character for each byte. */
  readonly url: string;
  readonly origin: URL;
  /** Path for the upstream. */
  readonly path: string;
  /** The address of the client, of a request that another node has received. */
  readonly client?: string | undefined;
}

const ABSOLUTE = /^(https?:\/\/)([^/?#]*)([^#]*)$/i;
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/** @param client As in the target. @returns What is wrong where it is a text. */
export function readTarget(
  { url: asked = '', rawHeaders, httpVersion }: IncomingMessage,
  client: string | undefined,
): GatewayTarget | string {
  // Handshakes of WebSockets are requests of HTTP.
  const url = /^wss?:/i.test(asked) ? `http${asked.slice(2)}` : asked;
  if (url.startsWith('/') || url === '*') {
    return 'this is a proxy port: configure it as the HTTP proxy of the client, which then sends the absolute URL';
  }
  const problem = problemOfLines(rawHeaders, httpVersion);
  if (problem !== undefined) return problem;
  if (url.includes('#')) return 'the target has a "#"';
  const [, scheme = '', authority = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
  if (scheme === '') return 'the target must be an http or https URL';
  const origin = originOf(scheme, authority);
  if (origin === undefined) return 'the host of the target is invalid, or contains a user name';
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) return 'exactly one Host header is needed';
  if (hosts[0] !== authority && originOf(scheme, hosts[0] as string)?.host !== origin.host)
    return 'the host of the target differs from the Host header';
  return { url, origin, path: rest.startsWith('/') ? rest : `/${rest}`, client };
}

/** The same of a request over a tunnel, which names a path alone. */
export function readTunnelTarget(
  { url = '', rawHeaders, httpVersion }: IncomingMessage,
  { scheme, authority }: Pick<Tunnel, 'scheme' | 'authority'>,
  client: string | undefined,
): GatewayTarget | string {
  if (!url.startsWith('/')) return 'a request in a tunnel must have a path';
  const problem = problemOfLines(rawHeaders, httpVersion);
  if (problem !== undefined) return problem;
  if (url.includes('#')) return 'the target has a "#"';
  const origin = originOf(`${scheme}://`, authority);
  const hosts = valuesOf(rawHeaders, 'host');
  if (hosts.length !== 1) return 'exactly one Host header is needed';
  if (origin === undefined || originOf(`${scheme}://`, hosts[0] as string)?.host !== origin.host) {
    return 'the host of the tunnel differs from the Host header';
  }
  return { url: `${origin.origin}${url}`, origin, path: url, client };
}

/**
 * The session that a request names itself: in `x-mock-session`, or else in `baggage`, or else in a cookie. That of the credentials
 * goes before it, since no page can change those.
 */
export function sessionNamedIn({ headers }: IncomingMessage): string | undefined {
  const { 'x-mock-session': own, baggage, cookie } = headers as Readonly<Record<string, string | undefined>>;
  if (own !== undefined && own !== '') return own.split(',')[0]?.trim();
  const inBaggage = baggage === undefined ? undefined : sessionOfBaggage(baggage);
  return inBaggage ?? (cookie === undefined ? undefined : sessionOfCookies(cookie));
}

function originOf(scheme: string, authority: string): URL | undefined {
  return AUTHORITY.test(authority) ? originAt(`${scheme}${authority}`) : undefined;
}

function problemOfLines(raw: readonly string[], httpVersion: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'the version must be HTTP/1.1';
  if (raw.length > 2 * LINES_MAX) return `more than ${LINES_MAX} header lines`;
  const codings = valuesOf(raw, 'transfer-encoding');
  if (codings.length === 0) return undefined;
  if (httpVersion === '1.0') return 'HTTP/1.0 has no transfer codings';
  return codings.length === 1 && codings[0]?.toLowerCase() === 'chunked'
    ? undefined
    : 'the only transfer coding is chunked';
}

function valuesOf(raw: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const each = raw[index] as string;
    if (each.length === name.length && each.toLowerCase() === name) values.push(raw[index + 1] as string);
  }
  return values;
}
