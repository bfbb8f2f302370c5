import { describe, expect, test } from 'vitest';
import { ENCODING_HELPERS } from '../../../src/serving/matching/templates/helpers/encoding.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';

const TOKEN = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${Buffer.from(
  '{"sub":"ü","roles":["a","b"],"https://x.y/id":7,"a":{"b":1}}',
).toString('base64url')}.c2ln`;

const CASES: readonly [keyof typeof ENCODING_HELPERS, readonly unknown[], unknown][] = [
  ['base64', ['ü?'], 'w7w/'],
  ['base64', ['a'], 'YQ=='],
  ['base64', ['a', named({ padding: false })], 'YQ'],
  ['base64', ['a', named({ padding: 'false' })], 'YQ'],
  ['base64', ['w7w/', named({ decode: true })], 'ü?'],
  ['base64', [{ a: 1 }], 'eyJhIjoxfQ=='],
  ['base64', [undefined], ''],
  ['base64Decode', ['YQ=='], 'a'],
  ['base64url', ['ü?>'], 'w7w_Pg'],
  ['base64url', ['a', named({ padding: true })], 'YQ=='],
  ['base64url', ['w7w_Pg', named({ decode: true })], 'ü?>'],
  ['base64urlDecode', ['w7w_Pg'], 'ü?>'],
  ['urlEncode', ['a b&ü/'], 'a%20b%26%C3%BC%2F'],
  ['urlEncode', ['\ud800'], '%EF%BF%BD'],
  ['urlEncode', ["a b&~'*", named({ form: true })], 'a+b%26%7E%27*'],
  ['urlEncode', ['a+b%20%C3%BC', named({ decode: true })], 'a b ü'],
  ['urlEncode', ['100%', named({ decode: true })], '100%'],
  ['hash', ['abc', 'md5'], '900150983cd24fb0d6963f7d28e17f72'],
  ['hash', ['abc', 'sha1'], 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['hash', ['abc'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ['hash', ['abc', 'sha1', named({ encoding: 'base64' })], 'qZk+NkcGgWq6PiVxeFDCbJzQ2J0='],
  ['hash', ['abc', 'sha3'], undefined],
  ['hash', ['abc', 'sha1', named({ encoding: 'latin1' })], undefined],
  ['jwtPayload', [`Bearer ${TOKEN}`, 'sub'], 'ü'],
  ['jwtPayload', [TOKEN, 'roles.1'], 'b'],
  ['jwtPayload', [TOKEN, 'https://x.y/id'], 7],
  ['jwtPayload', [TOKEN, 'a.b'], 1],
  ['jwtPayload', [TOKEN, 'a.constructor'], undefined],
  ['jwtPayload', [TOKEN, '__proto__'], undefined],
  ['jwtPayload', ['no token', 'sub'], undefined],
  ['jwtPayload', [undefined, 'sub'], undefined],
  ['jwtHeader', [`bearer ${TOKEN}`, 'alg'], 'HS256'],
  ['jwtHeader', [TOKEN], { alg: 'HS256' }],
];

describe('helpers that encode', () => {
  test.each(CASES)('%s %j is %j', (name, args, expected) => {
    expect(callHelper(ENCODING_HELPERS[name], args)).toEqual(expected);
    if (name !== 'hash') expect(callHelper(ENCODING_HELPERS[name], args, undefined, false)).toEqual(expected);
  });

  test('every helper has a case', () => {
    expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(Object.keys(ENCODING_HELPERS)));
  });

  test.each(['base64', 'base64url', 'urlEncode'] as const)('%s makes no more than a template may', (name) => {
    const run = newRun();
    callHelper(ENCODING_HELPERS[name], ['\uffff'.repeat(2_000_000)], run);
    expect(run.problem).toContain('more than 4000000 characters');
  });
});
