import { describe, expect, test } from 'vitest';
import { Tally } from './proof.ts';

describe('the time that rounds may take', () => {
  test('all are tried when it lasts, and nothing is said', () => {
    const tally = new Tally();
    expect([...tally.within(60, 'rounds', [1, 2, 3])]).toEqual([1, 2, 3]);
    expect(tally.rows).toEqual([]);
  });

  test('when it is up no other begins, and the table says how many were tried', () => {
    const tally = new Tally();
    expect([...tally.within(0, 'rounds', [1, 2, 3])]).toEqual([1]);
    expect(tally.rows).toEqual([{ fault: 'rounds: of 3, when the time for them was up', tried: 1, failures: [] }]);
  });
});
