/** Who created and changed a record, and when: the same for every kind of record. */

export interface Stamps {
  /** Milliseconds since the Unix epoch, never below the owner's previous date. */
  readonly creationDate: number;
  readonly modificationDate: number;
  readonly createdBy: string;
  readonly lastModifiedBy: string;
  /** The owner's version that created the record: determines its position in lists. */
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
