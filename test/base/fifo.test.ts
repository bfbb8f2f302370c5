/** The queue against a plain array, over random sequences of operations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../src/base/fifo.ts';

test('does what an array with push and shift does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 2, arbitrary: fc.constant(undefined) }), {
        maxLength: 5000,
        size: 'max',
      }),
      (operations) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const operation of operations) {
          if (operation === undefined) expect(fifo.shift()).toBe(model.shift());
          else {
            fifo.push(operation);
            model.push(operation);
          }
          expect(fifo.count).toBe(model.length);
          expect(fifo.peek()).toBe(model[0]);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('takes a hundred thousand items in time that does not square', () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 100_000; item++) fifo.push(item);
  for (let item = 0; item < 100_000; item++) expect(fifo.shift() === item).toBe(true);
  expect(fifo.count).toBe(0);
});
