/**
 * Makes the connections to upstreams: the only place that does. What is checked is what is connected to.
 *
 * Three times: an address in the URL before anything (`lookup` is never called for one); the addresses that a name has, of which
 * only those pass that are allowed, and which are the very ones that connect uses, so that a name that answers otherwise the next
 * time gains nothing; and the address that the connection has, before a byte is sent.
 */
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { connect as connectPlain, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, rootCertificates } from 'node:tls';
import type { buildConnector } from 'undici';
import { UPSTREAM_CONNECT_MS } from '../../limits.ts';
import { AddressRefused, type AddressPolicy } from './address-policy.ts';

/** A connection that failed, and why. */
export class ConnectError extends Error {
  readonly kind: 'unreachable' | 'timeout' | 'tls';

  constructor(kind: ConnectError['kind'], cause: Error) {
    super(`${codeOf(cause)}${cause.message}`, { cause });
    this.kind = kind;
  }
}

function codeOf({ code }: NodeJS.ErrnoException): string {
  return code === undefined ? '' : `${code}: `;
}

type LookupCallback = (error: Error | null, found: string | LookupAddress[], family?: number) => void;
export type Lookup = (
  host: string,
  options: LookupOptions & { all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

interface ConnectorSettings {
  readonly policy: AddressPolicy;
  /** Certificates that are trusted beside the usual ones (PEM). */
  readonly ca: readonly string[];
  /** Hosts whose certificates are not verified, in lower case. */
  readonly insecure: readonly string[];
  /** That of the system by default. */
  readonly lookup?: Lookup;
}

export function policedConnector(settings: ConnectorSettings): buildConnector.connector {
  const { policy, ca, insecure, lookup = systemLookup } = settings;
  // Made once: reading all of them takes ten milliseconds.
  const trusted = ca.length === 0 ? {} : { secureContext: createSecureContext({ ca: [...rootCertificates, ...ca] }) };
  return ({ hostname, protocol, port: portText }, callback) => {
    const host = hostname.replaceAll(/^\[|\]$/g, '');
    const port = Number(portText) || (protocol === 'https:' ? 443 : 80);
    const literal = isIP(host) === 0 ? undefined : policy.refusal(host, port, host);
    if (literal !== undefined) return callback(literal, null);
    // All addresses of a name were checked: which of them answers first makes no difference.
    const plain = connectPlain({ host, port, autoSelectFamily: true, lookup: allowedOnly(policy, port, lookup) });
    let isOver = false;
    let step: 'unreachable' | 'tls' = 'unreachable';
    const end = (socket: Socket, error?: Error): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      if (error === undefined) return callback(null, socket);
      plain.destroy();
      return callback(error, null);
    };
    const fail = (error: Error): void =>
      end(plain, error instanceof AddressRefused ? error : new ConnectError(step, error));
    const timer = setTimeout(() => {
      end(
        plain,
        new ConnectError('timeout', new Error(`no connection to ${host}:${port} within ${UPSTREAM_CONNECT_MS} ms`)),
      );
    }, UPSTREAM_CONNECT_MS);
    plain.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    plain.on('error', fail);
    plain.once('connect', () => {
      const refused = policy.refusal(plain.remoteAddress ?? '', port, host);
      if (refused !== undefined) return fail(refused);
      if (protocol !== 'https:') return end(plain);
      step = 'tls';
      const encrypted = connectTls({
        ...trusted,
        socket: plain,
        host,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: !insecure.includes(host.toLowerCase()),
      });
      encrypted.on('error', (error) => {
        // That the certificate is refused, and not that the other side speaks no TLS.
        const isCertificate = (encrypted.authorizationError ?? null) !== null;
        if (isCertificate)
          error.message += `: trust its CA with --egress-ca <file>, or do not verify it with --egress-insecure ${host}`;
        fail(error);
      });
      encrypted.once('secureConnect', () => end(encrypted));
      return undefined;
    });
    return undefined;
  };
}

const KEEP_ALIVE_MS = 60_000;

/** A port of this server that requests may be sent to. */
export interface OwnPort {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
}

/** Connects to this port, whatever a request names: to nowhere else, so there is nothing to judge. */
export function ownPortConnector({ host, port, isTls }: OwnPort): buildConnector.connector {
  return (_options, callback) => {
    // Its certificate is that of names that clients use.
    const socket = isTls ? connectTls({ host, port, rejectUnauthorized: false }) : connectPlain({ host, port });
    const fail = (error: Error): void => callback(new ConnectError('unreachable', error), null);
    socket.once('error', fail);
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      socket.off('error', fail);
      callback(null, socket);
    });
  };
}

/** Names that stand for this machine wherever they are asked for (RFC 6761): many systems do not resolve them. */
const LOCAL_NAME = /\.localhost\.?$/i;

const lookupLocal: Lookup = (_host, _options, done) =>
  done(null, [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ]);

/** Looks up like `dns.lookup`, only the addresses of a name that the policy allows. */
function allowedOnly(policy: AddressPolicy, port: number, lookup: Lookup) {
  return (host: string, options: LookupOptions, done: LookupCallback): void => {
    const find: Lookup = LOCAL_NAME.test(host) ? lookupLocal : lookup;
    find(host, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, []);
      let refused: Error | undefined;
      const allowed = addresses.filter(({ address }) => {
        const refusal = policy.refusal(address, port, host);
        refused ??= refusal;
        return refusal === undefined;
      });
      const [first] = allowed;
      if (first === undefined) return done(refused ?? new Error(`${host} has no address`), []);
      return options.all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}
