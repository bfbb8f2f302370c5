/**
 * Records of the callbacks of each mock, in memory: a bounded list of the newest, and who waits for a change of it. When all lists
 * reach their bound, the owner that has most loses the oldest of its mock that has most.
 */
import { LargestPartFirst } from '../../base/largest-first.ts';
import { randomId } from '../../base/random-id.ts';
import { CALLBACK_RECORDS_BYTES_MAX, CALLBACK_RECORDS_IN_ALL_BYTES_MAX, CALLBACK_RECORDS_MAX } from '../../limits.ts';
import type {
  CallbackFilter,
  CallbackPage,
  CallbackQuestion,
  CallbackRecord,
} from '../../model/mocks/callback-record.ts';

/** A record while it may change. */
export type KeptRecord = { -readonly [Name in keyof CallbackRecord]: CallbackRecord[Name] } & {
  readonly ownerId: string;
  /** When the session was made: its id may have been that of another. */
  readonly sessionCreatedAt: number;
  /** How long its headers are: what attempts add to them is bounded. */
  readonly headerChars: number;
};

interface MockRecords {
  /** The oldest first. */
  kept: KeptRecord[];
  bytes: number;
  isTruncated: boolean;
  revision: number;
  readonly waiting: Set<() => void>;
}

/** A record apart from its texts. */
const RECORD_BYTES = 512;

export class CallbackRecords {
  readonly #epoch = randomId(12);
  readonly #since = Date.now();
  readonly #byMock = new Map<string, MockRecords>();
  readonly #shares = new LargestPartFirst<MockRecords>();
  /** The last one of any mock: what is forgotten leaves none that may come again. */
  #revision = 0;
  /** Whether any may be missing of which nothing is known. */
  #isIncomplete = false;

  add(mockId: string, record: KeptRecord): void {
    const records = this.#of(mockId);
    records.kept.push(record);
    this.#count(records, record, 1);
    while (records.kept.length > CALLBACK_RECORDS_MAX || records.bytes > CALLBACK_RECORDS_BYTES_MAX)
      this.#dropOldest(records);
    while (this.#shares.total > CALLBACK_RECORDS_IN_ALL_BYTES_MAX)
      this.#dropOldest(this.#shares.largest() as MockRecords);
    this.changed(mockId);
  }

  changed(mockId: string): void {
    const records = this.#byMock.get(mockId);
    if (records === undefined) return;
    records.revision = ++this.#revision;
    for (const wake of records.waiting) wake();
  }

  /** Callbacks were lost before they came here. */
  noteLoss(): void {
    this.#isIncomplete = true;
  }

  /** @param keep Whether a record stays. */
  forget(mockId: string, keep: (record: KeptRecord) => boolean): void {
    const records = this.#byMock.get(mockId);
    if (records === undefined) return;
    const kept = records.kept.filter(keep);
    for (const record of records.kept) if (!keep(record)) this.#count(records, record, -1);
    records.kept = kept;
    if (kept.length === 0 && records.waiting.size === 0) this.#byMock.delete(mockId);
    else this.changed(mockId);
  }

  async page(question: CallbackQuestion): Promise<CallbackPage> {
    const { mockId, after } = question;
    if (after !== undefined && after.revision === this.#revisionOf(mockId)) await this.#change(mockId, after.waitMs);
    return this.#page(question);
  }

  #page({ mockId, scope, filter, before = Infinity, limit }: CallbackQuestion): CallbackPage {
    const records = this.#byMock.get(mockId);
    const found = (records?.kept ?? []).filter(
      (record) =>
        (scope === undefined || (record.session === scope.session && record.sessionCreatedAt === scope.createdAt)) &&
        fits(record, filter),
    );
    const older = found.filter(({ number }) => number < before);
    return {
      records: older
        .slice(Math.max(0, older.length - limit))
        .toReversed()
        .map(({ ownerId: _whose, sessionCreatedAt: _inside, headerChars: _too, ...record }) => record),
      total: found.length,
      hasMore: older.length > limit,
      truncated: this.#isIncomplete || records?.isTruncated === true,
      revision: this.#revisionOf(mockId),
      epoch: this.#epoch,
      epochSince: this.#since,
    };
  }

  #revisionOf(mockId: string): string {
    return `${this.#epoch}-${this.#byMock.get(mockId)?.revision ?? 0}`;
  }

  #change(mockId: string, waitMs: number): Promise<void> {
    const { waiting } = this.#of(mockId);
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, waitMs);
      waiting.add(wake);
    });
  }

  #of(mockId: string): MockRecords {
    let records = this.#byMock.get(mockId);
    if (records === undefined) {
      records = { kept: [], bytes: 0, isTruncated: false, revision: 0, waiting: new Set() };
      this.#byMock.set(mockId, records);
    }
    return records;
  }

  #dropOldest(records: MockRecords): void {
    const oldest = records.kept.shift();
    if (oldest === undefined) return;
    this.#count(records, oldest, -1);
    records.isTruncated = true;
  }

  #count(records: MockRecords, record: KeptRecord, sign: 1 | -1): void {
    const bytes = sign * bytesOf(record);
    records.bytes += bytes;
    this.#shares.change(record.ownerId, records, bytes);
  }
}

/** The same as long as it is kept: what attempts add is bounded. */
function bytesOf({ url, headerChars, body }: KeptRecord): number {
  return RECORD_BYTES + 2 * (url.length + headerChars + body.length);
}

function fits(record: KeptRecord, filter: CallbackFilter): boolean {
  const { session, name, url, method, header, bodyContains, state, attempts } = filter;
  return (
    (session === undefined || record.session === session) &&
    (name === undefined || record.name === name) &&
    (url === undefined || record.url === url) &&
    (method === undefined || record.method === method) &&
    (state === undefined || record.state === state) &&
    (attempts === undefined || record.attempts.length === attempts) &&
    (bodyContains === undefined || record.body.includes(bodyContains)) &&
    (header === undefined || Object.entries(header).every(([asked, value]) => hasLine(record, asked, value)))
  );
}

function hasLine({ headers }: KeptRecord, asked: string, expected: string): boolean {
  return headers.some(({ name, value }) => name.toLowerCase() === asked && value === expected);
}
