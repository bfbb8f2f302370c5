import { expect, test } from 'vitest';
import { Bag, type InBag } from '../../src/base/bag.ts';

interface Item extends InBag {
  readonly name: string;
}

test('a bag has what was added to it and not taken out, in any order of both', () => {
  const bag = new Bag<Item>();
  const model = new Set<Item>();
  const items = Array.from({ length: 40 }, (_, index): Item => ({ name: `${index}`, place: -1 }));
  for (let step = 0; step < 2_000; step++) {
    const item = items[Math.floor(Math.random() * items.length)] as Item;
    if (model.has(item) || Math.random() < 0.2) expect(bag.delete(item)).toBe(model.delete(item));
    else {
      bag.add(item);
      model.add(item);
    }
    expect(new Set(bag.values())).toEqual(model);
    expect(bag.count).toBe(model.size);
  }
});

test('what is in one bag is not taken out of another', () => {
  const [one, other] = [new Bag<Item>(), new Bag<Item>()];
  const [first, second] = [
    { name: 'first', place: -1 },
    { name: 'second', place: -1 },
  ];
  one.add(first);
  other.add(second);
  expect(other.delete(first)).toBe(false);
  expect(one.delete(first)).toBe(true);
  expect(other.values()).toEqual([second]);
});
