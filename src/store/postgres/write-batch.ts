/**
 * The statement that writes a batch of commits, of any owners.
 *
 * An owner's part is written when the owner has the version that its first commit expects, whole or not at all; one owner that
 * another node has changed fails nobody else's part. Under `read committed`, an update that waits for another compares the
 * version anew.
 */
import type { EncodedCommit } from '../codec/encoded-commit.ts';
import { TURNS_SEEN_MAX } from '../../limits.ts';
import { encodeOwner } from '../codec/record-codec.ts';
import { countAnswers } from '../retention-slots.ts';
import type { RecordKey } from '../tables/tables.ts';
import { bigintArray, bytesArray, doubleArray, textArray } from './arrays.ts';
import { placeOf } from './load-owner.ts';
import { isAwaited, lockOf } from './turn-lock.ts';

/** Commits of one owner, each built on the one before. */
interface OwnerPart {
  readonly ownerId: string;
  readonly commits: readonly EncodedCommit[];
  /** The owner's version after them. */
  readonly version: number;
}

export interface WriteBatch {
  /** By owner, in their order. */
  readonly parts: readonly OwnerPart[];
  readonly statement: { readonly name: string; readonly text: string };
  readonly values: readonly unknown[];
}

/** @param batchNumber By which the batch is found again, when it is not known whether it was stored. */
export function writeBatch(commits: readonly EncodedCommit[], batchNumber: number): WriteBatch {
  const parts = partsOf(commits);
  const records = new Map<string, [RecordKey, Buffer | undefined]>();
  const ids = new Map<string, IdRow>();
  const answers = new Map<string, [ownerId: string, date: number, bytes: Buffer]>();
  const counts: [ownerId: string, slot: number, bytes: number][] = [];
  for (const { ownerId, commits: ofOwner } of parts) {
    for (const commit of ofOwner) {
      for (const { key, bytes } of commit.entries) records.set(key.join(), [key, bytes]);
      for (const { id, change, published } of commit.ids) {
        const made = change === 'made' || (change === 'kept' && ids.get(id)?.made === true);
        ids.set(id, { ownerId, made, gone: change === 'gone', published: published ?? ids.get(id)?.published });
      }
      if (commit.idempotency === undefined) continue;
      const { key, date, bytes } = commit.idempotency;
      answers.set(key, [ownerId, date, bytes]);
    }
    for (const [slot, bytes] of countAnswers(ofOwner, () => 0)) counts.push([ownerId, slot, bytes]);
  }
  const puts = [...records.values()].filter(([, bytes]) => bytes !== undefined);
  const removed = [...records.values()].filter(([, bytes]) => bytes === undefined);
  const tables = [
    owners(parts),
    awaited(parts),
    history(parts, batchNumber),
    puts.length > 0 && recordPuts(puts),
    removed.length > 0 && recordRemovals(removed),
    ...idRows([...ids]),
    answers.size > 0 && answerRows([...answers], counts),
  ].filter((each) => each !== false);
  let parameter = 0;
  const texts = tables.map(({ text }) => text.replaceAll('?', () => `$${++parameter}`));
  const name = tables.map((each) => each.name).join(' ');
  return {
    parts,
    statement: { name, text: `with ${texts.join(', ')} ${STORED}` },
    values: tables.flatMap(({ values }) => values),
  };
}

/**
 * The owners whose part is stored, and a row that is empty. Where there are none, the locks that were waited for would make
 * the end of the statement wait for the standby, and the next writer of the owner for that.
 */
const STORED = `select owner_id, owner_id in (select awaited.owner_id from awaited) as is_awaited from ok union all
select case when not exists (select 1 from ok) then left(set_config('synchronous_commit', 'off', true), 0) end, null`;

interface IdRow {
  readonly ownerId: string;
  readonly made: boolean;
  readonly gone: boolean;
  readonly published: Buffer | undefined;
}

/** A part of the statement, with `?` for each of its values. */
interface TablePart {
  readonly name: string;
  readonly text: string;
  readonly values: readonly Buffer[];
}

