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

export function createdStamps(moment: Moment): Stamps {
  const { date, principal, version } = moment;
  return { creationDate: date, createdBy: principal.userId, createdVersion: version, ...modifiedStamps(moment) };
}

export function modifiedStamps({
  date,
  principal,
  version,
}: Moment): Pick<Stamps, 'modificationDate' | 'lastModifiedBy' | 'modifiedVersion'> {
  return { modificationDate: date, lastModifiedBy: principal.userId, modifiedVersion: version };
}
