/** Sections under one scroll bar. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { layoutOf, type SectionShape } from '../../../src/console/rules/list/section-layout.ts';

const shapes = fc.array(
  fc.record({ hasHeading: fc.boolean(), isOpen: fc.boolean(), count: fc.integer({ min: 0, max: 5 }) }),
  { minLength: 1, maxLength: 8 },
);

/** What stands at each index, written down one by one. */
const listed = (sections: readonly SectionShape[]) =>
  sections.flatMap(({ hasHeading, isOpen, count }, section) => [
    ...(hasHeading ? [{ section, row: -1 }] : []),
    ...Array.from({ length: isOpen ? count : 0 }, (_, row) => ({ section, row })),
  ]);

test('every index has the heading or the row that stands there', () => {
  fc.assert(
    fc.property(shapes, (sections) => {
      const layout = layoutOf(sections);
      const all = listed(sections);
      expect(layout.count).toBe(all.length);
      expect(all.map((_, index) => layout.at(index))).toEqual(all);
      expect(layout.at(all.length)).toBeUndefined();
      expect(layout.at(-1)).toBeUndefined();
    }),
  );
});

test('a range has the rows that stand in it', () => {
  fc.assert(
    fc.property(shapes, fc.nat(40), fc.nat(40), (sections, one, other) => {
      const [first, end] = [Math.min(one, other), Math.max(one, other)];
      const found = layoutOf(sections)
        .rowsIn(first, end)
        .flatMap(({ section, first: from, end: to }) =>
          Array.from({ length: to - from }, (_, place) => ({ section, row: from + place })),
        );
      expect(found).toEqual(
        listed(sections)
          .slice(first, end)
          .filter(({ row }) => row >= 0),
      );
    }),
  );
});