function partsOf(commits: readonly EncodedCommit[]): OwnerPart[] {
  const groups = new Map<string, EncodedCommit[]>();
  for (const commit of commits) {
    const group = groups.get(commit.ownerId);
    if (group === undefined) groups.set(commit.ownerId, [commit]);
    else group.push(commit);
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([ownerId, ofOwner]) => ({
      ownerId,
      commits: ofOwner,
      version: (ofOwner.at(-1) as EncodedCommit).expectedVersion + 1,
    }));
}

/** `ok`: the owners whose part is written. They are locked in their order, so that no two batches wait for each other. */
function owners(parts: readonly OwnerPart[]): TablePart {
  return {
    name: 'commit',
    text: `batch as materialized (
  select * from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bytea[]) as batch(owner_id, expected, version, entry)
), locked as materialized (
  select owner.owner_id from batch join owner using (owner_id) where owner.version = batch.expected
  order by owner.owner_id for update of owner
), updated as (
  update owner set version = batch.version, entry = batch.entry from locked join batch using (owner_id)
  where owner.owner_id = locked.owner_id and owner.version = batch.expected returning owner.owner_id
), inserted as (
  insert into owner select owner_id, version, entry from batch where expected = 0 order by owner_id
  on conflict do nothing returning owner_id
), ok as materialized (select owner_id from updated union all select owner_id from inserted)`,
    values: [
      textArray(parts.map(({ ownerId }) => ownerId)),
      bigintArray(parts.map(({ commits }) => (commits[0] as EncodedCommit).expectedVersion)),
      bigintArray(parts.map(({ version }) => version)),
      bytesArray(
        parts.map(({ ownerId, commits, version }) => {
          const { date: latestDate, recordCount } = commits.at(-1) as EncodedCommit;
          return encodeOwner(ownerId, version, { latestDate, recordCount });
        }),
      ),
    ],
  };
}

/** The owners that others wait for. Each that is asked about takes a place of the server until the end of the batch: so some are. */
function awaited(parts: readonly OwnerPart[]): TablePart {
  const first = parts.length > TURNS_SEEN_MAX ? Math.floor(Math.random() * parts.length) : 0;
  const some = [...parts.slice(first), ...parts.slice(0, first)].slice(0, TURNS_SEEN_MAX);
  return {
    name: 'turns',
    text: `awaited as materialized (
  select owner_id from unnest(?::text[], ?::bigint[]) as each(owner_id, lock) where ${isAwaited('lock::int')}
)`,
    values: [textArray(some.map(({ ownerId }) => ownerId)), bigintArray(some.map(({ ownerId }) => lockOf(ownerId)))],
  };
}

function history(parts: readonly OwnerPart[], batchNumber: number): TablePart {
  const commits = parts.flatMap((part) => part.commits);
  return {
    name: 'history',
    text: `history_rows as (
  insert into history select owner_id, version, batch, date, entry, places
  from unnest(?::text[], ?::bigint[], ?::bigint[], ?::bigint[], ?::bytea[], ?::text[])
    as rows(owner_id, version, batch, date, entry, places) join ok using (owner_id)
)`,
    values: [
      textArray(commits.map(({ ownerId }) => ownerId)),
      bigintArray(commits.map(({ expectedVersion }) => expectedVersion + 1)),
      bigintArray(commits.map(() => batchNumber)),
      bigintArray(commits.map(({ date }) => date)),
      bytesArray(commits.map((commit) => commit.history)),
      textArray(commits.map(({ entries }) => entries.map(({ key }) => placeOf(key)).join(' '))),
    ],
  };
}

function recordPuts(puts: readonly [RecordKey, Buffer | undefined][]): TablePart {
  return {
    name: 'records',
    text: `record_rows as (
  insert into record select owner_id, kind, created_version, revision, bytes
  from unnest(?::text[], ?::text[], ?::float8[], ?::bigint[], ?::bytea[])
    as rows(owner_id, kind, created_version, revision, bytes) join ok using (owner_id)
  on conflict (owner_id, kind, created_version, revision) do update set bytes = excluded.bytes
)`,
    values: [...recordKeys(puts), bytesArray(puts.map(([, bytes]) => bytes))],
  };
}

