/** Sets the User-Agent header of the request. */
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import { areEqualLines, headerValue, setLine, valueProblem } from '../header-list.ts';
import { noteLines } from './note-lines.ts';
import type { RuleKind } from './rule-kind.ts';

const NAME = 'User-Agent';

export const userAgent: RuleKind<string> = {
  phases: ['requestHeaders'],
  acting: 'last',
  normalise: ({ userAgent: value }) => String(value),
  apply(value, stage) {
    const { headers, budget } = stage;
    if (value === '' || valueProblem(NAME, value) !== undefined) return false;
    if (!take(budget, 1 + 40 * headers.length + value.length)) return false;
    if (headerValue(headers, 'user-agent') === value) return false;
    const lines = setLine(headers, NAME, value);
    if (areEqualLines(headers, lines)) return false;
    noteLines(stage.changed, headers, lines, [NAME]);
    stage.headers = lines;
    return true;
  },
  explain(value, { headers }) {
    const problem = value === '' ? 'is empty' : valueProblem(NAME, value);
    if (problem !== undefined) {
      return { reason: 'noChange', expected: 'a value that can be sent', actual: `the user agent ${problem}` };
    }
    const actual = excerpt(headerValue(headers, 'user-agent') ?? '');
    return { reason: 'noChange', expected: 'another user agent', actual };
  },
};
