/** Adds, removes and modifies header lines of the request and of the response. */
import { fillText, mayFill } from '../expand-groups.ts';
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import {
  areEqualLines,
  headerValue,
  mayRepeat,
  modifyLine,
  nameProblem,
  removeLines,
  setLine,
  valueProblem,
  type HeaderLines,
} from '../header-list.ts';
import type { Miss } from '../outcome.ts';
import type { Stage } from '../stage.ts';
import { noteLines } from './note-lines.ts';
import type { RuleKind } from './rule-kind.ts';

interface Modification {
  readonly header: string;
  readonly type: 'Add' | 'Remove' | 'Modify';
  readonly value: string;
}

interface Headers {
  readonly request: readonly Modification[];
  readonly response: readonly Modification[];
}

export const headers: RuleKind<Headers> = {
  phases: ['requestHeaders', 'responseHeaders'],
  acting: 'all',
  normalise({ modifications }) {
    if (Array.isArray(modifications)) return { request: modificationsOf(modifications), response: [] };
    const { Request: request, Response: response } = modifications as Record<string, unknown>;
    return { request: modificationsOf(request), response: modificationsOf(response) };
  },
  apply(shape, stage) {
    const before = linesOf(stage);
    if (before === undefined) return false;
    let lines = before;
    for (const modification of ofPhase(shape, stage)) {
      const next = modify(lines, modification, stage);
      if ('reason' in next) stage.refused.push(next);
      else lines = next;
    }
    if (areEqualLines(before, lines)) return false;
    if (stage.phase === 'requestHeaders') stage.headers = lines;
    else if (stage.answer !== undefined) stage.answer = { ...stage.answer, headers: lines };
    return true;
  },
  explain(shape, stage) {
    const lines = linesOf(stage);
    if (lines === undefined) return { reason: 'noChange', expected: 'a response', actual: 'the upstream failed' };
    const [refused] = stage.refused;
    if (refused !== undefined) return refused;
    const [first] = ofPhase(shape, stage);
    const found = first && headerValue(lines, first.header.toLowerCase());
    return {
      reason: 'noChange',
      expected: excerpt(`${first?.type} ${first?.header}`),
      actual: found === undefined ? 'no such header' : excerpt(`${first?.header}: ${found}`),
    };
  },
  concerns: (shape, phase) => (phase === 'requestHeaders' ? shape.request : shape.response).length > 0,
};

function modificationsOf(given: unknown): Modification[] {
  if (!Array.isArray(given)) return [];
  return (given as Record<string, unknown>[]).map(({ header, type, value }) => ({
    header: String(header),
    type: type as Modification['type'],
    value: typeof value === 'string' ? value : '',
  }));
}

function ofPhase({ request, response }: Headers, { phase }: Stage): readonly Modification[] {
  return phase === 'requestHeaders' ? request : response;
}

function linesOf({ phase, headers: lines, answer }: Stage): HeaderLines | undefined {
  return phase === 'requestHeaders' ? lines : answer?.headers;
}

/** Work of finding a line by its name, copying it and recording its change, in units of RULE_WORK_MAX. */
const LINE_WORK = 40;

/** With what groups capture in it: the most that servers take of a line. */
const VALUE_CHARS_MAX = 16_384;

function filled(value: string, stage: Stage): string | undefined {
  return mayFill(value) ? fillText(value, stage.groups, stage, VALUE_CHARS_MAX, stage.budget) : value;
}

/** Records what changed. @returns The changed lines, or why the modification could not be applied. */
function modify(lines: HeaderLines, { header, type, value }: Modification, stage: Stage): HeaderLines | Miss {
  const problem = nameProblem(header);
  if (problem !== undefined) return refusal('a header that a rule may change', `${header} ${problem}`);
  const lower = header.toLowerCase();
  if (type === 'Remove' && lower === 'host' && stage.phase === 'requestHeaders') {
    return refusal('a header that a rule may remove', `${header}: a request must have it`);
  }
  const text = type === 'Remove' ? '' : filled(value, stage);
  if (text === undefined) return refusal(`a value of at most ${VALUE_CHARS_MAX} characters`, `a longer ${header}`);
  const wrong = valueProblem(header, text);
  if (type !== 'Remove' && wrong !== undefined) {
    return refusal('a value that can be sent', `the value of ${header} ${wrong}`);
  }
  const isAppended = type === 'Add' && mayRepeat(lower);
  const work = 1 + 2 * text.length + (isAppended ? lines.length >> 2 : lines.length * LINE_WORK);
  if (!take(stage.budget, work)) return lines;
  const cookies = stage.phase === 'requestHeaders' && lower === 'cookie' ? headerValue(lines, lower) : undefined;
  if (isAppended && cookies !== undefined) {
    // A request has one line of them (RFC 6265, section 5.4).
    const next = modifyLine(lines, header, [cookies, text].filter((each) => each !== '').join('; '));
    noteLines(stage.changed, lines, next, [lower]);
    return next;
  }
  if (isAppended) {
    stage.changed.push({ what: 'header', before: null, after: excerpt(`${header}: ${text}`) });
    return [...lines, { name: header, value: text }];
  }
  const next =
    type === 'Remove' ? removeLines(lines, lower) : (type === 'Add' ? setLine : modifyLine)(lines, header, text);
  noteLines(stage.changed, lines, next, [lower]);
  return next;
}

function refusal(expected: string, actual: string): Miss {
  return { reason: 'noChange', expected, actual: excerpt(actual) };
}
