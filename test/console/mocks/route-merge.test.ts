/** Edits of one route by two people. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { routeMerge } from '../../../src/console/mocks/routes/route-merge.ts';
import { isSame } from '../../../src/console/state/merge.ts';
import type { MockResponse, MockRoute } from '../../../src/model/mocks/definition/definition.ts';
import { DEFAULT_RESPONSE } from '../../support/mocks.ts';

const { differences, merged } = routeMerge;

const response = (id: string, given: Partial<MockResponse> = {}): MockResponse => ({
  id,
  ...DEFAULT_RESPONSE,
  ...given,
});

const route = (given: Partial<MockRoute> = {}): MockRoute => ({
  id: 'r',
  method: 'GET',
  path: '/a',
  description: '',
  enabled: true,
  selection: 'rules',
  responses: [response('one'), response('two')],
  ...given,
});

test('a field that one side has changed is proposed from there, one that both have from me', () => {
  const mine = route({ path: '/mine', responses: [response('one', { status: 201, body: 'mine' }), response('two')] });
  const theirs = route({
    path: '/theirs',
    enabled: false,
    responses: [response('one', { body: 'theirs' }), response('two')],
  });
  expect(differences(route(), mine, theirs).map(({ label, proposed, isBoth }) => [label, proposed, isBoth])).toEqual([
    ['path', 'mine', true],
    ['enabled', 'theirs', false],
    ['response 1: status', 'mine', false],
    ['response 1: body', 'mine', true],
  ]);
});

test('responses that were added and removed, and their order', () => {
  const mine = route({ responses: [response('two'), response('one'), response('new')] });
  const theirs = route({ responses: [response('one')] });
  const found = differences(route(), mine, theirs);
  expect(found.map(({ field, label, proposed }) => [field, label, proposed])).toEqual([
    ['two', 'response 1', 'theirs'],
    ['new', 'response 3', 'mine'],
  ]);
  const made = merged(route(), mine, theirs, () => undefined);
  expect(made.responses.map(({ id }) => id)).toEqual(['one', 'new']);
});

test('the order that they have made', () => {
  const theirs = route({ responses: [response('two'), response('one')] });
  expect(differences(route(), route(), theirs).map(({ field, proposed }) => [field, proposed])).toEqual([
    ['order', 'theirs'],
  ]);
  expect(merged(route(), route(), theirs, () => 'theirs')).toEqual(theirs);
});

test('a member that they have removed can be taken', () => {
  const base = route({ pathKind: 'regex', responses: [response('one', { fault: { kind: 'reset' } })] });
  const theirs = route({ responses: [response('one')] });
  expect(merged(base, base, theirs, () => 'theirs')).toEqual(theirs);
});

const anyResponse = (id: string) =>
  fc
    .record({ status: fc.integer({ min: 200, max: 203 }), body: fc.constantFrom('', 'a', 'b') })
    .map((given) => response(id, given));
const anyRoute = fc
  .record({
    path: fc.constantFrom('/a', '/b'),
    responses: fc
      .shuffledSubarray(['one', 'two', 'three'], { minLength: 1 })
      .chain((ids) => fc.tuple(...ids.map(anyResponse))),
  })
  .map(({ path, responses }) => route({ path, responses }));

test('all of one side is that side', () => {
  fc.assert(
    fc.property(anyRoute, anyRoute, anyRoute, (base, mine, theirs) => {
      expect(merged(base, mine, theirs, () => 'mine')).toEqual(mine);
      expect(merged(base, mine, theirs, () => 'theirs').responses).toEqual(
        isSame(mine.responses.map(({ id }) => id).toSorted(), theirs.responses.map(({ id }) => id).toSorted())
          ? theirs.responses
          : expect.arrayContaining([...theirs.responses]),
      );
      expect(differences(base, mine, mine)).toEqual([]);
    }),
  );
});

test('what one side alone has changed is merged without a choice that loses it', () => {
  fc.assert(
    fc.property(anyRoute, anyRoute, (base, changed) => {
      const proposed = (mine: MockRoute, theirs: MockRoute): MockRoute => merged(base, mine, theirs, () => undefined);
      const sorted = ({ responses, ...members }: MockRoute) => ({
        ...members,
        responses: responses.toSorted((one, other) => one.id.localeCompare(other.id)),
      });
      expect(proposed(changed, base)).toEqual(changed);
      expect(sorted(proposed(base, changed))).toEqual(sorted(changed));
    }),
  );
});
