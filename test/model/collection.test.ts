/** Records in order of creation, against a plain sorted list, over random sequences of operations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Collection } from '../../src/model/owner-state.ts';

interface Item {
  readonly id: string;
  readonly createdVersion: number;
  readonly text: string;
}

test('finds by id and keeps the order of creation, for any sequence of puts and removals', () => {
  const operation = fc.record({
    kind: fc.constantFrom('add', 'replace', 'remove', 'removeAll'),
    at: fc.nat(),
    text: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const collection = new Collection<Item>();
      const model: Item[] = [];
      let version = 0;
      for (const { kind, at, text } of operations) {
        version++;
        const index = model.length === 0 ? 0 : at % model.length;
        const present = model[index];
        if (kind === 'add' || present === undefined) {
          const item = { id: `i${version}`, createdVersion: version, text };
          collection.put(item);
          model.push(item);
        } else if (kind === 'replace') {
          const item = { ...present, text };
          collection.put(item);
          model[index] = item;
        } else if (kind === 'removeAll') {
          const removed = model.filter((_item, place) => place % 3 === at % 3);
          const before = collection.snapshot();
          const held = [...before];
          collection.removeAll(removed);
          expect(before).toEqual(held);
          for (const item of removed) {
            model.splice(model.indexOf(item), 1);
            expect(collection.get(item.id)).toBeUndefined();
          }
        } else {
          collection.remove(present);
          model.splice(index, 1);
          expect(collection.get(present.id)).toBeUndefined();
        }
        expect(collection.ordered()).toEqual(model);
        expect(collection.count).toBe(model.length);
      }
      for (const item of model) expect(collection.get(item.id)).toBe(item);
    }),
    { numRuns: 200 },
  );
});

test('refuses a record that would break the order: a bug, not a request', () => {
  const collection = new Collection<Item>();
  collection.put({ id: 'a', createdVersion: 5, text: '' });
  expect(() => collection.put({ id: 'b', createdVersion: 5, text: '' })).toThrow('Broken invariant');
  const unknown = { id: 'c', createdVersion: 4, text: '' };
  expect(() => collection.remove(unknown)).toThrow('Broken invariant');
  expect(() => collection.removeAll([unknown, unknown])).toThrow('Broken invariant');
});
