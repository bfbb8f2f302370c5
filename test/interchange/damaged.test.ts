/** Files of other servers that are cut, flipped, or have another value in any place: they are read, or refused with a reason; nothing is thrown. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../support/effort.ts';
import { tryImport } from '../support/imports.ts';
import { OPENAPI_DOCUMENTS } from './whole/openapi.ts';
import { RECORDINGS } from './whole/recordings.ts';
import { STUBS } from './whole/stubs.ts';

/** Values of members and items: behind ":", "," and "[". */
const PLACES = /(?<=[:[,])("(?:[^"\\]|\\.)*"|\d+|true|false)(?=[,\]}])/g;

describe.each(STUBS)('$format', ({ format, source }) => {
  test('is read as it is', () => {
    const found = tryImport(source);
    expect(typeof found === 'string' ? found : found.report.format).toBe(format);
  });

  test('with any value in any place', () => {
    const text = JSON.stringify(source);
    const places = [...text.matchAll(PLACES)];
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.jsonValue(), (at, value) => {
        const { index, 0: found } = places[at] as RegExpExecArray;
        tryImport(text.slice(0, index) + JSON.stringify(value) + text.slice(index + found.length));
      }),
      { numRuns: runs(300) },
    );
  });

  test('with a byte flipped, cut short, and wrapped', () => {
    const text = JSON.stringify(source);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        tryImport(text.slice(0, at) + String.fromCodePoint(code) + text.slice(at + 1));
        tryImport(text.slice(0, at));
      }),
      { numRuns: runs(200) },
    );
    for (let depth = 1; depth < 70; depth += 23) tryImport(`${'['.repeat(depth)}${text}${']'.repeat(depth)}`);
  });
});

test.each([...STUBS, ...RECORDINGS, ...OPENAPI_DOCUMENTS.slice(0, 1)])(
  '$format with an object that cannot be printed in any place',
  ({ source }) => {
    const text = JSON.stringify(source);
    const read = [...text.matchAll(PLACES)].flatMap(({ index, 0: found }) =>
      ['{"toString":0}', '[[{"toString":0}]]'].map((value) =>
        tryImport(text.slice(0, index) + value + text.slice(index + found.length)),
      ),
    );
    expect(read).not.toHaveLength(0);
  },
);
