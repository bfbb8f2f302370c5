/** The checker: histories that are linearizable and that are not, and random small ones against every order there is. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkHistory, type Model, type Operation } from './check-history.ts';
import { mockModel, type MockCall } from './mock-model.ts';
import { ownerModel, type OwnerCall } from './owner-model.ts';

/** `[call, invoked, returned]`, and `unknown` where there was no answer. */
type Told<Call> = readonly [call: Call, invoked: number, returned: number, unknown?: 'unknown'];

function history<Call>(told: readonly Told<Call>[]): Operation<Call>[] {
  return told.map(([call, invoked, returned, unknown]) => ({
    call,
    invoked,
    returned,
    certain: unknown === undefined,
  }));
}

const NEVER = Infinity;
const shown = (name: string, etag: string, groupId = '') => ({ id: 'r', name, groupId, etag });
const create: Told<OwnerCall> = [
  { kind: 'create', of: 'rules', id: 'r', name: 'a', groupId: '', answer: shown('a', '1') },
  1,
  2,
];
const update = (name: string, etag: string, ifMatch?: string): OwnerCall => ({
  kind: 'update',
  of: 'rules',
  id: 'r',
  name,
  groupId: '',
  ifMatch,
  answer: shown(name, etag),
});
const tried = (name: string): OwnerCall => ({ kind: 'update', of: 'rules', id: 'r', name, groupId: '' });
const refused = (name: string, ifMatch: string): OwnerCall => ({
  ...(update(name, '') as OwnerCall & { kind: 'update' }),
  ifMatch,
  answer: 'preconditionFailed',
});
const read = (name: string, etag: string, groupId = ''): OwnerCall => ({
  kind: 'read',
  of: 'rules',
  id: 'r',
  answer: shown(name, etag, groupId),
});
const absent: OwnerCall = { kind: 'read', of: 'rules', id: 'r', answer: 'notFound' };
const remove: OwnerCall = { kind: 'delete', of: 'rules', id: 'r', answer: 'deleted' };
const group: Told<OwnerCall> = [
  { kind: 'create', of: 'groups', id: 'g', name: 'g', answer: { id: 'g', name: 'g', etag: '0' } },
  -9,
  -8,
];
const member: Told<OwnerCall> = [
  { kind: 'create', of: 'rules', id: 'r', name: 'a', groupId: 'g', answer: shown('a', '1', 'g') },
  1,
  2,
];
const removeGroup: OwnerCall = { kind: 'delete', of: 'groups', id: 'g', answer: 'deleted' };
const list = (...names: string[]): OwnerCall => ({
  kind: 'list',
  of: 'rules',
  answer: names.map((name) => ({ id: 'r', name, groupId: 'g' })),
});

