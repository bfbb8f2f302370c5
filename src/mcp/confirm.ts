/**
 * Changes of what is served: the first call answers what would change, with a `confirm`; only a second call with it makes
 * the change.
 *
 * `confirm` is a digest of what was shown, the entity tags of what it was made of, and the caller. Nothing is kept
 * between the calls: the second makes all of it anew, and refuses when it has become another.
 */
import { hash } from 'node:crypto';
import { Type } from '../model/schema-type.ts';
import type { ToolAnswer } from './answer.ts';
import { ToolError } from './tool-error.ts';
import type { Api } from './tools/tool.ts';

export const confirmShape = Type.Optional(
  Type.String({
    description: 'From the answer to the same call without `confirm`. Nothing changes until it is given.',
  }),
);

interface Change {
  /** The name of the tool and what it is asked to do. */
  readonly action: string;
  /** Change that would be made, whole. */
  readonly shown: object;
  readonly tags: readonly string[];
}

const CONFIRM_CHARS = 22;

/** @throws ToolError with status 412, and the change as it would be now, when it is not the one that was confirmed. */
export async function confirmed(
  { caller }: Api,
  given: string | undefined,
  { action, shown, tags }: Change,
  make: () => Promise<object>,
): Promise<ToolAnswer> {
  const { ownerId, userId, keyId } = caller;
  const confirm = hash('sha256', JSON.stringify([action, shown, tags, ownerId, userId, keyId]), 'base64url').slice(
    0,
    CONFIRM_CHARS,
  );
  const change = { done: false, ...shown, confirm };
  if (given === confirm) return { data: { done: true, ...(await make()) }, isRecorded: true };
  if (given === undefined) return { data: { ...change, next: NEXT }, isRecorded: true };
  throw new ToolError(412, 'the change is no longer the one that was confirmed', [], { now: change });
}

const NEXT = 'Nothing has changed yet. Review the change, then call again with this `confirm` to make it.';
