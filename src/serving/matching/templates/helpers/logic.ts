/** Helpers that compare and decide. Each may be a block, too: `{{#eq a b}}…{{/eq}}`. */
import { compilePattern, isPattern } from '../../../../languages/linear-pattern.ts';
import { containsText, searchWork } from '../../../../model/mocks/definition/find-text.ts';
import { PATTERN_WORK } from '../../../../model/mocks/definition/operators.ts';
import { take } from '../../../../languages/work-budget.ts';
import { asText, isTruthy, plain, type Helpers, type MakeHelper } from '../helper.ts';
import { areEqual, asList, compare } from '../values.ts';

export const LOGIC_HELPERS: Helpers<
  'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'and' | 'or' | 'not' | 'contains' | 'matches' | 'default'
> = {
  eq: plain(areEqual),
  ne: plain((run, one, other) => !areEqual(run, one, other)),
  gt: plain((run, one, other) => compare(run, one, other) > 0),
  gte: plain((run, one, other) => compare(run, one, other) >= 0),
  lt: plain((run, one, other) => compare(run, one, other) < 0),
  lte: plain((run, one, other) => compare(run, one, other) <= 0),
  and: (args) => (run) => args.every(({ evaluate }) => isTruthy(evaluate(run))),
  or: (args) => (run) => args.some(({ evaluate }) => isTruthy(evaluate(run))),
  not: plain((_run, value) => !isTruthy(value)),
  contains: plain((run, whole, part) => {
    const list = Array.isArray(whole) ? asList(run, whole) : undefined;
    if (list !== undefined) return list.some((item) => take(run.view, ITEM_WORK) && areEqual(run, item, part));
    const text = asText(run, whole);
    const expected = asText(run, part);
    return take(run.view, searchWork(text, expected)) && containsText(text, expected);
  }),
  matches: matching(),
  default: (args) => (run) => {
    for (const { evaluate } of args) {
      const value = evaluate(run);
      if (value !== undefined && value !== null && value !== '') return value;
    }
    return undefined;
  },
};

/** Work of comparing an item of a list. In units of RULE_WORK_MAX. */
const ITEM_WORK = 30;

function matching(): MakeHelper {
  return ([text, source]) => {
    const pattern = compilePattern(String(source?.literal?.value ?? ''));
    if (!isPattern(pattern)) return () => false;
    return (run) => {
      const value = asText(run, text?.evaluate(run));
      return take(run.view, PATTERN_WORK + value.length * pattern.workPerChar) && pattern.test(value);
    };
  };
}