describe('rules and groups:', () => {
  test.each<[string, Told<OwnerCall>[]]>([
    ['nothing', []],
    ['one after the other', [create, [read('a', '1'), 3, 4], [update('b', '2'), 5, 6], [read('b', '2'), 7, 8]]],
    [
      'a read during a write sees either',
      [create, [update('b', '2'), 3, 9], [read('a', '1'), 4, 5], [read('b', '2'), 6, 7]],
    ],
    [
      'two writes at once, in either order',
      [create, [update('b', '2'), 3, 9], [update('c', '3'), 4, 8], [read('b', '2'), 10, 11]],
    ],
    [
      'an unknown write that shows late',
      [create, [tried('b'), 3, NEVER, 'unknown'], [read('a', '1'), 4, 5], [read('b', '7'), 6, 7]],
    ],
    ['an unknown write that never shows', [create, [tried('b'), 3, NEVER, 'unknown'], [read('a', '1'), 4, 5]]],
    ['an unknown write before the end of its process', [create, [tried('b'), 3, 6, 'unknown'], [read('b', '7'), 8, 9]]],
    ['an If-Match that holds', [create, [update('b', '2', '1'), 3, 4]]],
    ['of two with the same If-Match one holds', [create, [update('b', '2', '1'), 3, 8], [refused('c', '1'), 4, 7]]],
    ['a delete and what follows', [create, [remove, 3, 4], [absent, 5, 6]]],
    ['a group deleted with its rules let go', [group, member, [removeGroup, 3, 4], [read('a', '9'), 5, 6]]],
    [
      'a list during the delete of the group',
      [group, member, [removeGroup, 3, 8], [list('a'), 4, 5], [read('a', '9'), 6, 7]],
    ],
  ])('linearizable: %s', (_name, told) => {
    expect(checkHistory(ownerModel, history(told))).toEqual({ linearizable: true });
  });

  test.each<[string, Told<OwnerCall>[]]>([
    ['a stale read after an acknowledged write', [create, [update('b', '2'), 3, 4], [read('a', '1'), 5, 6]]],
    [
      'two reads that see a write and then do not',
      [create, [update('b', '2'), 3, 12], [read('b', '2'), 4, 5], [read('a', '1'), 6, 7]],
    ],
    ['a lost update', [create, [update('b', '2'), 3, 4], [update('c', '3', '1'), 5, 6]]],
    ['both of two with the same If-Match', [create, [update('b', '2', '1'), 3, 8], [update('c', '3', '1'), 4, 7]]],
    ['an If-Match that should have held', [create, [refused('b', '1'), 3, 4]]],
    ['a value that nobody wrote', [create, [read('z', '1'), 3, 4]]],
    ['a value before it was written', [create, [read('b', '2'), 3, 4], [update('b', '2'), 5, 6]]],
    ['the value of a refused write', [create, [refused('b', '0'), 3, 4], [read('b', '2'), 5, 6]]],
    ['a deleted record that is there again', [create, [remove, 3, 4], [read('a', '1'), 5, 6]]],
    ['a deletion that is acknowledged twice', [create, [remove, 3, 4], [remove, 5, 6]]],
    ['an acknowledged record that is not there', [create, [absent, 3, 4]]],
    [
      'an unknown write that comes and goes',
      [create, [tried('b'), 3, NEVER, 'unknown'], [read('b', '7'), 4, 5], [read('a', '1'), 6, 7]],
    ],
    [
      'an unknown write after the end of its process',
      [create, [tried('b'), 3, 6, 'unknown'], [read('a', '1'), 7, 8], [read('b', '7'), 9, 10]],
    ],
    ['a tag that changes while the record does not', [create, [read('a', '2'), 3, 4]]],
    ['a rule in a group that is gone', [group, member, [removeGroup, 3, 4], [list('a'), 5, 6]]],
    ['a rule that is put into a group that is gone', [group, [removeGroup, -5, -4], member]],
    [
      'a group gone while its rule is still in it',
      [group, member, [removeGroup, 3, 9], [{ kind: 'list', of: 'groups', answer: [] }, 4, 5], [list('a'), 6, 7]],
    ],
  ])('not linearizable: %s', (_name, told) => {
    expect(checkHistory(ownerModel, history(told))).toMatchObject({ linearizable: false });
  });
});

describe('mocks:', () => {
  const model = mockModel({ name: 'm', nameTag: 'n', staged: 'x', stagedTag: 's', saved: ['x'] });
  const stage = (value: string, etag: string, ifMatch?: string): MockCall => ({
    kind: 'stage',
    value,
    ifMatch,
    answer: { value, etag },
  });
  const save = (version: number, ifMatch?: string): MockCall => ({
    kind: 'save',
    ifMatch,
    answer: { name: 'm', version, hasStagedChanges: false },
  });

  test.each<[string, boolean, Told<MockCall>[]]>([
    [
      'an edit, a save and its version',
      true,
      [
        [stage('y', 't'), 1, 2],
        [save(2, 't'), 3, 4],
        [{ kind: 'readVersion', version: 2, value: 'y' }, 5, 6],
      ],
    ],
    [
      'two saves at once',
      true,
      [
        [stage('y', 't'), 1, 2],
        [save(3), 3, 6],
        [save(2), 4, 5],
      ],
    ],
    [
      'two saves with one number',
      false,
      [
        [stage('y', 't'), 1, 2],
        [save(2), 3, 6],
        [save(2), 4, 5],
      ],
    ],
    [
      'a save of what another editor changed',
      false,
      [
        [stage('y', 't'), 1, 2],
        [stage('z', 'u'), 3, 4],
        [save(2, 't'), 5, 6],
      ],
    ],
    [
      'an edit that is lost',
      false,
      [
        [stage('y', 't'), 1, 2],
        [{ kind: 'readStaged', answer: { value: 'x', etag: 's' } }, 3, 4],
      ],
    ],
    [
      'an edit that is served unsaved',
      false,
      [
        [stage('y', 't'), 1, 2],
        [{ kind: 'readVersion', version: 1, value: 'y' }, 3, 4],
      ],
    ],
    [
      'a rename that undoes an edit',
      false,
      [
        [stage('y', 't'), 1, 2],
        [{ kind: 'rename', name: 'w', answer: { name: 'w', version: 1, hasStagedChanges: false } }, 3, 4],
      ],
    ],
  ])('%s: %s', (_name, linearizable, told) => {
    expect(checkHistory(model, history(told)).linearizable).toBe(linearizable);
  });
});

