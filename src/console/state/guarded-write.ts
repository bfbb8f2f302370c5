/**
 * Writes guarded by a tag that covers more than what is written: a refusal by the tag may be due to something else.
 * Then what is there now is read, and the write repeated where it means the same.
 */
import { failureOf } from './failure.ts';

const TRIES = 5;
const REFUSED_BY_TAG = 412;

interface Guarded<Known, Answer> {
  /** As the server has given it: its tag guards the write. */
  readonly known: Known;
  readonly write: (known: Known) => Promise<Answer>;
  readonly read: () => Promise<Known>;
  /** Whether what the write is about is as it was known. */
  readonly isAsKnown: (now: Known) => boolean;
}

/** Somebody else has changed the same. */
export interface Conflict<Known> {
  readonly theirs: Known;
}

/** @throws SwitchyardError for any other refusal. */
export async function guarded<Known, Answer>(
  given: Guarded<Known, Answer>,
): Promise<{ readonly answer: Answer } | Conflict<Known>> {
  let { known } = given;
  for (let tries = 1; ; tries++) {
    try {
      return { answer: await given.write(known) };
    } catch (error) {
      if (failureOf(error).status !== REFUSED_BY_TAG || tries === TRIES) throw error;
      known = await given.read();
      if (!given.isAsKnown(known)) return { theirs: known };
    }
  }
}