function recordRemovals(removed: readonly [RecordKey, unknown][]): TablePart {
  return {
    name: 'removed',
    text: `removed_rows as (
  delete from record using unnest(?::text[], ?::text[], ?::float8[], ?::bigint[])
    as rows(owner_id, kind, created_version, revision) join ok using (owner_id)
  where record.owner_id = rows.owner_id and record.kind = rows.kind
    and record.created_version = rows.created_version and record.revision = rows.revision
)`,
    values: recordKeys(removed),
  };
}

function recordKeys(records: readonly [RecordKey, unknown][]): Buffer[] {
  return [
    textArray(records.map(([[ownerId]]) => ownerId)),
    textArray(records.map(([[, kind]]) => kind)),
    doubleArray(records.map(([[, , createdVersion]]) => createdVersion)),
    bigintArray(records.map(([[, , , revision]]) => revision ?? 0)),
  ];
}

/**
 * The tables that are keyed by the id of a record. An id of another owner's record, which can be that of a mock alone, makes the whole
 * statement fail: the column takes no null.
 */
function idRows(ids: readonly [string, IdRow][]): TablePart[] {
  const made = ids.filter(([, row]) => row.made && !row.gone);
  const gone = ids.filter(([, row]) => row.gone);
  const published = ids.filter(([, row]) => row.published !== undefined && !row.gone);
  const parts: TablePart[] = [];
  const idsAndOwners = (rows: readonly [string, IdRow][]): Buffer[] => [
    textArray(rows.map(([id]) => id)),
    textArray(rows.map(([, { ownerId }]) => ownerId)),
  ];
  if (made.length > 0) {
    parts.push({
      name: 'made',
      text: `made_rows as (
  insert into record_owner select record_id, owner_id from unnest(?::text[], ?::text[]) as rows(record_id, owner_id)
  join ok using (owner_id) order by record_id
  on conflict (record_id) do update set owner_id = case record_owner.owner_id when excluded.owner_id then excluded.owner_id end
)`,
      values: idsAndOwners(made),
    });
  }
  if (published.length > 0) {
    parts.push({
      name: 'entries',
      text: `published_rows as (
  insert into published_mock select mock_id, entry
  from unnest(?::text[], ?::text[], ?::bytea[]) as rows(mock_id, owner_id, entry) join ok using (owner_id)
  on conflict (mock_id) do update set entry = excluded.entry
)`,
      values: [...idsAndOwners(published), bytesArray(published.map(([, row]) => row.published))],
    });
  }
  if (gone.length > 0) {
    parts.push({
      name: 'gone',
      text: `gone as materialized (
  select record_id from unnest(?::text[], ?::text[]) as rows(record_id, owner_id) join ok using (owner_id)
), gone_rows as (delete from record_owner using gone where record_owner.record_id = gone.record_id
), gone_mocks as (delete from published_mock using gone where published_mock.mock_id = gone.record_id)`,
      values: idsAndOwners(gone),
    });
  }
  return parts;
}

function answerRows(
  answers: readonly [string, [ownerId: string, date: number, bytes: Buffer]][],
  counts: readonly [ownerId: string, slot: number, bytes: number][],
): TablePart {
  return {
    name: 'answers',
    text: `answer_rows as (
  insert into idempotency select key, date, entry
  from unnest(?::text[], ?::text[], ?::bigint[], ?::bytea[]) as rows(key, owner_id, date, entry) join ok using (owner_id)
  on conflict (key) do update set date = excluded.date, entry = excluded.entry
), count_rows as (
  insert into answer_bytes select owner_id, slot, bytes
  from unnest(?::text[], ?::bigint[], ?::bigint[]) as rows(owner_id, slot, bytes) join ok using (owner_id)
  on conflict (owner_id, slot) do update set bytes = answer_bytes.bytes + excluded.bytes
)`,
    values: [
      textArray(answers.map(([key]) => key)),
      textArray(answers.map(([, [ownerId]]) => ownerId)),
      bigintArray(answers.map(([, [, date]]) => date)),
      bytesArray(answers.map(([, [, , bytes]]) => bytes)),
      textArray(counts.map(([ownerId]) => ownerId)),
      bigintArray(counts.map(([, slot]) => slot)),
      bigintArray(counts.map(([, , bytes]) => bytes)),
    ],
  };
}
