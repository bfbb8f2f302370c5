/**
 * Tunnels of clients (`CONNECT`): their first byte says whether TLS follows, which ends here with a certificate for the host, or
 * plain HTTP. Those to hosts that the operator names are passed on unread.
 */
import { isIP, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Leafs } from '../ca/leafs.ts';
import type { Credential } from './credentials.ts';

/** What requests over a tunnel are for. */
export interface Tunnel {
  readonly credential: Credential;
  readonly scheme: 'http' | 'https';
  /** Host and port as they were asked for. */
  readonly authority: string;
}

/** How long a client may take until its tunnel can be used, its handshake included; and a tunnel that is passed on may be silent. */
const OPEN_MS = 60_000;
const SILENCE_MS = 300_000;

const TLS_HANDSHAKE = 0x16;
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const AUTHORITY = /^(?:[a-z0-9_.-]{1,253}|\[[\da-f:.]+\]):(\d{1,5})$/i;

/** What a tunnel is asked for to. */
export interface TunnelTo {
  /** As URLs have it: IPv6 in brackets. */
  readonly hostname: string;
  /** As connections are made to it. */
  readonly host: string;
  readonly port: number;
}

/** @returns Undefined for what is not a host and a port. */
export function parseAuthority(authority: string): TunnelTo | undefined {
  const [, digits] = AUTHORITY.exec(authority) ?? [];
  const port = Number(digits);
  if (digits === undefined || port < 1 || port > 65_535 || !URL.canParse(`http://${authority}`)) return undefined;
  const { hostname } = new URL(`http://${authority}`);
  return { hostname, host: hostname.replaceAll(/^\[|\]$/g, ''), port };
}

/**
 * Answers a tunnel that is not passed on.
 *
 * @param head What came behind the request for it.
 * @param onOpen Called with the connection that HTTP/1.1 is spoken over, and its scheme.
 */
export function openTunnel(
  socket: Socket,
  head: Buffer,
  { host, leafs }: { readonly host: string; readonly leafs: Leafs },
  onOpen: (connection: Socket, scheme: Tunnel['scheme']) => void,
): void {
  socket.write(ESTABLISHED);
  const timer = setTimeout(() => socket.destroy(), OPEN_MS);
  socket.once('close', () => clearTimeout(timer));
  const begin = (first: Buffer): void => {
    // What reads from now on gets it, too.
    socket.pause().unshift(first);
    if (first[0] !== TLS_HANDSHAKE) {
      clearTimeout(timer);
      onOpen(socket, 'http');
      return void socket.resume();
    }
    const encrypted = new TLSSocket(socket, {
      isServer: true,
      secureContext: leafs.contextFor(host),
      ALPNProtocols: ['http/1.1'],
      SNICallback: (name, done) => done(null, leafs.contextFor(isServerName(name) ? name.toLowerCase() : host)),
    });
    encrypted.on('error', () => socket.destroy());
    socket.once('close', () => encrypted.destroy());
    encrypted.once('secure', () => {
      clearTimeout(timer);
      onOpen(encrypted, 'https');
    });
    return undefined;
  };
  if (head.length > 0) begin(head);
  else socket.once('data', begin);
}

function isServerName(name: string): boolean {
  return /^[a-z0-9_.-]{1,253}$/i.test(name) && isIP(name) === 0;
}

/** Passes bytes on, both ways, until either side ends. */
export function splice(client: Socket, head: Buffer, upstream: Socket): void {
  // It has left before there was an upstream.
  if (client.destroyed) return void upstream.destroy();
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setTimeout(SILENCE_MS, () => from.destroy());
    from.on('error', () => undefined);
    from.once('close', () => to.destroy());
    from.pipe(to);
  }
  client.write(ESTABLISHED);
  if (head.length > 0) upstream.write(head);
  return undefined;
}
