/** The queue against a plain array, over random sequences of operations. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Fifo } from '../../src/base/fifo.ts';

test('behaves like an array with push and shift', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof({ weight: 3, arbitrary: fc.nat() }, { weight: 2, arbitrary: fc.constant(undefined) }), {
        maxLength: 5000,
        size: 'max',
      }),
      (operations) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        for (const [index, operation] of operations.entries()) {
          const shifted: (number | undefined)[] = [];
          if (operation === undefined) shifted.push(fifo.shift(), model.shift());
          else {
            fifo.push(operation);
            model.push(operation);
          }
          // A comparison of our own: half a million of `expect` take seconds.
          const isSame = shifted[0] === shifted[1] && fifo.count === model.length && fifo.peek() === model[0];
          if (!isSame) expect.fail(`operation ${index} of ${operations.length}: another queue than the array`);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('handles a hundred thousand items in less than quadratic time', () => {
  const fifo = new Fifo<number>();
  for (let item = 0; item < 100_000; item++) fifo.push(item);
  let inOrder = 0;
  for (let item = 0; item < 100_000; item++) if (fifo.shift() === item) inOrder++;
  expect([inOrder, fifo.count]).toEqual([100_000, 0]);
});
