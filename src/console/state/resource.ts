/**
 * What a screen shows of the server: loading, ready or failed.
 *
 * A failure keeps what was loaded before. When the server is away, the request is repeated after 1, 2, 5 and then every
 * 10 seconds.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { onChange, type Change } from './changes.ts';
import { failureOf, isPassing, type Failure } from './failure.ts';
import { checkKeyAfter } from './session.ts';

export interface Loaded<Value> {
  /** undefined until the first answer. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Somebody else has changed it since. */
  readonly isStale: boolean;
}

export interface ResourceOptions {
  /** What a change by somebody else means for it: `reload` loads again at once, `mark` tells the person. */
  readonly whenChanged?: (change: Change) => 'reload' | 'mark' | undefined;
}

export const RETRY_SECONDS = [1, 2, 5, 10];
/** Many changes in a row are one reload. */
const GATHER_MS = 250;

export class Resource<Value> {
  readonly #load: () => Promise<Value>;
  readonly #state = signal<Loaded<Value>>({ value: undefined, failure: undefined, isLoading: true, isStale: false });
  #turn = 0;
  #retries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  get state(): ReadonlySignal<Loaded<Value>> {
    return this.#state;
  }

  /** Loads again. Only the answer of the newest load counts. */
  async reload(): Promise<void> {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    this.#state.value = { ...this.#state.value, isLoading: true };
    try {
      const value = await this.#load();
      if (turn !== this.#turn) return;
      this.#retries = 0;
      this.#state.value = { value, failure: undefined, isLoading: false, isStale: false };
    } catch (error) {
      if (turn === this.#turn) this.#fail(failureOf(error));
    }
  }

  /** Takes what a write has answered. */
  replace(value: Value): void {
    this.#turn++;
    this.#state.value = { value, failure: undefined, isLoading: false, isStale: false };
  }

  changed(meaning: 'reload' | 'mark'): void {
    if (meaning === 'mark') this.#state.value = { ...this.#state.value, isStale: true };
    else this.#later(GATHER_MS);
  }

  dispose(): void {
    this.#turn++;
    clearTimeout(this.#timer);
  }

  #fail(failure: Failure): void {
    this.#state.value = { ...this.#state.value, failure, isLoading: false };
    checkKeyAfter(failure);
    if (!isPassing(failure)) return;
    const seconds = RETRY_SECONDS[Math.min(this.#retries++, RETRY_SECONDS.length - 1)] as number;
    this.#later(seconds * 1_000);
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload(), ms);
  }
}

/**
 * Loads when the component is shown, and again when `inputs` change.
 *
 * @param inputs What `load` depends on, as for an effect.
 */
export function useResource<Value>(
  load: () => Promise<Value>,
  inputs: readonly unknown[],
  { whenChanged }: ResourceOptions = {},
): Resource<Value> {
  const resource = useMemo(() => new Resource(load), inputs);
  useLoaded(resource, whenChanged);
  return resource;
}

/** Loads it while the component is shown, and tells it what others change. */
export function useLoaded(
  loaded: Pick<Resource<unknown>, 'reload' | 'changed' | 'dispose'>,
  whenChanged: ResourceOptions['whenChanged'],
): void {
  useEffect(() => {
    void loaded.reload();
    const stop = onChange((change) => {
      const meaning = change === undefined ? 'mark' : whenChanged?.(change);
      if (meaning !== undefined) loaded.changed(meaning);
    });
    return () => {
      stop();
      loaded.dispose();
    };
  }, [loaded]);
}
