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

/** Result of an item. Its members are set as soon as they are known. */
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
  /** The item, as a person names it: "GET /cookie, response 4". */
  readonly name?: string;
  readonly message: string;
}

interface ReportClass {
  readonly code: Code;
  readonly level: Level;
  readonly count: number;
  /** Message of the catalogue for the code; for files, why they are skipped. */
  readonly message: string;
  /** Whether what it counts is among the items that are counted, too. */
  readonly ofItems?: true;
  /** The first places, of files and of a class that is not exact; absent where none is known. */
  readonly first?: readonly SourcePlace[];
}

/** Places that are shown of a class. */
const CLASS_PLACES_MAX = 3;

export type LevelCounts = Record<Level, number>;

export interface Report {
  readonly format: string;
  readonly version?: string;
  /** Sign by which the format was recognised. */
  readonly detectedBy: string;
  readonly items: Readonly<Partial<Record<`${ItemKind}s`, LevelCounts>>>;
  readonly entries: readonly ReportEntry[];
  /** Entries that are the same many times over: counted, not listed. */
  readonly classes: readonly ReportClass[];
  /** Remedy for each code that is not exact. */
  readonly instead: Readonly<Partial<Record<Code, string>>>;
  /** Whether entries were cut. */
  readonly truncated: boolean;
}

/** One item of the source: a route, a response, a rule. */
export class Item {
  readonly kind: ItemKind;
  readonly source: Member | undefined;
  readonly target: Target = {};
  level: Level = 'exact';
  /** Method and path of the item, as soon as they are known. */
  name: string | undefined;
  /** Whether it is counted: not where the items in it are. */
  isCounted = true;
  readonly #report: ReportWriter;

  constructor(report: ReportWriter, kind: ItemKind, source: Member | undefined) {
    this.#report = report;
    this.kind = kind;
    this.source = source;
  }

  /** Counts the item among those that a class makes answer otherwise: without an entry, since they are many. */
  count(code: Code): void {
    const { itemLevel } = CODES[code];
    if (worse(itemLevel, this.level)) this.level = itemLevel;
    this.#report.count(code, 1, this.source, true);
  }

  /**
   * @param source What the entry is about; the item's own place unless given.
   * @param detail Appended to the message of the catalogue.
   */
  note(code: Code, source: Member | undefined = this.source, detail?: string): void {
    const { level, itemLevel } = CODES[code];
    if (worse(itemLevel, this.level)) this.level = itemLevel;
    if (level !== 'exact') this.#report.add(this, level, code, source, detail);
  }

  /** Whether its source is a part of the other's, or both are one. */
  isWithin(other: Item): boolean {
    if (this === other) return true;
    for (let around = this.source?.parent; around !== undefined; around = around.parent)
      if (around.value === other.source?.value) return true;
    return false;
  }

  /** Notes a member that nobody has read, by its name. */
  noteUnknown(code: Code, member: Member): void {
    this.note(code, member, memberName(member));
  }
}

/** Called once with all places. @returns The line of a place, from 1, where it is found. */
type Locate = (places: readonly SourcePlace[]) => (place: SourcePlace) => number | undefined;

export class ReportWriter {
  readonly #items: Item[] = [];
  readonly #bySource = new Map<unknown, Item>();
  readonly #entries = new EntryList();
  readonly #itemOf = new WeakMap<ReportEntry, Item>();
  readonly #classes = new Map<Code, { count: number; readonly places: SourcePlace[]; readonly detail?: string }>();
  /** Classes whose members are items. */
  readonly #ofItems = new Set<Code>();

  item(kind: ItemKind, source?: Member): Item {
    const item = new Item(this, kind, source);
    this.#items.push(item);
    // Equal texts and numbers of other places are one value.
    if (typeof source?.value === 'object' && source.value !== null) this.#bySource.set(source.value, item);
    return item;
  }

  /** @param source Where it is. @param ofItems Whether each is an item, which is counted as one. */
  count(code: Code, count = 1, source?: Member, ofItems = false): void {
    if (ofItems) this.#ofItems.add(code);
    if (count <= 0) return;
    const known = this.#classes.get(code) ?? { count: 0, places: [] };
    this.#classes.set(code, known);
    known.count += count;
    const isShown = source !== undefined && CODES[code].level !== 'exact' && known.places.length < CLASS_PLACES_MAX;
    if (isShown) known.places.push(placeOf(source));
  }

