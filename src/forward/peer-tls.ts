/**
 * How nodes talk to each other: TLS with a key that follows from the cluster's secret, in place of certificates. Who does
 * not have the secret cannot connect, in either direction; nothing can be read, changed or repeated on the way.
 */
import { hkdfSync } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import { PEER_IDLE_MS } from '../limits.ts';

const SETTINGS = {
  // Both exchange a key of their own for each connection: who learns the secret later cannot read what was recorded.
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305:ECDHE-PSK-AES256-CBC-SHA384',
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
} as const;

const IDENTITY = 'switchyard';
const KEY_BYTES = 32;

export function peerKey(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'switchyard peers', KEY_BYTES));
}

/** @param key From `peerKey`. */
export function peerServerOptions(key: Buffer): ServerOptions {
  return {
    ...SETTINGS,
    pskCallback: (_socket, identity) => (identity === IDENTITY ? key : null),
    keepAliveTimeout: 2 * PEER_IDLE_MS,
    // Replies of mocks may wait, and streams have no end.
    requestTimeout: 0,
  };
}

/** @param key From `peerKey`. */
export function peerClientOptions(key: Buffer) {
  return {
    ...SETTINGS,
    pskCallback: () => ({ psk: key, identity: IDENTITY }),
    // The key itself says who it is.
    checkServerIdentity: () => undefined,
  };
}

/** @param address `host:port`; an IPv6 host in brackets. */
export function peerAddress(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replaceAll(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
