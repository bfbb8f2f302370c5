/** Paths from before a segment could mix text and parameters: they match the same requests, by the grammar that there is now. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeOnce } from '../../../src/base/percent.ts';
import { parseRoutePath, splitPath } from '../../../src/languages/paths/route-path.ts';
import { fromOldPath, literalColons } from '../../../src/model/mocks/definition/old-path.ts';
import { runs } from '../../support/effort.ts';

test.each([
  ['/users/:id', '/users/:id'],
  ['/users/:id?', '/users/:id?'],
  ['/a:b/:c', '/a:b/:c'],
  ['/a-:b/*', '/a-%3Ab/*'],
  ['/a:b(c)', '/a%3Ab(c)'],
  ['/:a/x.:y::z/%3Aq', '/:a/x.%3Ay:%3Az/%3Aq'],
  ['/12:30/a:', '/12:30/a:'],
  ['/a-:b%zz/%zz', '/a-%3Ab%25zz/%zz'],
  ['/', '/'],
])('%s is %s', (old, path) => {
  expect(fromOldPath(old)).toBe(path);
});

test('a segment that is text alone is told so where it begins with ":"', () => {
  expect(literalColons(':a-:b:c(')).toBe('%3Aa-%3Ab%3Ac(');
});

test('whatever the path: its parameters are parameters, and all else is the same text', () => {
  const text = fc
    .array(fc.constantFrom(':', 'a', 'b-', '_', '.', '(', ')', '1', '%3A', '%zz', '+'), { minLength: 1 })
    .map((pieces) => pieces.join(''))
    .filter((each) => !each.startsWith(':'));
  const segment = fc.oneof(text, fc.constantFrom('a', 'b-c', '_1'), fc.constant(''));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.nat(3), (texts, at) => {
      const old = texts.map((each, index) => (index === at ? `:p${index}` : each));
      const path = `/${old.join('/')}`;
      const read = parseRoutePath(fromOldPath(path));
      expect(read).toEqual(
        splitPath(path).map((each) =>
          each.startsWith(':')
            ? { kind: 'parameter', name: each.slice(1), optional: false }
            : { kind: 'literal', text: decodeOnce(each) },
        ),
      );
    }),
    { numRuns: runs(5_000) },
  );
});
