/** References: they lead to places in the files of the import, and nowhere else; and they end. */
import { describe, expect, test } from 'vitest';
import { Bundle } from '../../src/interchange/source/bundle.ts';
import { References } from '../../src/interchange/source/reference.ts';

function references(files: Record<string, unknown>): {
  found: (ref: string, file?: string) => unknown;
  own: References;
  bundle: Bundle;
} {
  const sources = Object.entries(files).map(([path, value]) => ({
    path,
    bytes: Buffer.from(JSON.stringify(value) ?? '{'),
  }));
  const bundle = new Bundle(sources);
  const own = new References(bundle);
  return {
    found: (ref, file = sources[0]?.path ?? '') => own.find(ref, file)?.value,
    own,
    bundle,
  };
}

const FILES = {
  'api/openapi.json': { a: { 'b/c~d e': 1, list: [10, 11] }, 'x%y': 2 },
  'api/parts/pet.json': { name: 'pet' },
  'common.json': { shared: true },
  'broken.json': undefined,
};

describe('a reference leads', () => {
  test.each<[string, unknown, string?]>([
    ['#/a/b~1c~0d%20e', 1],
    ['#/a/list/1', 11],
    ['#/x%25y', 2],
    ['#', FILES['api/openapi.json']],
    ['parts/pet.json', { name: 'pet' }],
    ['./parts/pet.json#/name', 'pet'],
    ['../common.json#/shared', true],
    ['../../common.json#/shared', true, 'api/parts/pet.json'],
    ['#/name', 'pet', 'api/parts/pet.json'],
    ['openapi.json#/a/list/0', 10],
  ])('%s', (ref, value, file) => {
    expect(references(FILES).found(ref, file)).toEqual(value);
  });

  test.each([
    'https://example.com/pet.json',
    'file:///etc/passwd',
    '//example.com/pet.json',
    '/etc/passwd',
    '../../etc/passwd',
    '..\\common.json',
    'C:/pet.json',
    'absent.json',
    '../broken.json',
    '#anchor',
    '#/a/absent',
    '#/a/toString',
    '#/a/list/length/x',
    '#/%E0%A4%A',
  ])('nowhere: %s', (ref) => {
    expect(references(FILES).found(ref)).toBeUndefined();
  });
});

const chain = (length: number) => ({
  ...Object.fromEntries(Array.from({ length }, (_, index) => [`r${index}`, { $ref: `#/r${index + 1}` }])),
  [`r${length}`]: { end: true },
});

describe('references to references', () => {
  // reaches REFERENCE_CHAIN_MAX
  test('are followed 64 times', () => {
    const ends = [64, 65].map((length) => {
      const { own, bundle } = references({ '': chain(length) });
      return own.follow(bundle.root('')?.get('r0') as never)?.value;
    });
    expect(ends).toEqual([{ end: true }, undefined]);
  });

  test('in a ring end at the second visit', () => {
    const { own, bundle } = references({ '': { a: { $ref: '#/b' }, b: { $ref: '#/a' }, c: { $ref: '#/c' } } });
    const root = bundle.root('');
    expect([own.follow(root?.get('a') as never), own.follow(root?.get('c') as never)]).toEqual([undefined, undefined]);
  });
});

// reaches REFERENCES_MAX
test('100,000 references are followed', () => {
  const { found, own } = references({ '': { a: 1 } });
  for (let count = 0; count < 99_999; count++) found('#/a');
  expect([found('#/a'), own.isExhausted]).toEqual([1, false]);
  expect([found('#/a'), own.isExhausted, own.findAgain('#/a', '')?.value]).toEqual([undefined, true, 1]);
});
