/**
 * The exchanges of the gateway, for each owner: the newest ones, within a bound of memory, and exact counts of all.
 *
 * Credentials are replaced before anything is kept. Bodies are in a recording beside it (recorded-exchanges.ts).
 */
import { atOnce, inSlices } from '../../base/slices.ts';
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
import { redactExchange } from './redact-exchange.ts';

/** What a record takes beside its texts, and each of its steps, changes, and rules that were skipped. */
const RECORD_BYTES = 800;
const PART_BYTES = 150;
/** Exchanges that are looked at between two pauses. */
const STRIDE = 64;
/** One owner keeps at most this part of all. */
const OWNER_SHARE = 4;
/** The oldest leave together, this part of an owner's: removing one from the front moves all others. */
const DROPPED_SHARE = 8;

/** Its end is noted later. */
type KeptExchange = { -readonly [Name in keyof ExchangeRecord]: ExchangeRecord[Name] };

interface OwnerLog {
  /** The oldest come first. */
  kept: KeptExchange[];
  bytes: number;
  lastNumber: number;
  /** That of the last one before the reset, and how many resets there were. */
  readonly numbersFrom: number;
  readonly resets: number;
  /** Whether any was dropped since the start, or the reset. */
  truncated: boolean;
  counts: Counts;
}

/** An exchange that is over as far as its head. */
export interface GivenExchange extends Omit<ExchangeRecord, 'number'> {
  /** A body that a rule has written, where bodies are kept. */
  readonly written?: Buffer | undefined;
}

export class ExchangeLog {
  /** The owners that have had no exchange for the longest come first. */
  readonly #owners = new Map<string, OwnerLog>();
  readonly #bytesMax: number;
  readonly #key: SecretKey;
  readonly #recorded: Pick<RecordedExchanges, 'entriesOf' | 'clear'>;
  #bytes = 0;
  /** The sums of all owners, never reset: for metrics. */
  readonly totals: Counts = { ...newCounts(), rules: undefined };

  /** @param key That of all that this process keeps. @param recorded Where bodies are. */
  constructor(
    bytesMax: number,
    key = new SecretKey(),
    recorded: Pick<RecordedExchanges, 'entriesOf' | 'clear'> = NOTHING_RECORDED,
  ) {
    this.#bytesMax = bytesMax;
    this.#key = key;
    this.#recorded = recorded;
  }

