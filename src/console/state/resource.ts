/**
 * Server data on a screen: loading, ready or failed.
 *
 * A failure keeps the previous value. When the server is away, the request is retried after 1, 2, 5 and then every
 * 10 seconds.
 */
import { signal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { onChange, type Change } from './changes.ts';
import { failureOf, isPassing, type Failure } from './failure.ts';
import { checkKeyAfter } from './session.ts';

export interface LoadState<Value> {
  /** undefined until the first answer. */
  readonly value: Value | undefined;
  readonly failure: Failure | undefined;
  readonly isLoading: boolean;
  /** Another user changed it. */
  readonly isStale: boolean;
}

export interface ResourceOptions {
  /** The reaction to another user's change: `reload` at once, or `mark` as stale. */
  readonly whenChanged?: (change: Change) => 'reload' | 'mark' | undefined;
}

/** For one record. */
export const changesOf = (id: string, meaning: 'reload' | 'mark' = 'reload'): ResourceOptions => ({
  whenChanged: ({ recordIds }) => (recordIds.includes(id) ? meaning : undefined),
});

export const RETRY_SECONDS = [1, 2, 5, 10];
/** Coalesces a burst of changes into one reload. */
const GATHER_MS = 250;

/** Reloads after temporary failures, and after changes by others. */
export abstract class Reloaded<Value> {
  readonly #state = signal<LoadState<Value>>({ value: undefined, failure: undefined, isLoading: true, isStale: false });
  /** Only the newest request counts. */
  protected turn = 0;
  #retries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  get state(): ReadonlySignal<LoadState<Value>> {
    return this.#state;
  }

  abstract reload(): Promise<void>;

  changed(meaning: 'reload' | 'mark'): void {
    if (meaning === 'mark') this.#state.value = { ...this.#state.value, isStale: true };
    else this.#later(GATHER_MS);
  }

  dispose(): void {
    this.turn++;
    clearTimeout(this.#timer);
  }

  protected begin(): number {
    clearTimeout(this.#timer);
    this.#state.value = { ...this.#state.value, isLoading: true };
    return ++this.turn;
  }

  protected take(value: Value): void {
    this.#retries = 0;
    this.#state.value = { value, failure: undefined, isLoading: false, isStale: false };
  }

  protected fail(error: unknown): void {
    const failure = failureOf(error);
    this.#state.value = { ...this.#state.value, failure, isLoading: false };
    checkKeyAfter(failure);
    if (!isPassing(failure)) return;
    const seconds = RETRY_SECONDS[Math.min(this.#retries++, RETRY_SECONDS.length - 1)] as number;
    this.#later(seconds * 1_000);
  }

  /** The content of the value changed. */
  protected redraw(): void {
    this.#state.value = { ...this.#state.value };
  }

  #later(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.reload(), ms);
  }
}

export class Resource<Value> extends Reloaded<Value> {
  readonly #load: () => Promise<Value>;

  constructor(load: () => Promise<Value>) {
    super();
    this.#load = load;
  }

  async reload(): Promise<void> {
    const turn = this.begin();
    try {
      const value = await this.#load();
      if (turn === this.turn) this.take(value);
    } catch (error) {
      if (turn === this.turn) this.fail(error);
    }
  }

  /** Applies a write's answer. */
  replace(value: Value): void {
    this.turn++;
    this.take(value);
  }
}

/**
 * Loads when the component mounts, and again when `inputs` change.
 *
 * @param inputs The dependencies of `load`.
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

/** Loads while the component is mounted, and passes on changes by others. */
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
