/**
 * The exchanges of the gateway, for each owner: the newest ones, within a bound of memory, and exact counts of all. When all owners
 * reach the bound, the one that has most loses its oldest.
 *
 * Credentials are replaced before anything is kept. Bodies are in a recording beside it (recorded-exchanges.ts).
 */
import { LargestFirst } from '../../base/largest-first.ts';
import { FairShares } from '../../base/fair-shares.ts';
import { atOnce } from '../../base/slices.ts';
import { PAGE_BYTES_MAX } from '../../limits.ts';
import {
  type ExchangeCounts,
  type ExchangeFilter,
  type ExchangePage,
  type ExchangeRecord,
} from '../../model/gateway/exchange.ts';
import type { RedactedNames } from '../../model/mocks/definition/definition.ts';
import { requestBodyOf } from '../recording/kept-exchange.ts';
import { SecretKey } from '../recording/secrets.ts';
import { countExchange, newCounts, shownCounts, totalsOf, type Counts } from './exchange-counts.ts';
import { ExchangeMatch } from './match-exchange.ts';
import {
  NO_ENTRIES,
  NOTHING_RECORDED,
  withBodies,
  writtenBody,
  type Entries,
  type RecordedExchanges,
} from './recorded-exchanges.ts';
import { KeptExchanges, type SessionOf } from './kept-exchanges.ts';
import { packExchange, type GivenExchange } from './packed-exchange.ts';

/** Exchanges that are looked at between two pauses. */
const STRIDE = 64;
/** One owner keeps at most this part of all. */
const OWNER_SHARE = 4;
interface OwnerLog {
  readonly kept: KeptExchanges;
  lastNumber: number;
  /** That of the last one before the reset, and how many resets there were. */
  readonly numbersFrom: number;
  readonly resets: number;
  /** Whether any was dropped since the start, or the reset. */
  truncated: boolean;
  counts: Counts;
}

export class ExchangeLog {
  readonly #owners = new Map<string, OwnerLog>();
  readonly #bytesMax: number;
  readonly #key: SecretKey;
  readonly #recorded: Pick<RecordedExchanges, 'entriesOf' | 'clear'>;
  readonly #shares = new LargestFirst<string>();
  /** The sums of all owners, never reset: for metrics. */
  readonly totals: Counts = { ...newCounts(), rules: undefined };
  readonly #turns: FairShares;

  /** @param key That of all that this process keeps. @param recorded Where bodies are. @param turns The event loop of this process. */
  constructor(
    bytesMax: number,
    key = new SecretKey(),
    recorded: Pick<RecordedExchanges, 'entriesOf' | 'clear'> = NOTHING_RECORDED,
    turns = new FairShares(),
  ) {
    this.#bytesMax = bytesMax;
    this.#key = key;
    this.#recorded = recorded;
    this.#turns = turns;
  }

