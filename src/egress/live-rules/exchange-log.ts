/**
 * The exchanges of the gateway, for each owner: the newest ones, within a bound of memory, and exact counts of all.
 *
 * Bodies are not kept, and credentials are replaced before anything is.
 */
import {
  type ExchangeCounts,
  type ExchangeFilter,
  type ExchangePage,
  type ExchangeRecord,
} from '../../model/gateway/exchange.ts';
import type { RedactedNames } from '../../model/mocks/definition/definition.ts';
import { SecretKey } from '../recording/secrets.ts';
import { countExchange, newCounts, shownCounts, type Counts } from './exchange-counts.ts';
import { redactExchange } from './redact-exchange.ts';

/** What a record takes beside its texts, and each of its steps, changes, and rules that were skipped. */
const RECORD_BYTES = 800;
const PART_BYTES = 150;
/** One owner keeps at most this part of all. */
const OWNER_SHARE = 4;
/** The oldest leave together, this part of an owner's: removing one from the front moves all others. */
const DROPPED_SHARE = 8;

interface OwnerLog {
  /** The oldest come first. */
  kept: ExchangeRecord[];
  bytes: number;
  lastNumber: number;
  /** Whether any was dropped since the start, or the reset. */
  truncated: boolean;
  counts: Counts;
}

export class ExchangeLog {
  /** The owners that have had no exchange for the longest come first. */
  readonly #owners = new Map<string, OwnerLog>();
  readonly #bytesMax: number;
  readonly #key = new SecretKey();
  #bytes = 0;
  /** The sums of all owners, never reset: for metrics. */
  readonly totals: Counts = { ...newCounts(), rules: undefined };

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @param redact Names whose values are not kept, besides those of common credentials. */
  add(ownerId: string, given: Omit<ExchangeRecord, 'number'>, redact: RedactedNames = {}): void {
    const owner = this.#owners.get(ownerId) ?? newLog();
    this.#owners.delete(ownerId);
    this.#owners.set(ownerId, owner);
    const record = redactExchange({ number: ++owner.lastNumber, ...given }, this.#key.of(redact));
    const bytes = bytesOf(record);
    owner.kept.push(record);
    owner.bytes += bytes;
    this.#bytes += bytes;
    countExchange(owner.counts, record);
    countExchange(this.totals, record);
    if (owner.bytes > this.#bytesMax / OWNER_SHARE) this.#drop(owner);
    while (this.#bytes > this.#bytesMax) {
      const oldest = [...this.#owners.values()].find(({ kept }) => kept.length > 0);
      if (oldest === undefined) break;
      this.#drop(oldest);
    }
  }

  page(ownerId: string, filter: ExchangeFilter): ExchangePage<ExchangeRecord> {
    const { kept, truncated } = this.#owners.get(ownerId) ?? newLog();
    const matching = kept.filter((record) => isWanted(record, filter)).toReversed();
    const older = matching.filter(({ number }) => number < (filter.before ?? Infinity));
    const records = older.slice(0, filter.limit);
    const nextBefore = older.length > records.length ? (records.at(-1)?.number ?? null) : null;
    return { records, total: matching.length, truncated, nextBefore };
  }

  find(ownerId: string, number: number): ExchangeRecord | undefined {
    return this.#owners.get(ownerId)?.kept.find((record) => record.number === number);
  }

  counts(ownerId: string): ExchangeCounts {
    return shownCounts(this.#owners.get(ownerId)?.counts ?? newCounts());
  }

  /** Numbers go on. */
  reset(ownerId: string): void {
    const owner = this.#owners.get(ownerId);
    if (owner === undefined) return;
    this.#bytes -= owner.bytes;
    this.#owners.set(ownerId, { ...newLog(), lastNumber: owner.lastNumber });
  }

  #drop(owner: OwnerLog): void {
    const dropped = owner.kept.splice(0, Math.ceil(owner.kept.length / DROPPED_SHARE));
    const bytes = dropped.reduce((sum, record) => sum + bytesOf(record), 0);
    owner.bytes -= bytes;
    this.#bytes -= bytes;
    owner.truncated = true;
  }
}

function newLog(): OwnerLog {
  return { kept: [], bytes: 0, lastNumber: 0, truncated: false, counts: newCounts() };
}

function isWanted({ url, ruleIds, outcome, session }: ExchangeRecord, filter: ExchangeFilter): boolean {
  return (
    (filter.outcome === undefined || outcome === filter.outcome) &&
    (filter.session === undefined || session === filter.session) &&
    (filter.ruleId === undefined || ruleIds.includes(filter.ruleId)) &&
    (filter.host === undefined || hostOf(url) === filter.host.toLowerCase())
  );
}

function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).host : undefined;
}

function bytesOf({ url, requestHeaders, responseHeaders, upstream, steps, skipped, ...rest }: ExchangeRecord): number {
  let bytes = RECORD_BYTES + url.length + (rest.location?.length ?? 0) + PART_BYTES * skipped.length;
  for (const lines of [requestHeaders, responseHeaders, upstream?.headers ?? []]) {
    for (const { name, value } of lines) bytes += name.length + value.length;
  }
  for (const { name, changed } of steps) {
    bytes += PART_BYTES * (1 + changed.length) + name.length;
    for (const { before, after } of changed) bytes += (before?.length ?? 0) + (after?.length ?? 0);
  }
  return bytes;
}
