/**
 * Who may use the gateway: API keys in `Proxy-Authorization: Basic`, which the API process checks.
 *
 * The answer is kept for a connection as long as it sends the same header. When the key is revoked or has expired, the
 * connection ends, with what is under way over it.
 */
import type { Socket } from 'node:net';
import type { Api, GatewayCaller } from '../process/gateway-messages.ts';

/** How often ends of keys are looked for: a key stops within a second of its end. */
const EXPIRY_POLL_MS = 250;

export interface Credential {
  readonly caller: GatewayCaller;
  /** The name beside the key: a session, or one of those that stand for none. */
  readonly user: string;
}

interface CachedCredential {
  readonly header: string;
  readonly credential: Credential;
}

export class Credentials {
  readonly #api: Api;
  readonly #known = new WeakMap<Socket, CachedCredential>();
  /** By key: what ends with it. */
  readonly #open = new Map<string, { readonly caller: GatewayCaller; readonly sockets: Set<Socket> }>();
  readonly #poll: NodeJS.Timeout;

  constructor(api: Api) {
    this.#api = api;
    this.#poll = setInterval(() => this.#endExpired(), EXPIRY_POLL_MS);
  }

  /** @returns Undefined for a header that is missing, malformed, or has a key that may not. */
  check(socket: Socket, header: string | undefined): Credential | undefined | Promise<Credential | undefined> {
    if (header === undefined) return undefined;
    const known = this.#known.get(socket);
    if (known?.header === header && !isOver(known.credential.caller)) return known.credential;
    const [user, key] = partsOf(header);
    if (key === '') return undefined;
    return this.#api.ask('credential', { key }).then((caller) => {
      const credential = caller && { caller, user };
      if (credential !== undefined && !socket.destroyed) this.#keep(socket, { header, credential });
      return credential;
    });
  }

  /** The key does not count any more. */
  end(keyId: string): void {
    const sockets = this.#open.get(keyId)?.sockets ?? [];
    this.#open.delete(keyId);
    for (const socket of sockets) {
      this.#known.delete(socket);
      socket.destroy();
    }
  }

  stop(): void {
    clearInterval(this.#poll);
  }

  #keep(socket: Socket, known: CachedCredential): void {
    const { caller } = known.credential;
    this.#known.set(socket, known);
    const open = this.#open.get(caller.keyId) ?? { caller, sockets: new Set() };
    this.#open.set(caller.keyId, open);
    if (open.sockets.has(socket)) return;
    open.sockets.add(socket);
    socket.once('close', () => {
      open.sockets.delete(socket);
      if (open.sockets.size === 0 && this.#open.get(caller.keyId) === open) this.#open.delete(caller.keyId);
    });
  }

  #endExpired(): void {
    for (const { caller } of this.#open.values()) if (isOver(caller)) this.end(caller.keyId);
  }
}

function isOver({ expiresAt }: GatewayCaller): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

const BASIC = /^basic +([\w+/=-]+) *$/i;

function partsOf(header: string): readonly [user: string, key: string] {
  const [, coded = ''] = BASIC.exec(header) ?? [];
  const text = Buffer.from(coded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? ['', ''] : [text.slice(0, colon), text.slice(colon + 1)];
}
