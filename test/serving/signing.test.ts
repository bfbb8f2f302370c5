/** Keys that follow from a secret, tokens and sealed texts: properties. What mocks do with them: test/contract/tokens.test.ts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signToken, verifiedClaims } from '../../src/serving/matching/signing/json-web-token.ts';
import { sealText, unsealText } from '../../src/serving/matching/signing/sealed-text.ts';
import {
  keysOf,
  sealingKeyOf,
  useSigningMaterial,
  type Signer,
} from '../../src/serving/matching/signing/signing-keys.ts';

const SECRET = Buffer.alloc(32, 7).toString('base64url');
const signer = (mockId: string, sessionId = '', setting: Signer['setting'] = { alg: 'ES256' }): Signer => ({
  mockId,
  sessionId,
  setting,
});
const sealingKey = (...of: Parameters<typeof signer>): Buffer => sealingKeyOf(signer(...of)) as Buffer;
const NOW = 1_000_000;

function flipped(text: string, bit: number): string {
  const bytes = Buffer.from(text, 'base64url');
  const at = bit % (bytes.length * 8);
  bytes[at >> 3] = (bytes[at >> 3] as number) ^ (1 << (at & 7));
  return bytes.toString('base64url');
}

describe('a sealed text', () => {
  useSigningMaterial({ secret: SECRET });
  const value = fc.jsonValue();

  test('opens to the same value, until its time', () => {
    fc.assert(
      fc.property(value, fc.string(), fc.nat(1_000_000), (given, purpose, ms) => {
        useSigningMaterial({ secret: SECRET });
        const json = JSON.stringify(given);
        const text = sealText(json, sealingKey('m'), purpose, NOW + ms);
        const opened = unsealText(text, sealingKey('m'), purpose, NOW);
        expect(opened).toEqual(ms > 0 ? { value: JSON.parse(json) } : undefined);
        expect(unsealText(text, sealingKey('m'), purpose, NOW + ms)).toBeUndefined();
      }),
    );
  });

  test('that is changed in any bit, cut or of another mock, session, purpose or server is missing', () => {
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(), (given, bit, cut) => {
        useSigningMaterial({ secret: SECRET });
        const text = sealText(JSON.stringify(given), sealingKey('m', 's'), 'code', NOW + 1);
        const open = (sealed: string, key = sealingKey('m', 's'), purpose = 'code') =>
          unsealText(sealed, key, purpose, NOW);
        expect(open(text)).toBeDefined();
        expect(open(flipped(text, bit))).toBeUndefined();
        expect(open(text.slice(0, cut % text.length))).toBeUndefined();
        expect(open(`${text}=`)).toBeUndefined();
        for (const key of [sealingKey('m'), sealingKey('m', 't'), sealingKey('ms'), sealingKey('n', 's')])
          expect(open(text, key)).toBeUndefined();
        expect(open(text, undefined, 'refresh')).toBeUndefined();
        useSigningMaterial({ secret: Buffer.alloc(32, 8).toString('base64url') });
        expect(open(text)).toBeUndefined();
      }),
    );
  });
});

describe.each(['ES256', 'EdDSA'] as const)('keys for %s', (alg) => {
  test('follow from secret, mock, session and generation', () => {
    useSigningMaterial({ secret: SECRET });
    const kids = (...of: Parameters<typeof signer>) => keysOf(signer(...of)).map(({ kid }) => kid);
    const [first] = kids('m', '', { alg });
    expect(kids('m', '', { alg })).toEqual([first]);
    expect(kids('m', '', { alg, generation: 2 })).toEqual([expect.any(String), first]);
    const all = [
      kids('m', 's', { alg }),
      kids('n', '', { alg }),
      kids('m', '', { alg, generation: 2, overlap: false }),
    ];
    expect(new Set([first, ...all.flat()]).size).toBe(4);
  });

  test('sign tokens that nothing else verifies', () => {
    useSigningMaterial({ secret: SECRET });
    const keys = keysOf(signer('m', 's', { alg }));
    const [key] = keys;
    if (key === undefined) throw new Error('no key');
    const token = signToken({ sub: 'u', exp: 10 }, key, { typ: 'JWT', breaks: undefined, nowSeconds: 5 });
    expect(verifiedClaims(token, keys, 9)).toEqual({ sub: 'u', exp: 10 });
    expect(verifiedClaims(token, keys, 10)).toBeUndefined();
    expect(verifiedClaims(token, keysOf(signer('m', 't', { alg })), 9)).toBeUndefined();
    expect(verifiedClaims(`${token}.`, keys, 9)).toBeUndefined();
    fc.assert(
      fc.property(fc.nat({ max: 2 }), fc.nat(), (part, bit) => {
        const parts = token.split('.');
        parts[part] = flipped(parts[part] as string, bit);
        expect(verifiedClaims(parts.join('.'), keys, 9)).toBeUndefined();
      }),
    );
    for (const text of ['', '.', '..', 'a.b', `${token.split('.', 2).join('.')}.`])
      expect(verifiedClaims(text, keys, 9)).toBeUndefined();
  });
});

test('without material there are no keys, and without the RSA keys none for RS256', () => {
  useSigningMaterial({ secret: SECRET });
  expect(keysOf(signer('m', '', {}))).toEqual([]);
});
