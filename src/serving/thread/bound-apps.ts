/** The apps of a thread for ports beside the mock port: process/bound-ports.ts says which has which. */
import { descriptorOf } from '../../wire/apps.ts';
import type { TemplatedApp } from '../../wire/uws.ts';
import type { BoundPort, BoundTo } from '../shared/bound-port.ts';

/** What an app's requests are for; undefined while it has no port. */
export interface Binding {
  to: BoundTo | undefined;
}

interface BoundApp extends Binding {
  app: TemplatedApp;
}

export class BoundApps {
  readonly #open: (binding: Binding, isTls: boolean) => TemplatedApp;
  readonly #bySlot = new Map<number, BoundApp>();

  /** @param open Makes an app that closes the connections of a binding that is for nothing. */
  constructor(open: (binding: Binding, isTls: boolean) => TemplatedApp) {
    this.#open = open;
  }

  /** @param isRenewed Whether it gets an app with the certificate as it is now. @returns The descriptor. */
  bind(slot: number, { to, isTls }: BoundPort, isRenewed: boolean): unknown {
    const known = this.#bySlot.get(slot);
    if (known !== undefined && !isRenewed) {
      known.to = to;
      return descriptorOf(known.app);
    }
    const binding: Binding = { to };
    const app = this.#open(binding, isTls);
    this.#bySlot.set(slot, Object.assign(binding, { app }));
    return descriptorOf(app);
  }

  /** Closes its connections. */
  unbind(slot: number): void {
    const known = this.#bySlot.get(slot);
    if (known === undefined) return;
    known.to = undefined;
    known.app.close();
  }
}
