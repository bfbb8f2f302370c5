/** Answers questions of the API about live stores, in the thread that owns them, in turns of their owners. */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import { isObject } from '../../../base/json-object.ts';
import { ID_MEMBER } from '../../../model/mocks/stores/store.ts';
import type { StoresAnswer, StoresQuestion } from '../../../model/mocks/stores/stores-question.ts';
import type { StoreRecord } from '../../../model/mocks/stores/store-schema.ts';
import { countOf, type StoreValue } from '../../matching/stores/store-value.ts';
import { itemOf as itemWithId } from '../../matching/stores/own-list.ts';
import { FULL, perform, type Operation, type OperationResult } from '../../matching/stores/operations.ts';
import { StoreTurn, type StoreSet } from '../../matching/stores/store-turn.ts';
import { sessionKey, type MockCache } from '../mock-cache.ts';
import { ServedMock } from '../served-mock.ts';
import type { LiveStores } from './live-stores.ts';

type Answer = StoresAnswer | undefined;

/** @returns What answers a question; undefined to the callback for a mock or session that is not served here. */
export function storesAnswerer(
  cache: MockCache,
  live: LiveStores,
  turns: OwnerTurns,
): (question: StoresQuestion, answer: (answer: Answer) => void) => void {
  const answerNow = (question: StoresQuestion): Answer => {
    const mock = cache.find(question.mockId);
    if (!(mock instanceof ServedMock)) return undefined;
    const { session = '' } = question;
    const served = session === '' ? mock : cache.findSession(mock, session);
    if (served === undefined) return undefined;
    const set = live.of(served);
    return typeof set === 'string' ? refused('full', set) : answerQuestion(set, served.storesOf, question);
  };
  return (question, answer) => {
    const { mockId, session = '' } = question;
    const mock = cache.find(mockId);
    const isUnasked = mock instanceof ServedMock && mock.unasked?.has(session) === true;
    const inTurn = (): void => {
      const found = cache.find(mockId);
      if (!(found instanceof ServedMock)) return answer(undefined);
      // Posting a message returns true, which would have the task run again.
      turns.begin(turns.account(found.ownerId), 'reads', () => {
        answer(answerNow(question));
      });
    };
    if (mock !== undefined && !isUnasked) return inTurn();
    const waits = cache.wait(isUnasked ? sessionKey(mockId, session) : mockId, inTurn);
    if (!waits) answer(undefined);
  };
}

function answerQuestion(set: StoreSet, storesOf: number, { action }: StoresQuestion): StoresAnswer {
  switch (action.kind) {
    case 'list':
      return { kind: 'stores', stores: [...set.stores.values()].map((store) => recordOf(store, storesOf)) };
    case 'dump': {
      const values = [...set.stores].map(([name, { value }]) => [name, value] as const);
      const dump = JSON.stringify({ stores: Object.fromEntries(values), globals: set.globals.value });
      return { kind: 'stores', stores: [], dump };
    }
    default: {
      const store = set.stores.get(action.name);
      if (store === undefined) return refused('storeNotFound');
      if (action.kind !== 'read') return change(set, store, storesOf, action);
      const value = action.itemId === undefined ? { found: store.value } : itemOf(store, action.itemId);
      if (value === undefined) return refused('itemNotFound');
      return { kind: 'store', store: recordOf(store, storesOf), value: text(value.found) };
    }
  }
}

type Change = StoresQuestion['action'] & { readonly kind: 'put' | 'merge' | 'remove' };

function change(set: StoreSet, store: StoreValue, storesOf: number, action: Change): StoresAnswer {
  const { kind, name, itemId: id, ifMatch } = action;
  if (ifMatch !== undefined && !matches(ifMatch, recordOf(store, storesOf).etag)) return refused('preconditionFailed');
  const turn = new StoreTurn(set);
  const value = action.value === undefined ? undefined : (JSON.parse(action.value) as unknown);
  if (id === undefined) {
    const made =
      kind === 'merge'
        ? perform(turn, { op: 'mergeAll', name, value }, UNBOUNDED)
        : put(turn, store, kind === 'put' ? value : store.first.value);
    if (made.kind !== 'done') return refused(WHY[made.kind], made.problem);
  } else {
    const operation = operationOf(kind, itemOf(store, id) !== undefined);
    const made = perform(
      turn,
      { ...operation, name, id, value: withGivenId(operation.op, store, id, value) },
      UNBOUNDED,
    );
    if (made.kind !== 'done') return refused(WHY[made.kind], made.problem);
  }
  turn.commit();
  const changed = set.stores.get(name) as StoreValue;
  const item = id === undefined ? { found: changed.value } : itemOf(changed, id);
  return { kind: 'store', store: recordOf(changed, storesOf), value: text(item === undefined ? null : item.found) };
}

const UNBOUNDED = { work: Infinity };

const WHY = {
  missing: 'itemNotFound',
  taken: 'invalid',
  invalid: 'invalid',
  unfit: 'invalid',
  malformed: 'invalid',
  unsupported: 'invalid',
  full: 'full',
} as const;

/** An item that is put is made where there is none. */
function operationOf(kind: 'put' | 'merge' | 'remove', isThere: boolean): Pick<Operation, 'op'> {
  if (kind === 'remove') return { op: 'remove' };
  if (kind === 'merge') return { op: 'merge' };
  return { op: isThere ? 'replace' : 'create' };
}

/** The id of the path, as a number where the items of the store have such. */
function withGivenId(op: Operation['op'], store: StoreValue, id: string, value: unknown): unknown {
  if (op !== 'create' || !isObject(value)) return value;
  const member = store.first.definition.idMember ?? ID_MEMBER;
  const items = (Array.isArray(store.value) ? store.value : []) as readonly Readonly<Record<string, unknown>>[];
  const areNumbers = items.every((item) => typeof item?.[member] === 'number') && /^(?:0|[1-9]\d{0,14})$/.test(id);
  return { ...value, [member]: areNumbers ? Number(id) : id };
}

function itemOf(store: StoreValue, id: string): { readonly found: unknown } | undefined {
  if (!Array.isArray(store.value)) return undefined;
  return itemWithId(store.value, store.first.definition.idMember ?? ID_MEMBER, id);
}

function put(turn: StoreTurn, store: StoreValue, value: unknown): OperationResult {
  const isSet = turn.set(store, value, UNBOUNDED);
  return isSet ? { kind: 'done', value } : (turn.notKept ?? FULL);
}

function matches(ifMatch: string, etag: string): boolean {
  return ifMatch.split(',').some((each) => each.trim() === '*' || each.trim() === etag);
}

function recordOf(store: StoreValue, storesOf: number): StoreRecord {
  const { first, value, bytes, version } = store;
  const hasCount = typeof value === 'object' && value !== null;
  return {
    name: first.definition.name,
    count: hasCount ? countOf(value) : null,
    bytes,
    etag: `"${storesOf}-${version}"`,
  };
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function refused(why: (StoresAnswer & { readonly kind: 'refused' })['why'], problem?: string): StoresAnswer {
  return { kind: 'refused', why, ...(problem === undefined ? {} : { problem }) };
}