  /**
   * @param redact Names whose values are not kept, besides those of common credentials.
   * @returns To be called when the answer was sent as a whole, with the milliseconds from the head of the request on.
   */
  add(ownerId: string, given: GivenExchange, redact: RedactedNames = {}): (totalMs: number) => void {
    const owner = this.#owners.get(ownerId) ?? newLog();
    this.#owners.set(ownerId, owner);
    const secrets = this.#key.of(redact);
    const responseBody = given.written && writtenBody(given.written, contentType(given), secrets);
    const number = ++owner.lastNumber;
    const { recording, session, sessionMadeAt } = given;
    const before = owner.kept.bytes;
    const packed = packExchange(given, { number, responseBody }, secrets);
    const noteTotal = owner.kept.push(packed, { number, recording, session, sessionMadeAt });
    this.#shares.change(ownerId, owner.kept.bytes - before);
    countExchange(owner.counts, given);
    countExchange(this.totals, given);
    while (owner.kept.bytes > this.#bytesMax / OWNER_SHARE) this.#drop(ownerId);
    while (this.#shares.total > this.#bytesMax) this.#drop(this.#shares.largest() as string);
    return noteTotal;
  }

  /** In slices of the event loop: what is added in between is not in it. */
  async read(ownerId: string, filter: ExchangeFilter): Promise<ExchangePage> {
    const { bodyContains, q } = filter.selection ?? {};
    const needsBodies = bodyContains !== undefined || q !== undefined || filter.withBodies === true;
    const entries = needsBodies ? await this.#recorded.entriesOf(ownerId, false) : NO_ENTRIES;
    return this.#turns.read(ownerId, this.#pageOf(ownerId, filter, entries));
  }

  /** At once, and without bodies. */
  page(ownerId: string, filter: ExchangeFilter): ExchangePage {
    return atOnce(this.#pageOf(ownerId, filter, NO_ENTRIES));
  }

  *#pageOf(ownerId: string, filter: ExchangeFilter, entries: Entries): Generator<void, ExchangePage> {
    const { selection = {}, afterNumber = 0, upToNumber = Infinity, beforeNumber = Infinity } = filter;
    const { kept, truncated, lastNumber, resets, numbersFrom, counts } = this.#owners.get(ownerId) ?? newLog();
    const passed = Math.min(upToNumber, lastNumber);
    const range = kept.numbersBetween(afterNumber, passed);
    const totals = filter.countsStatuses === true ? { totals: totalsOf(counts) } : {};
    const { matching, unjudged } = yield* fitting(kept, range, new ExchangeMatch(selection), entries);
    const asked = matching.filter((number) => number < beforeNumber);
    const records = pageOf(kept, filter.isOldestFirst === true ? asked : asked.toReversed(), filter, entries);
    return {
      records,
      count: matching.length,
      unjudged,
      seen: range.length,
      passed,
      dropped: 0,
      hasMore: asked.length > records.length,
      truncated,
      newestNumber: lastNumber,
      numbersFrom,
      resets,
      ...totals,
    };
  }

  async find(ownerId: string, number: number): Promise<ExchangeRecord | undefined> {
    const found = this.#owners.get(ownerId)?.kept.read(number);
    if (found?.recording === undefined) return found;
    const entries = await this.#recorded.entriesOf(ownerId, true);
    return withBodies(found, entries.get(found.recording));
  }

  counts(ownerId: string): ExchangeCounts {
    return shownCounts(this.#owners.get(ownerId)?.counts ?? newCounts());
  }

  /** Numbers go on. @param stays Whether one of a session outlives it: as those of live ones do. */
  async reset(ownerId: string, stays: (exchange: SessionOf) => boolean = () => false): Promise<void> {
    const owner = this.#owners.get(ownerId);
    const kept = owner?.kept.only(stays) ?? new KeptExchanges();
    if (owner !== undefined) {
      const { lastNumber, resets } = owner;
      // Older ones of those that stay may have been dropped.
      const truncated = owner.truncated && !kept.isEmpty;
      const numbers = { lastNumber, numbersFrom: lastNumber, resets: resets + 1 };
      this.#shares.change(ownerId, kept.bytes - owner.kept.bytes);
      this.#owners.set(ownerId, { ...newLog(), kept, truncated, ...numbers });
    }
    await this.#recorded.clear(ownerId, kept.recordings());
  }

  /** Counts of the owner stay. @param goes Whether one of a session does not stay. */
  async clear(ownerId: string, goes: (exchange: SessionOf) => boolean): Promise<void> {
    const owner = this.#owners.get(ownerId);
    if (owner === undefined) return;
    const kept = owner.kept.only((exchange) => !goes(exchange));
    this.#shares.change(ownerId, kept.bytes - owner.kept.bytes);
    this.#owners.set(ownerId, { ...owner, kept });
    await this.#recorded.clear(ownerId, kept.recordings());
  }

  #drop(ownerId: string): void {
    const owner = this.#owners.get(ownerId) as OwnerLog;
    const before = owner.kept.bytes;
    owner.kept.drop();
    this.#shares.change(ownerId, owner.kept.bytes - before);
    owner.truncated = true;
  }
}

function* fitting(
  kept: KeptExchanges,
  range: readonly number[],
  match: ExchangeMatch,
  entries: Entries,
): Generator<void, { readonly matching: readonly number[]; readonly unjudged: number }> {
  const matching: number[] = [];
  let unjudged = 0;
  for (const [index, number] of range.entries()) {
    if (index % STRIDE === STRIDE - 1) yield;
    const record = kept.read(number);
    // It was dropped in between.
    if (record === undefined) continue;
    const fit = match.fit(record, ({ recording = 0 }) => {
      const entry = entries.get(recording);
      return entry && requestBodyOf(entry);
    });
    if (fit === true) matching.push(number);
    else if (fit === 'unjudged') unjudged++;
  }
  return { matching, unjudged };
}

/** Takes as many as fit, and at least one. */
function pageOf(
  kept: KeptExchanges,
  asked: readonly number[],
  { limit, bytesMax = PAGE_BYTES_MAX, withBodies: areWhole = false }: ExchangeFilter,
  entries: Entries,
): ExchangeRecord[] {
  const records: ExchangeRecord[] = [];
  let bytes = 0;
  for (const number of asked.slice(0, limit)) {
    const record = kept.read(number);
    if (record === undefined) continue;
    const entry = areWhole ? entries.get(record.recording ?? 0) : undefined;
    bytes += kept.bytesOf(number) + (entry?.packed.length ?? 0);
    if (records.length > 0 && bytes > bytesMax) break;
    records.push(withBodies(record, entry));
  }
  return records;
}

function newLog(): OwnerLog {
  const kept = new KeptExchanges();
  return { kept, lastNumber: 0, numbersFrom: 0, resets: 0, truncated: false, counts: newCounts() };
}

function contentType({ responseHeaders }: GivenExchange): string {
  return responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
}