/** A register: writes, reads and compare-and-set. */
type RegisterCall =
  | { readonly kind: 'write'; readonly value: number }
  | { readonly kind: 'read'; readonly value: number }
  | { readonly kind: 'swap'; readonly from: number; readonly to: number; readonly held: boolean | undefined };

const register: Model<number, RegisterCall> = {
  initial: 0,
  keyOf: String,
  isHarmless: (call) => call.kind === 'read' || (call.kind === 'swap' && call.held === false),
  after(state, call) {
    if (call.kind === 'write') return call.value;
    if (call.kind === 'read') return call.value === state ? state : undefined;
    const held = state === call.from;
    if (call.held !== undefined && call.held !== held) return undefined;
    return held ? call.to : state;
  },
};

/** Tries every order of every subset that has all certain operations in it. */
function isLinearizable(operations: readonly Operation<RegisterCall>[]): boolean {
  const place = (state: number, left: readonly Operation<RegisterCall>[]): boolean => {
    if (left.every(({ certain }) => !certain)) return true;
    return left.some((next) => {
      // Whatever ended before this one began comes first, or never happened.
      const skipped = left.filter((each) => each.returned < next.invoked);
      if (skipped.some(({ certain }) => certain)) return false;
      const after = register.after(state, next.call);
      return (
        after !== undefined &&
        place(
          after,
          left.filter((each) => each !== next && !skipped.includes(each)),
        )
      );
    });
  };
  return place(register.initial, operations);
}

const value = fc.integer({ min: 0, max: 3 });
const call: fc.Arbitrary<RegisterCall> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), value }),
  fc.record({ kind: fc.constant('read' as const), value }),
  fc.record({
    kind: fc.constant('swap' as const),
    from: value,
    to: value,
    held: fc.constantFrom(true, false),
  }),
);
const small = fc
  .array(fc.record({ call, moments: fc.tuple(fc.nat(60), fc.nat(20)), unknown: fc.nat(5) }), { maxLength: 7 })
  .map((drawn) => {
    // Events get places of their own, in the order that was drawn.
    const events = drawn.flatMap(({ moments: [from, ms] }, index) => [
      { at: from, index, isReturn: false },
      { at: from + ms + 0.5, index, isReturn: true },
    ]);
    const ordered = events.toSorted((a, b) => a.at - b.at);
    return drawn.map(({ call: asked, unknown }, index): Operation<RegisterCall> => {
      const placeOf = (isReturn: boolean) =>
        ordered.findIndex((event) => event.index === index && event.isReturn === isReturn);
      const certain = unknown > 1 || asked.kind === 'read';
      return {
        call: certain || asked.kind !== 'swap' ? asked : { ...asked, held: undefined },
        invoked: placeOf(false),
        returned: unknown === 0 && !certain ? Infinity : placeOf(true),
        certain,
      };
    });
  });

test('random small histories: the same verdict as by trying every order', () => {
  let held = 0;
  let failed = 0;
  fc.assert(
    fc.property(small, (operations) => {
      const expected = isLinearizable(operations);
      if (expected) held++;
      else failed++;
      expect(checkHistory(register, operations).linearizable).toBe(expected);
    }),
    { numRuns: 4_000 },
  );
  expect(held).toBeGreaterThan(400);
  expect(failed).toBeGreaterThan(400);
});

test('a history that takes too long is decided as far as its time goes', () => {
  // Writes without an answer, in every order: the read of what none wrote tries them all.
  const unknown = Array.from({ length: 14 }, (_, index): Operation<RegisterCall> => ({
    call: { kind: 'write', value: index + 1 },
    invoked: index,
    returned: 1_000,
    certain: false,
  }));
  const impossible: Operation<RegisterCall> = {
    call: { kind: 'read', value: 99 },
    invoked: 500,
    returned: 600,
    certain: true,
  };
  const from = performance.now();
  expect(checkHistory(register, [...unknown, impossible], 50)).toEqual({ linearizable: true, undecidedFrom: 14 });
  expect(performance.now() - from).toBeLessThan(2_000);
});

test('a long history with eight clients at once takes little time', () => {
  const operations: Operation<RegisterCall>[] = [];
  let state = 0;
  for (let turn = 0; turn < 5_000; turn++) {
    const at = turn * 100;
    for (let client = 0; client < 8; client++) {
      const to = turn * 8 + client + 1;
      operations.push({
        call: { kind: 'swap', from: state, to, held: true },
        invoked: at + client,
        returned: at + 50 + client,
        certain: true,
      });
      state = to;
    }
  }
  expect(checkHistory(register, operations)).toEqual({ linearizable: true });
});
