/**
 * Decides the import of rules and groups: which records are made, replaced, left or refused, in one commit.
 *
 * The drafts are checked already (interchange/import-rules.ts); here the owner's records decide. Without `activate`
 * nothing begins to act by an import: what is active in the file stays active only where the record that it replaces was.
 */
import { refuse, refuseLimit, Refusal, type Detail, type RefusalKind } from '../errors.ts';
import { DETAILS_MAX, type Limits } from '../limits.ts';
import type { Command, CommandContext, Query } from './command.ts';
import { ruleOf } from './decide-rule.ts';
import type { GroupDraft } from './group-payload.ts';
import type { Group } from './group.ts';
import type { Change, OwnerState } from './owner-state.ts';
import { isGroupId, isRuleId, newGroupId, newRuleId } from './record-id.ts';
import type { RuleDraft } from './rule-payload.ts';
import type { Rule } from './rule.ts';
import { createdStampsOf, modifiedStamps, type Stamps } from './stamps.ts';
import type { Status } from './status.ts';

/** Handling of a record whose id the owner already has. Others keep the id of the file where it is free, and one of ours. */
export const ON_CONFLICT = ['duplicate', 'overwrite', 'skip'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

export interface RulesImportOptions {
  readonly onConflict: OnConflict;
  /** Whether records have the status that the file says. */
  readonly activate: boolean;
  /** Whether nothing is stored when one record is refused. */
  readonly atomic: boolean;
}

/** A record of a file; its draft, or why it has none. */
export type RecordToImport = { readonly fileId?: string } & (
  | { readonly kind: 'rule'; readonly draft: RuleDraft }
  | { readonly kind: 'group'; readonly draft: GroupDraft }
  | { readonly kind: 'rule' | 'group'; readonly refused: ImportRefusal }
);

interface ImportRefusal {
  readonly kind: RefusalKind;
  readonly details: readonly Detail[];
}

/** Notes in the report on a record that is not stored as in the file. */
export type ImportNote = 'refused' | 'limit' | 'skipped' | 'inactive' | 'newId' | 'repeatedId' | 'ungrouped';

export const IMPORT_RESULTS = ['created', 'overwritten', 'skipped', 'refused'] as const;

export interface RecordOutcome {
  readonly result: (typeof IMPORT_RESULTS)[number];
  /** The id of the owner's record. Absent when there is none, and in a dry run when it would be new. */
  readonly id?: string;
  /** Why it is refused. */
  readonly details?: readonly Detail[];
  /** Without what was known before. */
  readonly notes: readonly ImportNote[];
}

interface RulesToImport extends RulesImportOptions {
  readonly records: readonly (RecordToImport & { readonly source: { readonly pointer: string } })[];
}

/** Refuses, when `atomic`, with the first records that are refused. */
export const importRules: Command<RulesToImport, readonly RecordOutcome[]> = {
  name: 'rule.import',
  decide(state, input, context) {
    const { changes, outcomes, refusals } = new Plan(state, input, context).run();
    if (!input.atomic || refusals.length === 0) return { changes, answer: outcomes };
    return atomicRefusal(input.records, refusals);
  },
};

/** Dry run of the same import. */
export const tryImportRules: Query<RulesToImport & { readonly limits: Limits }, readonly RecordOutcome[]> = {
  answer(state, input, { principal, ownersOf }) {
    const moment = { limits: input.limits, version: state.version + 1, date: state.latestDate, principal, ownersOf };
    const { outcomes } = new Plan(state, input, moment).run();
    return outcomes.map((outcome) => {
      const { id: _new, ...known } = outcome;
      return outcome.result === 'created' ? known : outcome;
    });
  },
};

type PlanContext = Pick<CommandContext, 'limits' | 'version' | 'date' | 'principal' | 'ownersOf'>;

/** The plan of one import: the groups first, whatever their order, since rules name them. */
class Plan {
  readonly #state: OwnerState;
  readonly #input: RulesToImport;
  readonly #context: PlanContext;
  readonly #outcomes: RecordOutcome[] = [];
  readonly #refusals = new Map<number, ImportRefusal>();
  /** New records get their stamps at the end, when their number is known. */
  readonly #puts: ((newStamps: () => Stamps) => Change)[] = [];
  readonly #seen = new Set<string>();
  /** Id of a group in the file → its id with the owner. */
  readonly #groupIds = new Map<string, string>();
  readonly #created = { rule: 0, group: 0 };
  /** Ids of the file that nobody has, which new records get. */
  #free: ReadonlySet<string> = new Set();

  constructor(state: OwnerState, input: RulesToImport, context: PlanContext) {
    this.#state = state;
    this.#input = input;
    this.#context = context;
  }

  run(): { changes: Change[]; outcomes: RecordOutcome[]; refusals: [number, ImportRefusal][] } {
    const { records } = this.#input;
    this.#free = this.#freeIds(records);
    for (const kind of ['group', 'rule'] as const) {
      for (const [index, record] of records.entries()) {
        if (record.kind === kind) this.#outcomes[index] = this.#decide(index, record);
      }
    }
    const stamps = createdStampsOf(this.#context, this.#created.rule + this.#created.group);
    return {
      changes: this.#puts.map((put) => put(() => stamps.next().value as Stamps)),
      outcomes: this.#outcomes,
      refusals: [...this.#refusals].toSorted(([one], [other]) => one - other),
    };
  }

  #freeIds(records: readonly RecordToImport[]): ReadonlySet<string> {
    const { rules, groups, ownerId } = this.#state;
    const wanted = [...new Set(records.flatMap((record) => chosenIdOf(record) ?? []))].filter(
      (id) => rules.get(id) === undefined && groups.get(id) === undefined,
    );
    const holders = wanted.length === 0 ? [] : this.#context.ownersOf(wanted);
    return new Set(wanted.filter((_, index) => (holders[index] ?? ownerId) === ownerId));
  }

  /** @returns The id of the file where it is free. */
  #newId(fileId: string | undefined, draw: () => string): string {
    return fileId !== undefined && this.#free.has(fileId) ? fileId : draw();
  }

  #decide(index: number, record: RecordToImport): RecordOutcome {
    if ('refused' in record) {
      this.#refusals.set(index, record.refused);
      return { result: 'refused', details: record.refused.details, notes: [] };
    }
    const { kind, fileId } = record;
    const isRepeated = fileId !== undefined && this.#seen.has(`${kind} ${fileId}`);
    if (fileId !== undefined) this.#seen.add(`${kind} ${fileId}`);
    const keepsIds = this.#input.onConflict !== 'duplicate';
    const notes: ImportNote[] = isRepeated && (keepsIds || kind === 'group') ? ['repeatedId'] : [];
    const outcome =
      record.kind === 'group'
        ? this.#decideGroup(index, record.draft, isRepeated ? undefined : fileId, notes)
        : this.#decideRule(index, record.draft, isRepeated ? undefined : fileId, notes);
    const isLost = outcome.result === 'created' && fileId !== undefined && !isRepeated && outcome.id !== fileId;
    // A duplicate is meant to have another id.
    const isHeld = this.#state[kind === 'rule' ? 'rules' : 'groups'].get(fileId ?? '') !== undefined;
    return isLost && !isHeld ? { ...outcome, notes: ['newId', ...outcome.notes] } : outcome;
  }

  #decideGroup(index: number, draft: GroupDraft, fileId: string | undefined, notes: ImportNote[]): RecordOutcome {
    const { groups } = this.#state;
    const { onConflict } = this.#input;
    const held = fileId === undefined || onConflict === 'duplicate' ? undefined : groups.get(fileId);
    const name = (id: string): void => {
      if (fileId !== undefined) this.#groupIds.set(fileId, id);
    };
    if (held !== undefined) name(held.id);
    if (held !== undefined && onConflict === 'skip') return { result: 'skipped', id: held.id, notes: ['skipped'] };
    const status = this.#statusOf(draft.status ?? 'Active', held, notes);
    const members = { name: draft.name, status, isFavourite: draft.isFavourite ?? false };
    if (held !== undefined) {
      const group: Group = { ...held, ...members, ...modifiedStamps(this.#context) };
      this.#puts.push(() => ({ kind: 'putGroup', group }));
      return { result: 'overwritten', id: held.id, notes };
    }
    const { groupsPerOwnerMax } = this.#context.limits;
    if (groups.count + this.#created.group >= groupsPerOwnerMax) {
      return this.#refuse(index, refuseLimit(`${groupsPerOwnerMax} groups per owner`));
    }
    this.#created.group++;
    const id = this.#newId(fileId, newGroupId);
    name(id);
    this.#puts.push((newStamps) => ({ kind: 'putGroup', group: { id, ...members, ...newStamps() }, isNew: true }));
    return { result: 'created', id, notes };
  }

  #decideRule(index: number, given: RuleDraft, fileId: string | undefined, notes: ImportNote[]): RecordOutcome {
    const { rules } = this.#state;
    const { onConflict } = this.#input;
    const held = fileId === undefined || onConflict === 'duplicate' ? undefined : rules.get(fileId);
    if (held !== undefined && onConflict === 'skip') return { result: 'skipped', id: held.id, notes: ['skipped'] };
    if (held !== undefined && held.ruleType !== given.ruleType) {
      const message = `the rule of this id is of type ${held.ruleType}`;
      return this.#refuse(index, refuse('ruleTypeUpdateNotAllowed', [{ path: '/ruleType', message }]));
    }
    const groupId = given.groupId === '' ? '' : this.#groupIds.get(given.groupId);
    if (groupId === undefined) notes.push('ungrouped');
    const draft = { ...given, groupId: groupId ?? '', status: this.#statusOf(given.status, held, notes) };
    if (held !== undefined) {
      const rule = ruleOf(held.id, draft, held, modifiedStamps(this.#context));
      this.#puts.push(() => ({ kind: 'putRule', rule }));
      return { result: 'overwritten', id: held.id, notes };
    }
    const { rulesPerOwnerMax } = this.#context.limits;
    if (rules.count + this.#created.rule >= rulesPerOwnerMax) {
      return this.#refuse(index, refuseLimit(`${rulesPerOwnerMax} rules per owner`));
    }
    this.#created.rule++;
    const id = this.#newId(fileId, () => newRuleId(draft.ruleType));
    this.#puts.push((newStamps) => {
      const stamps = newStamps();
      return { kind: 'putRule', rule: ruleOf(id, draft, stamps, stamps), isNew: true };
    });
    return { result: 'created', id, notes };
  }

  #statusOf(status: Status, held: Rule | Group | undefined, notes: ImportNote[]): Status {
    if (status === 'Inactive' || this.#input.activate || held?.status === 'Active') return status;
    notes.push('inactive');
    return 'Inactive';
  }

  #refuse(index: number, refusal: Refusal): RecordOutcome {
    const { kind, message, details = [{ path: '', message }] } = refusal;
    this.#refusals.set(index, { kind, details });
    return { result: 'refused', details, notes: [kind === 'limitReached' ? 'limit' : 'refused'] };
  }
}

/** The id of a record in the file, where a record of its kind and type may have it. */
function chosenIdOf(record: RecordToImport): string | undefined {
  const { fileId } = record;
  if (fileId === undefined || 'refused' in record) return undefined;
  if (record.kind === 'group') return isGroupId(fileId) ? fileId : undefined;
  return isRuleId(fileId) && fileId.startsWith(`${record.draft.ruleType}_`) ? fileId : undefined;
}

/** A limit is the refusal only when nothing else is wrong: a smaller file would not help a malformed one. */
function atomicRefusal(records: RulesToImport['records'], refusals: readonly [number, ImportRefusal][]): Refusal {
  const details = refusals.slice(0, DETAILS_MAX).flatMap(([index, refused]) => {
    const { pointer } = (records[index] as RulesToImport['records'][number]).source;
    return refused.details.map(({ path, message }) => ({ path: `${pointer}${path}`, message }));
  });
  const areLimits = refusals.every(([, { kind }]) => kind === 'limitReached');
  return new Refusal(
    areLimits ? 'limitReached' : 'importInvalid',
    details.slice(0, DETAILS_MAX),
    areLimits ? 'nothing was imported' : undefined,
  );
}
