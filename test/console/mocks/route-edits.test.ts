/** Edits of a route, and requests as they are written in fields. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  copyOf,
  NEW_EVENT,
  NEW_HEADER,
  NEW_RULE,
  newResponse,
  newRoute,
  withoutBlanks,
} from '../../../src/console/mocks/routes/new-route.ts';
import { ruleText, whenText } from '../../../src/console/mocks/routes/route-words.ts';
import { moved } from '../../../src/console/parts/arrange.tsx';
import { examplePath, headerLines } from '../../../src/console/parts/request-text.ts';

test('what is moved is kept, and only its place changes', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { minLength: 1 }),
      fc.nat(20),
      fc.integer({ min: -2, max: 20 }),
      (values, at, to) => {
        const index = at % values.length;
        const next = moved(values, index, to);
        if (to < 0 || to >= values.length) {
          expect(next).toBe(values);
          return;
        }
        expect(next[to]).toBe(values[index]);
        expect(next.toSpliced(to, 1)).toEqual(values.toSpliced(index, 1));
      },
    ),
  );
});

test('rows that nobody has filled in are not sent, and members that are not known stay', () => {
  const rule = { ...NEW_RULE, property: 'page' };
  const response = newResponse({ headers: [NEW_HEADER, { name: 'a', value: '' }], rules: [rule, NEW_RULE] });
  const route = { ...newRoute({ responses: [response] }), later: { kept: true } };
  expect(withoutBlanks(route)).toEqual({
    ...route,
    responses: [{ ...response, headers: [{ name: 'a', value: '' }], rules: [rule] }],
  });
  const events = [NEW_EVENT, { data: '' }, NEW_EVENT];
  const streaming = newRoute({ responses: [newResponse({ stream: { end: 'open', events } })] });
  expect(withoutBlanks(streaming).responses[0]?.stream).toEqual({ end: 'open', events: [{ data: '' }] });
  const whole = newRoute();
  expect(withoutBlanks(whole)).toBe(whole);
});

test('a copy has ids of its own, which the server takes', () => {
  const route = newRoute({ responses: [newResponse(), newResponse()] });
  const copy = copyOf(route);
  const ids = [route, copy].flatMap(({ id, responses }) => [id, ...responses.map((each) => each.id)]);
  expect(new Set(ids).size).toBe(6);
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]{10}$/);
});

test('header lines are read as they are written, and a path is proposed for a route', () => {
  expect(headerLines('Accept: a/b\nno colon\n: no name\nx-time:12:30 ')).toEqual([
    { name: 'Accept', value: 'a/b' },
    { name: 'x-time', value: '12:30' },
  ]);
  expect(['/', '/users/:id', '/files/*', '/a/:b?'].map(examplePath)).toEqual(['/', '/users/1', '/files/any', '/a']);
});

test('rules in words', () => {
  const rule = { target: 'query', property: 'page', operator: 'equals', value: '2', invert: true } as const;
  expect(ruleText(rule)).toBe('query page not equals 2');
  expect(ruleText({ ...rule, target: 'body', property: '', operator: 'exists', invert: false })).toBe('body exists');
  expect(ruleText({ ...rule, value: 'x'.repeat(100) }).length).toBeLessThan(70);
  const response = newResponse({ rules: [rule, rule], rulesOperator: 'OR', weight: 3 });
  expect(whenText(response, 'rules')).toBe('when query page not equals 2, or 1 more');
  expect(whenText(response, 'random')).toBe('weight 3');
  expect(whenText(newResponse({ default: true }), 'rules')).toBe('default');
});
