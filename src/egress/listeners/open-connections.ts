/**
 * Bounds how many connections clients have. A new one beyond the bound ends the one that has been idle longest: of the owner that has most
 * idle ones, or of the address where no key is known. So clients which open many and ask nothing keep nobody else out.
 */
import type { Socket } from 'node:net';
import { LargestFirst } from '../../base/largest-first.ts';

interface Open {
  /** The connection of the port: those within tunnels are a part of it. */
  readonly outer: Socket;
  /** An owner, or an address whose key is not known. */
  account: string;
  ownerId: string | undefined;
  /** Whether it has no request. */
  isIdle: boolean;
}

export class OpenConnections {
  readonly #max: number;
  readonly #open = new WeakMap<Socket, Open>();
  /** By account: the longest idle first. */
  readonly #idle = new Map<string, Set<Socket>>();
  readonly #idleCounts = new LargestFirst<string>();
  count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** @param outer The tunnel that it is within. */
  add(socket: Socket, outer = socket): void {
    if (this.#open.has(socket)) return this.rest(socket);
    const open = this.#open.get(outer) ?? {
      outer,
      account: `address ${socket.remoteAddress}`,
      isIdle: false,
      ownerId: undefined,
    };
    this.#open.set(socket, open);
    if (socket !== outer) return undefined;
    socket.once('close', () => {
      this.count--;
      this.#setIdle(open, false);
    });
    // It ends itself where all others are in use.
    if (++this.count > this.#max) this.#longestIdle(socket).destroy();
    return this.rest(socket);
  }

  /** The key of an owner has come over it. */
  own(socket: Socket, ownerId: string): void {
    const open = this.#open.get(socket);
    if (open === undefined || open.ownerId === ownerId) return;
    const { isIdle } = open;
    this.#setIdle(open, false);
    open.ownerId = ownerId;
    open.account = `owner ${ownerId}`;
    this.#setIdle(open, isIdle);
  }

  /** A request has come over it. */
  use(socket: Socket): void {
    this.#setIdle(this.#open.get(socket), false);
  }

  /** All that came over it is answered. */
  rest(socket: Socket): void {
    const open = this.#open.get(socket);
    this.#setIdle(open, open?.outer.destroyed === false);
  }

  #setIdle(open: Open | undefined, isIdle: boolean): void {
    if (open === undefined || open.isIdle === isIdle) return;
    open.isIdle = isIdle;
    this.#idleCounts.change(open.account, isIdle ? 1 : -1);
    const idle = this.#idle.get(open.account) ?? new Set();
    if (isIdle) this.#idle.set(open.account, idle.add(open.outer));
    else if (idle.delete(open.outer) && idle.size === 0) this.#idle.delete(open.account);
  }

  #longestIdle(otherwise: Socket): Socket {
    const [longest = otherwise] = this.#idle.get(this.#idleCounts.largest() ?? '') ?? [];
    return longest;
  }
}
