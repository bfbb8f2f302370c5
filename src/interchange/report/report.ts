/**
 * The report of an import or an export: what became of every item, and of every member of the source.
 *
 * The level of an item is the worst of its entries; an item without an entry is exact. Counts are exact even where entries are cut.
 */
import { REPORT_BYTES_MAX, REPORT_ENTRIES_MAX } from '../../limits.ts';
import { CODES, type Code } from './codes.ts';
import { LEVELS, type Level } from '../codes/facts.ts';
import type { Member } from '../source/member.ts';

/** A `stub` is a condition with its responses, in files that have no routes. `file` is what belongs to no record of a file of rules. */
export const ITEM_KINDS = ['mock', 'route', 'response', 'stub', 'file', 'rule', 'group'] as const;
type ItemKind = (typeof ITEM_KINDS)[number];

export interface SourcePlace {
  /** Absent for a file that came alone. */
  readonly file?: string;
  readonly pointer: string;
  /** From 1. Absent where it is not known. */
  readonly line?: number;
}

/** What an item became. Its members are set as soon as they are known. */
interface Target {
  routeId?: string;
  responseId?: string;
  ruleId?: string;
  groupId?: string;
}

export interface ReportEntry {
  readonly level: Exclude<Level, 'exact'>;
  readonly code: Code;
  readonly item: ItemKind;
  readonly source: SourcePlace;
  readonly target?: Target;
  readonly message: string;
}

interface ReportClass {
  readonly code: Code;
  readonly level: Level;
  readonly count: number;
  /** What the catalogue says of the code. */
  readonly message: string;
}

export type LevelCounts = Record<Level, number>;

export interface Report {
  readonly format: string;
  readonly version?: string;
  /** What the format was recognised by. */
  readonly detectedBy: string;
  readonly items: Readonly<Partial<Record<`${ItemKind}s`, LevelCounts>>>;
  readonly entries: readonly ReportEntry[];
  /** Members that are the same thing many times over: counted, not listed. */
  readonly classes: readonly ReportClass[];
  /** Whether entries were cut. */
  readonly truncated: boolean;
}

/** One item of the source: a route, a response, a rule. */
export class Item {
  readonly kind: ItemKind;
  readonly source: Member | undefined;
  readonly target: Target = {};
  level: Level = 'exact';
  readonly #report: ReportWriter;

  constructor(report: ReportWriter, kind: ItemKind, source: Member | undefined) {
    this.#report = report;
    this.kind = kind;
    this.source = source;
  }

  /** Counts the item among those that a class makes answer otherwise: without an entry, since they are many. */
  count(code: Code): void {
    if (worse(CODES[code].level, this.level)) this.level = CODES[code].level;
    this.#report.count(code);
  }

  /**
   * @param source What the entry is about; the item's own place unless given.
   * @param detail Appended to the message of the catalogue.
   */
  note(code: Code, source: Member | undefined = this.source, detail?: string): void {
    const { level } = CODES[code];
    if (worse(level, this.level)) this.level = level;
    if (level !== 'exact') this.#report.add(this, level, code, source, detail);
  }
}

/** Called once with all places. @returns The line of a place, from 1, where it is found. */
type Locate = (places: readonly SourcePlace[]) => (place: SourcePlace) => number | undefined;

export class ReportWriter {
  readonly #items: Item[] = [];
  readonly #bySource = new Map<unknown, Item>();
  readonly #entries = new EntryList();
  readonly #classes = new Map<Code, number>();

  item(kind: ItemKind, source?: Member): Item {
    const item = new Item(this, kind, source);
    this.#items.push(item);
    // Equal texts and numbers of other places are one value.
    if (typeof source?.value === 'object' && source.value !== null) this.#bySource.set(source.value, item);
    return item;
  }

  /** Counts members of a class, which belong to no item. */
  count(code: Code, count = 1): void {
    this.#classes.set(code, (this.#classes.get(code) ?? 0) + count);
  }

  /** The innermost item whose source contains the member; the first item of the report when none does. */
  itemOf(member: Member): Item {
    for (let around: Member | undefined = member; around !== undefined; around = around.parent) {
      const item = this.#bySource.get(around.value);
      if (item !== undefined) return item;
    }
    return this.#items[0] as Item;
  }

  add(item: Item, level: 'approximated' | 'dropped', code: Code, source: Member | undefined, detail?: string): void {
    const { text } = CODES[code];
    const message = detail === undefined ? text : `${text}: ${detail}`;
    const place = { ...(source?.file ? { file: source.file } : {}), pointer: source?.pointer ?? '' };
    this.#entries.add({ level, code, item: item.kind, source: place, target: item.target, message });
  }

  /** @param locate Finds the lines of the places that the entries name. */
  finish(detection: Pick<Report, 'format' | 'version' | 'detectedBy'>, locate: Locate): Report {
    const lineOf = locate(this.#entries.all.map(({ source }) => source));
    const items: Partial<Record<`${ItemKind}s`, LevelCounts>> = {};
    for (const { kind, level } of this.#items) {
      const counts = (items[`${kind}s`] ??= { exact: 0, approximated: 0, dropped: 0 });
      counts[level]++;
    }
    return {
      ...detection,
      items,
      entries: this.#entries.all.map((entry) => {
        const line = lineOf(entry.source);
        const source = line === undefined ? entry.source : { ...entry.source, line };
        const { target, ...rest } = entry;
        return Object.keys(target ?? {}).length === 0
          ? { ...rest, source }
          : { ...rest, source, target: { ...target } };
      }),
      classes: [...this.#classes].map(([code, count]) => classOf(code, count)),
      truncated: this.#entries.isTruncated,
    };
  }
}

export function classOf(code: Code, count: number): ReportClass {
  const { level, text } = CODES[code];
  return { code, level, count, message: text };
}

/** The entries of a report, within its bounds. */
export class EntryList {
  readonly #entries: ReportEntry[] = [];
  #bytes = 0;
  /** Entries of that level. */
  #approximated = 0;
  #isTruncated = false;

  get all(): readonly ReportEntry[] {
    return this.#entries;
  }

  /** Whether entries were cut. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  add(entry: ReportEntry): void {
    const bytes = bytesOf(entry);
    // What is lost is listed rather than what is only otherwise.
    if (entry.level === 'dropped') this.#makeRoom(bytes);
    if (this.#isFull(bytes)) {
      this.#isTruncated = true;
      return;
    }
    this.#bytes += bytes;
    if (entry.level === 'approximated') this.#approximated++;
    this.#entries.push(entry);
  }

  #isFull(bytes: number): boolean {
    return this.#entries.length >= REPORT_ENTRIES_MAX || this.#bytes + bytes > REPORT_BYTES_MAX;
  }

  #makeRoom(bytes: number): void {
    if (bytes > REPORT_BYTES_MAX) return;
    while (this.#isFull(bytes) && this.#approximated > 0) this.#removeApproximated();
  }

  #removeApproximated(): void {
    const last = this.#entries.findLastIndex(({ level }) => level === 'approximated');
    const [removed] = this.#entries.splice(last, 1) as [ReportEntry];
    this.#bytes -= bytesOf(removed);
    this.#approximated--;
    this.#isTruncated = true;
  }
}

/** Bytes of an entry's members beside its texts. */
const ENTRY_BYTES = 120;

function bytesOf({ message, source }: ReportEntry): number {
  return message.length + source.pointer.length + ENTRY_BYTES;
}

function worse(one: Level, other: Level): boolean {
  return LEVELS.indexOf(one) > LEVELS.indexOf(other);
}
