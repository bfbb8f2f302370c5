/** Ports beside the mock port that are open: a data plane that is replaced listens on them again. */
import { ownPorts } from '../../base/own-ports.ts';
import type { BoundPort, PortOpened } from '../shared/bound-port.ts';

interface AskedPlane {
  /** @returns undefined when the data plane does not answer in time. */
  readonly bind: (bound: BoundPort) => Promise<PortOpened | undefined>;
  readonly unbind: (port: number) => Promise<unknown>;
  /** One that was open, and that a new data plane cannot listen on. */
  readonly onLost: (port: number) => void;
}

export class OpenPorts {
  readonly #plane: AskedPlane;
  readonly #bound = new Map<number, BoundPort>();

  constructor(plane: AskedPlane) {
    this.#plane = plane;
  }

  /** How many are for sessions. */
  get sessionCount(): number {
    return [...this.#bound.values()].filter(({ to }) => to.sessionId !== undefined).length;
  }

  /** @returns The port, which every thread serves; undefined where it cannot be listened on. */
  async open(bound: BoundPort): Promise<number | undefined> {
    if (this.#bound.has(bound.port)) return undefined;
    const port = (await this.#plane.bind(bound))?.port;
    if (port === undefined) return undefined;
    this.#bound.set(port, { ...bound, port });
    // More than a mock's: the API answers there, too.
    if (bound.to.adminUrl !== undefined) ownPorts.add(port);
    return port;
  }

  /** Closes those of a session, or those of a mock and of its sessions; and their connections. */
  async closeOf(mockId: string, sessionId?: string): Promise<void> {
    const closed = [...this.#bound.values()].filter(
      ({ to }) => to.mockId === mockId && to.sessionId !== undefined && (sessionId ?? to.sessionId) === to.sessionId,
    );
    for (const { port } of closed) this.#bound.delete(port);
    await Promise.all(closed.map(({ port }) => this.#plane.unbind(port)));
  }

  /** To be called for each data plane after the first. */
  restore(): void {
    for (const bound of this.#bound.values()) {
      void this.#plane.bind(bound).then((opened) => {
        if (opened?.port === undefined) this.#plane.onLost(bound.port);
      });
    }
  }
}
