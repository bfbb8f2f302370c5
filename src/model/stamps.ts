/** Who created and changed a record, and when: the same for every kind of record. */
import { assert } from '../base/assert.ts';

export interface Stamps {
  /** Milliseconds since the Unix epoch, never below the owner's previous date. */
  readonly creationDate: number;
  readonly modificationDate: number;
  readonly createdBy: string;
  readonly lastModifiedBy: string;
  /**
   * The owner's version that created the record, unique among its kind: determines its position in lists. Of the records of
   * one commit the last has the version itself; those before it have less, by binary fractions that stay above the
   * version before.
   */
  readonly createdVersion: number;
  /** The owner's version that wrote the record last: its ETag. */
  readonly modifiedVersion: number;
}

/** The part of a command's context from which stamps are made. */
interface Moment {
  readonly date: number;
  readonly version: number;
  readonly principal: { readonly userId: string };
}

/** Stamps that a change keeps. */
export type CreatedStamps = Pick<Stamps, 'creationDate' | 'createdBy' | 'createdVersion'>;
/** Stamps that every change sets. */
export type ModifiedStamps = Pick<Stamps, 'modificationDate' | 'lastModifiedBy' | 'modifiedVersion'>;

export function createdStamps({ date, principal, version }: Moment): Stamps {
  const { userId } = principal;
  return {
    creationDate: date,
    modificationDate: date,
    createdBy: userId,
    lastModifiedBy: userId,
    createdVersion: version,
    modifiedVersion: version,
  };
}

export function modifiedStamps({ date, principal, version }: Moment): ModifiedStamps {
  return { modificationDate: date, lastModifiedBy: principal.userId, modifiedVersion: version };
}

/** Records of one commit that have versions of their own; with 14 bits for them, versions up to 2^39 are exact. */
const CREATED_AT_ONCE_MAX = 16_384;

/** Stamps for so many records of one commit, in their order. */
export function* createdStampsOf(moment: Moment, count: number): Generator<Stamps> {
  assert(count <= CREATED_AT_ONCE_MAX, 'each record of a commit has a version of its own');
  for (let after = count - 1; after >= 0; after--) {
    const createdVersion = moment.version - after / CREATED_AT_ONCE_MAX;
    yield { ...createdStamps(moment), createdVersion };
  }
}
