/**
 * Tunnels of clients (`CONNECT`): their first byte says whether TLS follows, which ends here with a certificate for the host, or
 * plain HTTP. Those to hosts that the operator names are passed on unread.
 */
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FairShares } from '../../base/fair-shares.ts';
import type { Leafs } from '../../ca/leafs.ts';
import { takeTurn } from '../live-rules/owner-turns.ts';
import type { Credential } from './credentials.ts';

/** Purpose of requests over a tunnel. */
export interface Tunnel {
  readonly credential: Credential;
  readonly scheme: 'http' | 'https';
  /** Host and port as they were asked for. */
  readonly authority: string;
  /** The address of the client, of a tunnel that another node has received. */
  readonly client?: string | undefined;
}

/** How long a client may take until its tunnel can be used, its handshake included; and a tunnel that is passed on may be silent. */
const OPEN_MS = 60_000;
/** Silence of a WebSocket or of a tunnel that is passed on. (shown: Gateway) */
const SILENCE_MS = 300_000;

const TLS_HANDSHAKE = 0x16;
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const AUTHORITY = /^(?:[a-z0-9_.-]{1,253}|\[[\da-f:.]+\]):(\d{1,5})$/i;

/** Destination of a tunnel. */
export interface TunnelTo {
  /** Host name as in URLs: IPv6 in brackets. */
  readonly hostname: string;
  /** Host name for connections. */
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

interface TunnelOf {
  readonly ownerId: string;
  readonly host: string;
  readonly leafs: Pick<Leafs, 'contextFor'>;
  readonly shares: FairShares;
}

/**
 * Answers a tunnel that is not passed on. Its certificate is that of the host it was asked for, whatever name the client gives in its handshake:
 * requests to another host are refused anyway.
 *
 * @param head What came behind the request for it.
 * @param onOpen Called with the connection that HTTP/1.1 is spoken over, and its scheme.
 */
export function openTunnel(
  socket: Socket,
  head: Buffer,
  { ownerId, host, leafs, shares }: TunnelOf,
  onOpen: (connection: Socket, scheme: Tunnel['scheme']) => void,
): void {
  socket.write(ESTABLISHED);
  const leave = (): void => void socket.destroy();
  const timer = setTimeout(leave, OPEN_MS);
  socket.once('close', () => clearTimeout(timer)).once('end', leave);
  const open = (connection: Socket, scheme: Tunnel['scheme']): void => {
    clearTimeout(timer);
    connection.off('end', leave);
    onOpen(connection, scheme);
  };
  const encrypt = (): void => {
    if (socket.destroyed) return;
    const secureContext = leafs.contextFor(host.replace(/\.$/, ''), ownerId);
    const encrypted = new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] });
    encrypted.on('error', leave).once('end', leave);
    socket.once('close', () => encrypted.destroy());
    encrypted.once('secure', () => open(encrypted, 'https'));
  };
  const begin = (first: Buffer): void => {
    // What reads from now on gets it, too.
    socket.pause().unshift(first);
    if (first[0] === TLS_HANDSHAKE) return void (takeTurn(shares, ownerId, encrypt, leave) || leave());
    open(socket, 'http');
    return void socket.resume();
  };
  if (head.length > 0) begin(head);
  else socket.once('data', begin);
}

/**
 * Passes bytes on, both ways, until either side ends.
 *
 * @param head What has come behind the request for the tunnel.
 * @param established Whether the tunnel is answered here, and not by the upstream.
 */
export function splice(client: Socket, head: Buffer, upstream: Socket, established = true): void {
  // It has left before there was an upstream.
  if (client.destroyed) return void upstream.destroy();
  if (established) client.write(ESTABLISHED);
  if (head.length > 0) client.unshift(head);
  return join(client, upstream);
}

/**
 * Joins like `splice`, for connections that both sides use already.
 *
 * @param endedMs How long one side may be silent when the other has ended.
 */
export function join(client: Socket, upstream: Socket, endedMs = SILENCE_MS): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.setTimeout(SILENCE_MS, () => from.destroy());
    from.on('error', () => undefined);
    from.once('end', () => to.setTimeout(endedMs));
    // What it has sent before its end still arrives.
    from.once('close', () => (from.readableEnded ? to.destroySoon() : to.destroy()));
    from.pipe(to);
  }
}
