/**
 * An owner's rules and groups as one sequential object, as a client sees it: contents, order, entity tags that mean nothing by
 * themselves.
 *
 * That all of an owner is one object says more than that each record is: a group and its rules, or two records of one list, are
 * then never seen as they were at two moments.
 */
import type { Model } from './check-history.ts';
import type { Sights } from './unanswered.ts';

/** A record as an answer shows it; lists show no entity tags. */
export interface Shown {
  readonly id: string;
  readonly name: string;
  /** Of a rule: "" when ungrouped. */
  readonly groupId?: string;
  readonly etag?: string;
}

export type Refused = 'notFound' | 'groupNotFound' | 'preconditionFailed';

interface Written {
  /** Of a create whose answer is unknown: as others saw it. */
  readonly id: string;
  readonly name: string;
  readonly groupId?: string;
  readonly ifMatch?: string | undefined;
}

/** A request, with its answer unless that is unknown. */
export type OwnerCall =
  | (Written & { readonly kind: 'create' | 'update'; readonly of: Kind; readonly answer?: Shown | Refused })
  | {
      readonly kind: 'delete';
      readonly of: Kind;
      readonly id: string;
      readonly ifMatch?: string | undefined;
      readonly answer?: 'deleted' | Refused;
    }
  | { readonly kind: 'read'; readonly of: Kind; readonly id: string; readonly answer: Shown | 'notFound' }
  | {
      readonly kind: 'list';
      readonly of: Kind;
      readonly groupId?: string | undefined;
      readonly answer: readonly Shown[];
    };

export type Kind = 'rules' | 'groups';

/** Its tag is undefined until somebody has seen it. */
interface Stored {
  readonly id: string;
  readonly name: string;
  readonly groupId: string;
  readonly etag: string | undefined;
}

export interface OwnerRecords {
  readonly rules: readonly Stored[];
  readonly groups: readonly Stored[];
}

export const ownerModel: Model<OwnerRecords, OwnerCall> = {
  initial: { rules: [], groups: [] },
  keyOf: ({ rules, groups }) => `${groups.map(textOf).join()};${rules.map(textOf).join()}`,
  isHarmless: (call) => call.kind === 'read' || call.kind === 'list' || isRefused(call.answer),
  after(state, call) {
    const stored = state[call.of];
    const found = 'id' in call ? stored.find(({ id }) => id === call.id) : undefined;
    switch (call.kind) {
      case 'create': {
        const { answer } = call;
        const refused = missingGroup(state, call);
        if (refused !== undefined || isRefused(answer)) return answer === refused ? state : undefined;
        const made: Stored = { id: call.id, name: call.name, groupId: call.groupId ?? '', etag: answer?.etag };
        if (found !== undefined || (answer !== undefined && !isShown(made, answer))) return undefined;
        return { ...state, [call.of]: [...stored, made] };
      }
      case 'update': {
        const { answer } = call;
        const refused = found === undefined ? 'notFound' : (missingGroup(state, call) ?? outdated(found, call.ifMatch));
        if (refused !== undefined || isRefused(answer)) return answer === refused ? state : undefined;
        const made: Stored = { id: call.id, name: call.name, groupId: call.groupId ?? '', etag: answer?.etag };
        if (answer !== undefined && !isShown(made, answer)) return undefined;
        return { ...state, [call.of]: stored.map((each) => (each === found ? made : each)) };
      }
      case 'delete': {
        const { answer } = call;
        const refused = found === undefined ? 'notFound' : outdated(found, call.ifMatch);
        if (refused !== undefined || isRefused(answer)) return answer === refused ? state : undefined;
        const left = stored.filter((each) => each !== found);
        if (call.of === 'rules') return { ...state, rules: left };
        const rules = state.rules.map((rule) =>
          rule.groupId === call.id ? { ...rule, groupId: '', etag: undefined } : rule,
        );
        return { groups: left, rules };
      }
      case 'read': {
        const { answer } = call;
        if (answer === 'notFound' || found === undefined) {
          return answer === 'notFound' && found === undefined ? state : undefined;
        }
        if (!isShown(found, answer)) return undefined;
        if (found.etag === answer.etag) return state;
        const seen = { ...found, etag: answer.etag };
        return { ...state, [call.of]: stored.map((each) => (each === found ? seen : each)) };
      }
      case 'list': {
        const { answer, groupId } = call;
        const listed = stored.filter((each) => groupId === undefined || each.groupId === groupId);
        const same = listed.length === answer.length && listed.every((each, at) => isShown(each, answer[at] as Shown));
        return same ? state : undefined;
      }
    }
  },
};

/** Each write names its record anew. */
export const ownerSights: Sights<OwnerCall> = {
  written: (call) => (call.kind === 'create' || call.kind === 'update' ? `${call.id} ${call.name}` : undefined),
  shown: (call) => shownBy(call).map(({ id, name }) => `${id} ${name}`),
};

/** The records that its answer shows. */
export function shownBy({ answer }: OwnerCall): readonly Shown[] {
  if (answer === undefined || typeof answer === 'string') return [];
  return 'id' in answer ? [answer] : answer;
}

function isRefused(answer: Shown | 'deleted' | Refused | undefined): answer is Refused {
  return typeof answer === 'string' && answer !== 'deleted';
}

function missingGroup({ groups }: OwnerRecords, { groupId }: Written): Refused | undefined {
  if (groupId === undefined || groupId === '' || groups.some(({ id }) => id === groupId)) return undefined;
  return 'groupNotFound';
}

/** A tag that nobody has seen is none that a client could name. */
function outdated({ etag }: Stored, ifMatch: string | undefined): Refused | undefined {
  return ifMatch === undefined || ifMatch === etag ? undefined : 'preconditionFailed';
}

function isShown(stored: Stored, { id, name, groupId = '', etag }: Shown): boolean {
  const sameTag = etag === undefined || stored.etag === undefined || stored.etag === etag;
  return stored.id === id && stored.name === name && stored.groupId === groupId && sameTag;
}

function textOf({ id, name, groupId, etag }: Stored): string {
  return `${id} ${name} ${groupId} ${etag ?? '?'}`;
}