  /** @param detail Appended to the message of the catalogue. */
  countFiles(code: Code, files: readonly string[], detail: string): void {
    const places = files.slice(0, CLASS_PLACES_MAX).map((file) => ({ file, pointer: '' }));
    if (files.length > 0) this.#classes.set(code, { count: files.length, places, detail });
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
    const message = messageOf(code, detail);
    const entry: ReportEntry = { level, code, item: item.kind, source: placeOf(source), target: item.target, message };
    this.#itemOf.set(entry, item);
    this.#entries.add(entry);
  }

  /** "GET /cookie, response 4"; undefined where nothing has a method and a path. */
  #nameOf(item: Item): string | undefined {
    if (item.name !== undefined || item.source === undefined) return item.name;
    for (let around = item.source.parent; around !== undefined; around = around.parent) {
      const outer = this.#bySource.get(around.value);
      if (outer === undefined || outer === item) continue;
      return outer.name === undefined ? undefined : `${outer.name}, ${item.kind} ${placeName(item.source)}`;
    }
    return undefined;
  }

  /** @param locate Finds the lines of the places that the entries name. */
  finish(detection: Pick<Report, 'format' | 'version' | 'detectedBy'>, locate: Locate): Report {
    const lineOf = locate([
      ...this.#entries.all.map(({ source }) => source),
      ...[...this.#classes.values()].flatMap(({ places, detail }) => (detail === undefined ? places : [])),
    ]);
    const located = (place: SourcePlace): SourcePlace => {
      const line = lineOf(place);
      return line === undefined ? place : { ...place, line };
    };
    const items: Partial<Record<`${ItemKind}s`, LevelCounts>> = {};
    for (const { kind, level, isCounted } of this.#items) {
      if (!isCounted) continue;
      const counts = (items[`${kind}s`] ??= { exact: 0, approximated: 0, dropped: 0 });
      counts[level]++;
    }
    const entries = this.#entries.all.map((entry): ReportEntry => {
      const { target, ...rest } = entry;
      const name = this.#nameOf(this.#itemOf.get(entry) as Item);
      return {
        ...rest,
        source: located(entry.source),
        ...(Object.keys(target ?? {}).length === 0 ? {} : { target: { ...target } }),
        ...(name === undefined ? {} : { name }),
      };
    });
    const classes = [...this.#classes].map(([code, { count, places, detail }]): ReportClass => ({
      ...classOf(code, count, detail),
      ...(this.#ofItems.has(code) ? { ofItems: true } : {}),
      ...(places.length === 0 ? {} : { first: places.map(located) }),
    }));
    return {
      ...detection,
      items,
      entries,
      classes,
      instead: insteadOf(entries, classes),
      truncated: this.#entries.isTruncated,
    };
  }
}

function placeOf(source: Member | undefined): SourcePlace {
  return { ...(source?.file ? { file: source.file } : {}), pointer: source?.pointer ?? '' };
}

/** In a list from 1, as people count. */
function placeName({ name, parent }: Member): string {
  return parent?.isArray === true ? String(Number(name) + 1) : name;
}

/** "`latency`", or "`stubs`, item 3". */
function memberName({ name, parent }: Member): string | undefined {
  if (parent === undefined) return undefined;
  return parent.isArray ? [memberName(parent), `item ${Number(name) + 1}`].filter(Boolean).join(', ') : `\`${name}\``;
}

export function insteadOf(entries: readonly ReportEntry[], classes: readonly ReportClass[]): Report['instead'] {
  const codes = [...entries, ...classes].flatMap(({ level, code }) => (level === 'exact' ? [] : [code]));
  return Object.fromEntries(codes.map((code) => [code, CODES[code].instead]));
}

export function classOf(code: Code, count: number, detail?: string): ReportClass {
  return { code, level: CODES[code].level, count, message: messageOf(code, detail) };
}

function messageOf(code: Code, detail: string | undefined): string {
  const { text } = CODES[code];
  return detail === undefined ? text : `${text}: ${detail}`;
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
