/**
 * Versions of mocks on their way to the serving threads.
 *
 * Threads compile a version in slices, and serve the one before until then. When all have compiled it, its counters take over from those
 * before, and the threads swap: so what is counted, or changed by the API, during the compilation is lost to neither version.
 */
import type { SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { MockBytes } from '../shared/messages.ts';
import type { LaidRoutes } from '../shared/route-slots.ts';
import { newGeneration } from './mock-sessions.ts';
import { toServe, toVersion, type PublishedMock } from './served.ts';
import { CONFIRMED, type Threads } from './threads.ts';

export interface Publish {
  readonly mock: MockBytes;
  readonly keepsSequences: boolean;
  readonly sessions: readonly SessionDefinition[] | undefined;
  /** Called when every thread serves it, or the mock is served no more. */
  readonly done: () => void;
}

/** A version, and the mock that it is one of. */
export interface Version {
  readonly served: PublishedMock;
  readonly laid: LaidRoutes;
  readonly definition: SharedArrayBuffer;
}

interface Compiling extends Publish {
  /** The following publish. */
  next: Publish | undefined;
}

export class Publishing {
  readonly #threads: Pick<Threads, 'ask' | 'send'>;
  readonly #begin: (publish: Publish) => Version;
  readonly #compiling = new Map<string, Compiling>();

  /** @param begin Called when a version comes next. */
  constructor(threads: Pick<Threads, 'ask' | 'send'>, begin: (publish: Publish) => Version) {
    this.#threads = threads;
    this.#begin = begin;
  }

  has(mockId: string): boolean {
    return this.#compiling.has(mockId);
  }

  /** Versions of a mock follow each other. Of those that come during a compilation only the newest is compiled, and confirms all. */
  publish(publish: Publish): void {
    const { mock, done } = publish;
    const { mockId } = mock;
    const before = this.#compiling.get(mockId);
    if (before !== undefined) {
      before.next = before.next === undefined ? publish : together(before.next, publish);
      return;
    }
    const compiling: Compiling = { ...publish, next: undefined };
    this.#compiling.set(mockId, compiling);
    const version = this.#begin(publish);
    this.#compile(mock, version, undefined, () => {
      const { next } = compiling;
      if (this.#compiling.get(mockId) === compiling) {
        this.#compiling.delete(mockId);
        this.#swap(publish, version);
        if (next !== undefined) this.publish(next);
      } else {
        done();
        next?.done();
      }
    });
  }

  /** Has threads that lack a mock serve the version that others serve. */
  load(mock: MockBytes, version: Version, of: ReadonlySet<number>, isServed: () => boolean): void {
    const { mockId } = mock;
    const { served, laid } = version;
    this.#compile(mock, version, of, () => {
      if (this.has(mockId)) return;
      // Else it was deleted in the meantime, or a publish has brought another version.
      if (isServed() && served.laid === laid) void this.#threads.ask('serve', toServe(mockId, served), CONFIRMED, of);
      else for (const thread of of) this.#threads.send(thread, { kind: 'failed', mockId });
    });
  }

  /** The mock is served no more: what is being compiled of it is not used. */
  cancel(mockId: string): void {
    this.#compiling.delete(mockId);
  }

  cancelAll(): void {
    this.#compiling.clear();
  }

  /** @param of The threads, if not all. */
  #compile(
    mock: MockBytes,
    { definition, laid: { slots } }: Version,
    of: ReadonlySet<number> | undefined,
    done: () => void,
  ): void {
    void this.#threads.ask('compile', toVersion(mock, definition, slots), done, of);
  }

  #swap({ mock, keepsSequences, done }: Publish, { served, laid, definition }: Version): void {
    const { mockId, state, version, stateLayout } = mock;
    const { tally, sessions } = served;
    const finishes: (() => void)[] = [];
    if (served.laid !== laid) {
      const { routes } = laid;
      finishes.push(tally.supersede(routes, stateLayout, keepsSequences));
      finishes.push(sessions.supersede({ routes, stateLayout, definition, numbers: tally.numbers }));
    }
    if (!keepsSequences) served.storesOf = newGeneration();
    Object.assign(served, { laid, state, version });
    void this.#threads.ask('serve', toServe(mockId, served), () => {
      for (const finish of finishes) finish();
      done();
    });
  }
}

/** @param passed Is not compiled. */
function together(passed: Publish, publish: Publish): Publish {
  return {
    ...publish,
    keepsSequences: passed.keepsSequences && publish.keepsSequences,
    done: () => {
      passed.done();
      publish.done();
    },
  };
}
