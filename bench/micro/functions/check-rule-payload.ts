/** Checking the body of a rule's POST or PUT, and making the draft of a record of it. */
import { equal } from 'node:assert/strict';
import { isRefusal, type Refusal } from '../../../src/errors.ts';
import { DEFAULT_LIMITS } from '../../../src/limits.ts';
import { ruleParser, type RuleDraft } from '../../../src/model/rule-payload.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'pairs';

export const SIZES = [1, 10, 100] as const;

const SOURCE = { key: 'Url', operator: 'Contains', value: 'https://shop.example.com/api/checkout' };
const REDIRECT = { source: SOURCE, destinationType: 'url', destination: 'https://staging.example.com/' };
const HEADERS = { source: SOURCE, modifications: [{ header: 'x-a', type: 'Add', value: '1' }] };

export function prepare(size: number): MicroCase[] {
  const parse = ruleParser(DEFAULT_LIMITS);
  const check = (name: string, ruleType: string, pairs: readonly object[], isTaken: boolean): MicroCase => {
    const body = { name: 'Checkout to staging', description: 'While a release is tried out.', ruleType, pairs };
    return {
      name,
      run: () => parse(body, new Map()),
      check(result) {
        const draft = result as RuleDraft | Refusal;
        equal(isRefusal(draft), !isTaken);
        if (!isRefusal(draft)) equal((JSON.parse(draft.pairs) as unknown[]).length, size);
      },
    };
  };
  const repeated = (pair: object): object[] => Array.from({ length: size }, () => pair);
  const refused = repeated(REDIRECT).with(size - 1, { source: SOURCE });
  return [
    check('redirects', 'Redirect', repeated(REDIRECT), true),
    check('headers', 'Headers', repeated(HEADERS), true),
    check('the last pair is refused', 'Redirect', refused, false),
  ];
}
