/**
 * Bounds how many connections clients have. A new one beyond the bound ends the one that has been idle longest, so that clients which
 * open many and ask nothing keep nobody out.
 */
import type { Socket } from 'node:net';

export class OpenConnections {
  readonly #max: number;
  /** Those of the port itself: those within tunnels are a part of them. */
  readonly #open = new Set<Socket>();
  /** Each that requests come over, and the one of the port that it is, or is within. */
  readonly #outer = new WeakMap<Socket, Socket>();
  /** Those without a request: the longest idle first. */
  readonly #idle = new Set<Socket>();

  constructor(max: number) {
    this.#max = max;
  }

  get count(): number {
    return this.#open.size;
  }

  /** @param outer The tunnel that it is within. */
  add(socket: Socket, outer = socket): void {
    if (this.#outer.has(socket)) return this.rest(socket);
    this.#outer.set(socket, outer);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#idle.delete(socket);
    });
    if (socket === outer) this.#open.add(socket);
    this.rest(socket);
    if (this.#open.size > this.#max) this.#endOne(socket);
    return undefined;
  }

  /** A request has come over it. */
  use(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** All that came over it is answered. */
  rest(socket: Socket): void {
    if (!socket.destroyed && this.#outer.has(socket)) this.#idle.add(socket);
  }

  /** @param newest It ends where all others are in use. */
  #endOne(newest: Socket): void {
    this.#idle.delete(newest);
    const [longest = newest] = this.#idle;
    this.#outer.get(longest)?.destroy();
    if (longest !== newest) this.#idle.add(newest);
  }
}
