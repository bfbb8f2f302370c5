/** OpenAPI documents that are changed in several places: no document makes the reader throw. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitionOf, tryImport } from '../support/imports.ts';
import { OPENAPI_DOCUMENTS } from './whole/openapi.ts';

const RUNS = 150;

describe('no document makes the reader throw', () => {
  const scalars = [null, true, -1, 1e300, '', 'x', '{', '/', '200', '__proto__', '#/paths', 'a/b', 'http://x.test'];
  const odd = fc.oneof(
    fc.constantFrom<unknown>(
      ...scalars,
      [],
      {},
      [null],
      [[]],
      { $ref: '#' },
      { $ref: '#/' },
      { $ref: 7 },
      { '*/*': {} },
    ),
    fc.constantFrom('#/components/schemas/Pet', '#/paths/~1b/get', '#/info', '#/definitions').map(($ref) => ({ $ref })),
  );
  const change = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('value', 'name', 'move', 'delete'),
    value: odd,
    from: fc.nat(),
  });

  test.each(OPENAPI_DOCUMENTS)('$format', ({ source }) => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.boolean(), (changes, validate) => {
        const copy = structuredClone(source);
        for (const { at, kind, value, from } of changes) {
          const places = placesIn(copy);
          const [container, name] = places[at % places.length] as Place;
          const [other, otherName] = places[from % places.length] as Place;
          // A value is one of every change that has it: without a copy it would come to hold itself.
          if (kind === 'value') container[name] = structuredClone(value);
          else if (kind === 'move') container[name] = structuredClone(other[otherName]);
          else if (kind === 'name')
            Object.defineProperty(container, '__proto__', {
              value: container[name],
              writable: true,
              enumerable: true,
              configurable: true,
            });
          if (kind === 'name' || kind === 'delete') Reflect.deleteProperty(container, name);
          if (placesIn(copy).length === 0) return;
        }
        const found = tryImport(copy, { validate });
        if (typeof found === 'string') return;
        const { exact = 0, approximated = 0 } = found.report.items.routes ?? {};
        expect(exact + approximated).toBeGreaterThanOrEqual(definitionOf(found).routes.length);
      }),
      { numRuns: RUNS },
    );
  });
});

type Place = readonly [container: Record<string, unknown>, name: string];

function placesIn(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, child] of Object.entries(value)) {
    found.push([value as Record<string, unknown>, name]);
    placesIn(child, found);
  }
  return found;
}
