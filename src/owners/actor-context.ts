/** Dependencies of the actor of an owner. */
import type { Clock } from '../base/clock.ts';
import type { Limits } from '../limits.ts';
import type { Store } from '../store/store.ts';

export interface ActorContext {
  readonly store: Store;
  readonly limitsOf: (ownerId: string) => Limits;
  readonly clock: Clock;
  /** A turn threw or a commit failed, and the actor may not be used any more. Called once. */
  readonly onDiscarded: (actor: { readonly ownerId: string }, error: unknown) => void;
  /** The owner's newest date is far ahead of the clock, by so many milliseconds. Called at each occurrence. */
  readonly onDateAhead: (ownerId: string, aheadMs: number) => void;
  /** Publishes rules and groups that were changed: replies wait for it. Undefined where nothing is to be done. */
  readonly publishRules?: ((ownerId: string) => Promise<unknown> | undefined) | undefined;
  /** A reply threw. Other replies are not affected. */
  readonly onReplyError: (error: unknown) => void;
}
