/**
 * Where rules act, in the thread of dry runs and in the egress process: the compiled rules of owners, by owner and version.
 * The least recently used leave when all together exceed a bound. rule-changes.ts sends what has changed.
 */
import { compileRule, type CompiledRule, type RuleToCompile } from './compile-rule.ts';
import { editTable, liveSources, tableBytes, tableOf, type RuleTable } from './rule-table.ts';

export interface OwnerTable {
  readonly version: number;
  readonly table: RuleTable;
  /** Sources of live rules. */
  readonly sources: number;
  /** Estimated memory of the table. */
  readonly bytes: number;
}

/** The end of an edit: what else is different in the owner's version. */
export interface TableCommit {
  readonly version: number;
  /** The version that was edited; undefined when all rules were sent. */
  readonly from: number | undefined;
  /** `createdVersion` of each rule that is left, ascending; absent when none was deleted. */
  readonly left?: Float64Array | undefined;
  /** Absent when no group has changed. */
  readonly inactiveGroups?: readonly string[] | undefined;
}

/** `missing`: what was sent before is not here, since the thread was replaced, or the owner has left. */
export type EditAnswer = 'done' | 'tooLarge' | 'missing';

export class OwnerTables {
  /** The least recently used come first. */
  readonly #tables = new Map<string, OwnerTable>();
  #bytes = 0;
  /** Parts of edits in progress that have been sent, by what distinguishes them: those of one owner, or all, take turns. */
  readonly #edits = new Map<string, { readonly put: CompiledRule[]; bytes: number }>();
  readonly #onLeft: (ownerId: string) => void;

  /** @param onLeft Called with each owner that leaves because others need the memory. */
  constructor(onLeft: (ownerId: string) => void = () => undefined) {
    this.#onLeft = onLeft;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** From any version. */
  get(ownerId: string): OwnerTable | undefined {
    const found = this.#tables.get(ownerId);
    if (found !== undefined) {
      this.#tables.delete(ownerId);
      this.#tables.set(ownerId, found);
    }
    return found;
  }

  beginEdit(edit = ''): void {
    this.#edits.set(edit, { put: [], bytes: 0 });
  }

  put(rules: readonly RuleToCompile[], bytesMax: number, name = ''): EditAnswer {
    const edit = this.#edits.get(name);
    if (edit === undefined) return 'missing';
    for (const rule of rules) {
      const compiled = compileRule(rule);
      edit.put.push(compiled);
      edit.bytes += compiled.bytes;
    }
    if (edit.bytes <= bytesMax) return 'done';
    this.#edits.delete(name);
    return 'tooLarge';
  }

  /** @param besides Bytes of what is held with the table elsewhere. */
  commit(
    ownerId: string,
    { version, from, left, inactiveGroups }: TableCommit,
    bytesMax: number,
    edit = '',
    besides = 0,
  ): EditAnswer {
    const put = this.#edits.get(edit)?.put;
    this.#edits.delete(edit);
    const before = this.remove(ownerId);
    if (put === undefined || (from !== undefined && before?.version !== from)) return 'missing';
    const base = from === undefined || before === undefined ? tableOf([]) : before.table;
    const table = editTable(base, {
      put,
      ...(left === undefined ? {} : { removedIds: idsWithout(base, left) }),
      ...(inactiveGroups === undefined ? {} : { inactiveGroups: new Set(inactiveGroups) }),
    });
    const bytes = tableBytes(table) + besides;
    if (bytes > bytesMax) return 'tooLarge';
    for (const other of this.#tables.keys()) {
      if (this.#bytes + bytes <= bytesMax) break;
      this.remove(other);
      this.#onLeft(other);
    }
    this.#tables.set(ownerId, { version, table, bytes, sources: liveSources(table) });
    this.#bytes += bytes;
    return 'done';
  }

  remove(ownerId: string): OwnerTable | undefined {
    const removed = this.#tables.get(ownerId);
    this.#tables.delete(ownerId);
    this.#bytes -= removed?.bytes ?? 0;
    return removed;
  }
}

/** Rules of the table that are not among those that are left; both are ascending. */
function idsWithout({ rules }: RuleTable, left: Float64Array): string[] {
  const removed: string[] = [];
  let at = 0;
  for (const { id, createdVersion } of rules) {
    while ((left[at] ?? Infinity) < createdVersion) at++;
    if (left[at] !== createdVersion) removed.push(id);
  }
  return removed;
}