  /**
   * @param redact Names whose values are not kept, besides those of common credentials.
   * @returns To be called when the answer was sent as a whole, with the milliseconds from the head of the request on.
   */
  add(ownerId: string, { written, ...given }: GivenExchange, redact: RedactedNames = {}): (totalMs: number) => void {
    const owner = this.#owners.get(ownerId) ?? newLog();
    this.#owners.delete(ownerId);
    this.#owners.set(ownerId, owner);
    const secrets = this.#key.of(redact);
    const record = redactExchange({ ...given, number: ++owner.lastNumber }, secrets);
    const kept: KeptExchange = { ...record };
    if (written !== undefined) kept.responseBody = writtenBody(written, typeOf(record), secrets);
    const bytes = bytesOf(kept);
    owner.kept.push(kept);
    owner.bytes += bytes;
    this.#bytes += bytes;
    countExchange(owner.counts, kept);
    countExchange(this.totals, kept);
    if (owner.bytes > this.#bytesMax / OWNER_SHARE) this.#drop(owner);
    while (this.#bytes > this.#bytesMax) {
      const oldest = [...this.#owners.values()].find((each) => each.kept.length > 0);
      if (oldest === undefined) break;
      this.#drop(oldest);
    }
    return (totalMs) => {
      kept.totalMs = totalMs;
    };
  }

  /** In slices of the event loop: what is added in between is not in it. */
  async read(ownerId: string, filter: ExchangeFilter): Promise<ExchangePage> {
    const { bodyContains, q } = filter.selection ?? {};
    const needsBodies = bodyContains !== undefined || q !== undefined || filter.withBodies === true;
    const entries = needsBodies ? await this.#recorded.entriesOf(ownerId, false) : NO_ENTRIES;
    return inSlices(this.#pageOf(ownerId, filter, entries));
  }

  /** At once, and without bodies. */
  page(ownerId: string, filter: ExchangeFilter): ExchangePage {
    return atOnce(this.#pageOf(ownerId, filter, NO_ENTRIES));
  }

  *#pageOf(ownerId: string, filter: ExchangeFilter, entries: Entries): Generator<void, ExchangePage> {
    const { selection = {}, afterNumber = 0, upToNumber = Infinity, beforeNumber = Infinity } = filter;
    const { kept, truncated, lastNumber, resets, numbersFrom, counts } = this.#owners.get(ownerId) ?? newLog();
    const passed = Math.min(upToNumber, lastNumber);
    const range = kept.slice(placeBehind(kept, afterNumber), placeBehind(kept, passed));
    const totals = filter.countsStatuses === true ? { totals: totalsOf(counts) } : {};
    const { matching, unjudged } = yield* fitting(range, new ExchangeMatch(selection), entries);
    const asked = matching.filter(({ number }) => number < beforeNumber);
    const records = pageOf(filter.isOldestFirst === true ? asked : asked.toReversed(), filter, entries);
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
    const found = this.#owners.get(ownerId)?.kept.find((record) => record.number === number);
    if (found?.recording === undefined) return found;
    const entries = await this.#recorded.entriesOf(ownerId, true);
    return withBodies(found, entries.get(found.recording));
  }

  counts(ownerId: string): ExchangeCounts {
    return shownCounts(this.#owners.get(ownerId)?.counts ?? newCounts());
  }

  /** Numbers go on. @param stays Whether an exchange outlives it: as those of live sessions do. */
  async reset(ownerId: string, stays: (exchange: ExchangeRecord) => boolean = () => false): Promise<void> {
    const owner = this.#owners.get(ownerId);
    const kept = owner?.kept.filter(stays) ?? [];
    if (owner !== undefined) {
      const { lastNumber, resets } = owner;
      const bytes = kept.reduce((sum, record) => sum + bytesOf(record), 0);
      // Older ones of those that stay may have been dropped.
      const truncated = owner.truncated && kept.length > 0;
      const numbers = { lastNumber, numbersFrom: lastNumber, resets: resets + 1 };
      this.#bytes += bytes - owner.bytes;
      this.#owners.set(ownerId, { ...newLog(), kept, bytes, truncated, ...numbers });
    }
    await this.#recorded.clear(ownerId, new Set(kept.map(({ recording }) => recording ?? 0)));
  }

  #drop(owner: OwnerLog): void {
    const dropped = owner.kept.splice(0, Math.ceil(owner.kept.length / DROPPED_SHARE));
    const bytes = dropped.reduce((sum, record) => sum + bytesOf(record), 0);
    owner.bytes -= bytes;
    this.#bytes -= bytes;
    owner.truncated = true;
  }
}

/** How many have no higher number: a reset leaves gaps. */
function placeBehind(kept: readonly ExchangeRecord[], number: number): number {
  let [low, high] = [0, kept.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((kept[middle] as ExchangeRecord).number <= number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function* fitting(
  range: readonly ExchangeRecord[],
  match: ExchangeMatch,
  entries: Entries,
): Generator<void, { readonly matching: readonly ExchangeRecord[]; readonly unjudged: number }> {
  const matching: ExchangeRecord[] = [];
  let unjudged = 0;
  for (const [index, record] of range.entries()) {
    if (index % STRIDE === STRIDE - 1) yield;
    const fit = match.fit(record, ({ recording = 0 }) => {
      const entry = entries.get(recording);
      return entry && requestBodyOf(entry);
    });
    if (fit === true) matching.push(record);
    else if (fit === 'unjudged') unjudged++;
  }
  return { matching, unjudged };
}

/** As many as fit, and one at least. */
function pageOf(
  asked: readonly ExchangeRecord[],
  { limit, bytesMax = PAGE_BYTES_MAX, withBodies: areWhole = false }: ExchangeFilter,
  entries: Entries,
): ExchangeRecord[] {
  const records: ExchangeRecord[] = [];
  let bytes = 0;
  for (const record of asked.slice(0, limit)) {
    const entry = areWhole ? entries.get(record.recording ?? 0) : undefined;
    bytes += bytesOf(record) + (entry?.packed.length ?? 0);
    if (records.length > 0 && bytes > bytesMax) break;
    records.push(withBodies(record, entry));
  }
  return records;
}

function newLog(): OwnerLog {
  return { kept: [], bytes: 0, lastNumber: 0, numbersFrom: 0, resets: 0, truncated: false, counts: newCounts() };
}

function typeOf({ responseHeaders }: ExchangeRecord): string {
  return responseHeaders.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
}

function bytesOf({ url, requestHeaders, responseHeaders, upstream, steps, skipped, ...rest }: ExchangeRecord): number {
  const { location, reason, statusText, responseBody } = rest;
  let bytes = RECORD_BYTES + url.length + statusText.length + PART_BYTES * skipped.length;
  for (const text of [location, reason, responseBody?.body]) bytes += text?.length ?? 0;
  for (const lines of [requestHeaders, responseHeaders, upstream?.headers ?? []]) {
    for (const { name, value } of lines) bytes += name.length + value.length;
  }
  for (const { text } of rest.console ?? []) bytes += PART_BYTES + text.length;
  for (const { name, changed } of steps) {
    bytes += PART_BYTES * (1 + changed.length) + name.length;
    for (const { before, after } of changed) bytes += (before?.length ?? 0) + (after?.length ?? 0);
  }
  return bytes;
}
