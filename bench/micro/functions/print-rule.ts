/** Printing a rule as clients see it, up to its bytes: a text that was only put together is not written anywhere yet. */
import { equal } from 'node:assert/strict';
import { ruleJson } from '../../../src/http/represent.ts';
import type { MicroCase } from '../micro-function.ts';
import { OWNER, ruleAt } from '../rules-of-an-owner.ts';

export const UNIT = 'pairs';

export const SIZES = [1, 10, 100] as const;

export function prepare(size: number): MicroCase[] {
  const print = (name: string, description: string): MicroCase => {
    const rule = { ...ruleAt(1, size), description };
    return {
      name,
      run: () => Buffer.from(ruleJson(rule, OWNER)),
      check(result) {
        const printed = JSON.parse(String(result)) as { description: string; pairs: unknown[] };
        equal(printed.description, description);
        equal(printed.pairs.length, size);
      },
    };
  };
  return [
    print('plain text', 'Sends the checkout of the web shop to the staging cluster.'),
    print('text to escape', 'Sends the "checkout"\nof the web shop\tto the \\staging\\ cluster.'),
  ];
}
