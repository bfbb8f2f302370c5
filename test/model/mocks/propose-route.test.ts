/** Routes that are proposed for requests: what becomes a parameter, and that the server takes each and matches the request by it. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldedWith, looksLikeId, proposeRoute } from '../../../src/model/mocks/propose-route.ts';
import { parseRoutePath } from '../../../src/languages/paths/route-path.ts';
import { explainRouting } from '../../../src/serving/matching/explain/explain-routing.ts';
import type { MockRoute } from '../../../src/model/mocks/definition/definition.ts';

const pathOf = (path: string): string => proposeRoute({ method: 'GET', path }).path;

test.each([
  ['/', '/'],
  ['/payments', '/payments'],
  ['/payments/29', '/payments/:id'],
  ['/payments/29/', '/payments/:id'],
  ['/payments/29/items/7', '/payments/:id/items/:itemId'],
  ['/payments/29/30', '/payments/:id/:paymentId'],
  ['/v1/charges/ch_1a2b3c', '/v1/charges/:id'],
  ['/users/8f14e45f-ceea-467a-9575-1d1e0f2a3b4c/avatar', '/users/:id/avatar'],
  ['/objects/507f1f77bcf86cd799439011', '/objects/:id'],
  ['/mail/ann%40example.com', '/mail/:id'],
  ['/days/2026-11-23', '/days/:id'],
  ['/categories/4/categories/5', '/categories/:id/categories/:categoryId'],
  ['/a/1/b-s/2/b-s/3', '/a/:id/b-s/:bId/b-s/:bId2'],
  ['/files/a*b', '/files/a%2Ab'],
  ['/:odd/x', '/%3Aodd/x'],
  ['//x', '//x'],
  ['/x//', '/x//'],
])('%s is %s', (path, proposed) => {
  expect(pathOf(path)).toBe(proposed);
});

test.each(['v1', 'payments', 'checkout', 'deadbeef', 'status', 'sign-in', 'my_account'])('%s is no id', (text) => {
  expect(looksLikeId(text)).toBe(false);
});

test.each(['1', '0', '01HZX3V9K8ZB4W2N6Q7R5T1Y0M', 'deadbeef1', 'order-7', 'cus_9s6XKzkNRiz8i3'])(
  '%s is an id',
  (text) => {
    expect(looksLikeId(text)).toBe(true);
  },
);

describe('whatever the request', () => {
  const segment = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abz09._~-%:*@+;=!$&()\'"<>{}é'.split('')), maxLength: 8 }),
    fc.uuid(),
    fc.nat().map(String),
    fc.constantFrom('', '%zz', '%2F', ':id', '*', '%E0%A4', 'items'),
  );
  const path = fc.array(segment, { maxLength: 60 }).map((segments) => `/${segments.join('/')}`);

  test('the server takes the path, and the request fits it', () => {
    fc.assert(
      fc.property(path, fc.constantFrom('GET', 'POST', 'M-SEARCH', 'get', 'X_Y'), (requested, method) => {
        const proposal = proposeRoute({ method, path: requested });
        expect(typeof parseRoutePath(proposal.path), proposal.path).not.toBe('string');
        expect(proposal.method).toMatch(/^[A-Z][A-Z-]{0,31}$/);
        const route = { id: 'r', enabled: true, responses: [], ...proposal } as unknown as MockRoute;
        const settings = { precedence: 'specific' } as never;
        const { matches, nearest } = explainRouting({ routes: [route], settings }, method, requested, true);
        expect(matches, JSON.stringify(nearest)).toHaveLength(1);
      }),
      { numRuns: 1_000 },
    );
  });

  test('the proposal of a proposal is itself', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('payments', 'items', 'a', '7', 'x_1'), { maxLength: 6 }), (segments) => {
        const first = pathOf(`/${segments.join('/')}`);
        expect(pathOf(first.replaceAll(/:\w+/g, '7'))).toBe(first);
      }),
    );
  });
});

test('like misses are one route', () => {
  const misses = ['/payment/27', '/payment/28', '/payments', '/payment/28/items'].map((path) => ({
    method: 'GET',
    path,
  }));
  const folded = foldedWith(proposeRoute({ method: 'GET', path: '/payment/27' }), [
    ...misses,
    { method: 'POST', path: '/payment/27' },
  ]);
  expect(folded.map(({ path }) => path)).toEqual(['/payment/27', '/payment/28']);
});
