/**
 * Ports beside the mock port. Each has an app in every thread, which knows what is asked there, and an acceptor here. uWebSockets.js frees
 * no app: those of a port that was closed are kept and used again, so that opening and closing ports leaks nothing.
 */
import { Acceptor } from '../../wire/apps.ts';
import { listenForMocks, stopListening } from '../../wire/listen.ts';
import type { BoundPort } from '../shared/bound-port.ts';
import type { ProcessToThread, ThreadDone } from '../shared/messages.ts';

interface AskedThreads {
  askThreads(make: (id: number) => ProcessToThread, done: (answers: ThreadDone[]) => void): void;
}

interface Slot {
  readonly number: number;
  readonly acceptor: Acceptor;
  readonly isTls: boolean;
  /** Undefined while it is free. */
  bound: BoundPort | undefined;
  listening: ReturnType<typeof listenForMocks>;
  /** The port that it had last: of a slot that has another now, a late connection could reach the wrong one. */
  lastPort: number;
}

export class BoundPorts {
  readonly #host: string;
  readonly #threads: AskedThreads;
  readonly #slots: Slot[] = [];

  constructor(host: string, threads: AskedThreads) {
    this.#host = host;
    this.#threads = threads;
  }

  /** @param done Gets the port that is listened on, once every thread serves it; undefined where it cannot be. */
  bind(bound: BoundPort, done: (port: number | undefined) => void): void {
    const slot = this.#slotFor(bound);
    slot.bound = bound;
    this.#distribute(slot, false, (isServed) => {
      slot.listening = isServed ? listenForMocks(slot.acceptor.app, this.#host, bound.port) : undefined;
      const port = slot.listening?.port;
      if (port === undefined) return this.#free(slot, () => done(undefined));
      slot.lastPort = port;
      return done(port);
    });
  }

  /** Closes its connections, too. */
  unbind(port: number, done: () => void): void {
    const slot = this.#slots.find(({ listening }) => listening?.port === port);
    if (slot === undefined) return done();
    return this.#free(slot, done);
  }

  /** New connections get the certificate that the files have now. */
  renewCertificate(): void {
    for (const slot of this.#slots) if (slot.isTls && slot.bound !== undefined) this.#distribute(slot, true, () => {});
  }

  close(): void {
    for (const { acceptor } of this.#slots) acceptor.app.close();
  }

  #slotFor({ port, isTls }: BoundPort): Slot {
    const free = this.#slots.filter((slot) => slot.bound === undefined && slot.isTls === isTls);
    const found = free.find(({ lastPort }) => lastPort === port) ?? free[0];
    if (found !== undefined) return found;
    const slot: Slot = {
      number: this.#slots.length,
      acceptor: new Acceptor(isTls),
      isTls,
      bound: undefined,
      listening: undefined,
      lastPort: 0,
    };
    this.#slots.push(slot);
    return slot;
  }

  /** @param done Gets whether every thread has its app. */
  #distribute({ number, acceptor, bound }: Slot, isRenewed: boolean, done: (isServed: boolean) => void): void {
    this.#threads.askThreads(
      (id) => ({ kind: 'bind', id, slot: number, bound: bound as BoundPort, isRenewed }),
      (answers) => {
        const apps = answers.map(({ descriptor }) => descriptor);
        const isServed = !apps.includes(undefined);
        if (isServed) acceptor.distributeTo(apps);
        done(isServed);
      },
    );
  }

  #free(slot: Slot, done: () => void): void {
    if (slot.listening !== undefined) stopListening(slot.listening);
    slot.listening = undefined;
    this.#threads.askThreads(
      (id) => ({ kind: 'unbind', id, slot: slot.number }),
      () => {
        slot.bound = undefined;
        done();
      },
    );
  }
}
