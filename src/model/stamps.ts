/** Who made and changed a record, and when: the same on every kind of record. */

export interface Stamps {
  /** Milliseconds since the Unix epoch, never below those of the owner's record before it. */
  readonly creationDate: number;
  readonly modificationDate: number;
  readonly createdBy: string;
  readonly lastModifiedBy: string;
  /** The owner's version that created the record: its place in lists. */
  readonly createdVersion: number;
  /** The owner's version that wrote the record last: its ETag. */
  readonly modifiedVersion: number;
}

/** The part of a command's context that stamps are made of. */
interface Moment {
  readonly date: number;
  readonly version: number;
  readonly principal: { readonly userId: string };
}

/** Those that a change leaves as they are. */
export type CreatedStamps = Pick<Stamps, 'creationDate' | 'createdBy' | 'createdVersion'>;
/** Those that every change makes anew. */
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
