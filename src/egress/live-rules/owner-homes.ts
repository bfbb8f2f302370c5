/**
 * In a cluster: which node has the gateway of an owner. It acts here only while this node has it and its lease is valid; what
 * another node has is sent on to that node.
 */
import { monotonicMs } from '../../base/monotonic.ts';
import type { FromGateway, ToGateway } from '../process/gateway-messages.ts';

/** "own", or the internal address of another node; undefined where it cannot be known at the moment. */
export type OwnerHome = string | undefined;

type HomeMessage = Extract<ToGateway, { kind: 'home' | 'lease' | 'release' }>;

export class OwnerHomes {
  readonly #send: (message: FromGateway) => void;
  readonly #own = new Set<string>();
  readonly #asked = new Map<
    string,
    { readonly promise: Promise<OwnerHome>; readonly resolve: (home: OwnerHome) => void }
  >();
  /** By `monotonicMs`, which is the same in all processes of a machine. */
  #validUntil = 0;

  constructor(send: (message: FromGateway) => void) {
    this.#send = send;
  }

  of(ownerId: string): OwnerHome | Promise<OwnerHome> {
    if (this.#own.has(ownerId)) return this.#ifValid('own');
    let asked = this.#asked.get(ownerId);
    // That an older answer serves, too: another node looks itself whether it is the home, and here the lease says it.
    if (asked === undefined) {
      let resolve!: (home: OwnerHome) => void;
      const promise = new Promise<OwnerHome>((resolved) => {
        resolve = resolved;
      });
      asked = { promise, resolve };
      this.#asked.set(ownerId, asked);
      this.#send({ kind: 'needHome', ownerId });
    }
    return asked.promise;
  }

  take(message: HomeMessage): void {
    if (message.kind === 'lease') this.#validUntil = message.validUntil;
    else if (message.kind === 'release') {
      this.#validUntil = 0;
      this.#own.clear();
      this.#send({ kind: 'edit', id: message.id, answer: 'done' });
    } else {
      const asked = this.#asked.get(message.ownerId);
      this.#asked.delete(message.ownerId);
      // Nobody here has asked: the answer is for the process before this one.
      if (asked === undefined) return;
      if (message.home === 'own') this.#own.add(message.ownerId);
      asked.resolve(this.#ifValid(message.home));
    }
  }

  #ifValid(home: OwnerHome): OwnerHome {
    return home === 'own' && monotonicMs() >= this.#validUntil ? undefined : home;
  }
}
