/** What an owner's rules do to a GET and its answer: ten of them match, the others have another URL. */
import { equal } from 'node:assert/strict';
import { evaluate } from '../../../src/rules-table/evaluate.ts';
import type { Evaluation } from '../../../src/rules-table/outcome.ts';
import { tableOf } from '../../../src/rules-table/rule-table.ts';
import { compiled, exchangeOf, source } from '../../../test/support/rules-table.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'rules';

export const SIZES = [10, 1_000, 10_000] as const;

export function prepare(size: number): MicroCase[] {
  const matching = Array.from({ length: 10 }, (_, index) => headersRule('shop.example.com', 'Contains', index));
  const others = Array.from({ length: size - 10 }, (_, index) =>
    index % 3 === 0
      ? headersRule(`https://host${index}.example.com/*/items`, 'Wildcard_Matches', index)
      : headersRule(`api${index}.example.com/v1`, 'Contains', index),
  );
  const table = tableOf([...matching, ...others]);
  const exchange = exchangeOf({
    url: 'https://shop.example.com/api/v1/items?page=1',
    headers: { host: 'shop.example.com', accept: '*/*', 'user-agent': 'test/1.0' },
    upstream: { headers: { 'content-type': 'text/plain' }, body: 'hello' },
  });
  const check = (answer: unknown) => equal((answer as Evaluation).steps.length, 10);
  return [
    { name: 'without details', run: () => evaluate(table, exchange), check },
    { name: 'with details', run: () => evaluate(table, exchange, { details: 'applied' }), check },
  ];
}

function headersRule(value: string, operator: string, index: number) {
  const modifications = [{ header: `x-${index}`, type: 'Add', value: '1' }];
  return compiled('Headers', [{ ...source(value, operator), modifications }]);
}
