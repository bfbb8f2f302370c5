/** Values of requests, sums and comparisons of Mockoon in our words. */
import { isIndefinite } from '../../templates/json-paths.ts';
import type { Speaker, Use } from '../../templates/reword.ts';
import { asJson, same, type Helper } from '../../templates/same-words.ts';
import { called, quoted, type Call, type Term } from '../../templates/terms.ts';
import { jsonPathOf, queryPath } from './paths-of-values.ts';
import { kindOf } from './word-kinds.ts';

/** Members of the body or the query. The default of a value that is missing is 0 in sums, where it counts as an empty text. */
export function reading(name: 'body' | 'bodyRaw' | 'queryParam' | 'queryParamRaw'): Helper {
  const isQuery = name.startsWith('query');
  const isRaw = name.endsWith('Raw');
  return ({ args, named }, use, { context, of }) => {
    const [path, other, third, ...more] = args;
    const isJson = third?.kind === 'literal' && third.value === true;
    if (more.length > 0 || (third !== undefined && (!isJson || isRaw)) || Object.keys(named).length > 0)
      return undefined;
    const given = path?.kind === 'literal' ? String(path.value) : undefined;
    if (path === undefined || given === '') {
      if (other !== undefined) return undefined;
      if (isRaw && use === 'printed') context.differs('it is printed as [object Object]');
      return called(isQuery ? 'queryValue' : 'body');
    }
    const own = given === undefined ? of(path) : isQuery ? quotedName(queryPath(given)) : bodyPath(given);
    const fallback = of(other);
    if (own === undefined || (other !== undefined && fallback === undefined)) return undefined;
    if (given?.endsWith('.length') === true) context.differs('a text has a length');
    if (!isQuery && isIndefinite(given ?? ''))
      return called('jsonPath', 'body', own, 'list=true', `default=${fallback ?? "''"}`);
    if (isJson)
      return called(
        'json',
        called(isQuery ? 'queryValue' : 'bodyValue', own, fallback ?? "''", isQuery ? undefined : 'raw=true'),
      );
    // A place in a text is one of its characters there.
    if (/^\d+$|\.\d+$|\[\d+\]$/.test(given ?? '')) context.mayDiffer();
    if (isQuery) return called('queryValue', own, fallback);
    return called('bodyValue', own, fallback, isRaw && use !== 'listed' ? 'raw=true' : undefined);
  };
}

function quotedName(path: string | undefined): string | undefined {
  return path === undefined ? undefined : quoted(path);
}

function bodyPath(path: string): string | undefined {
  return quoted(path.includes('\\.') ? jsonPathOf(path) : path);
}

/** Numbers alone count; what is missing is 0. */
export function sum(name: string): Helper {
  return ({ args, named }, _use, speaker) => {
    const { context } = speaker;
    if (Object.keys(named).length > 0) return undefined;
    const [first, ...others] = args;
    const kept = [
      first,
      ...others.filter((each) => !isNoNumber(each) && !(name === 'divide' && isZero(each))),
    ] as Term[];
    if (first === undefined || args.length < 2 || isNoNumber(first)) return undefined;
    if (kept.some((each) => kindOf(each, context) === 'list')) context.differs('a list is not a number');
    if (kept.some((each) => kindOf(each, context) !== 'number')) context.mayDiffer();
    const areWhole = kept.every((each) => each.kind !== 'literal' || Number.isInteger(Number(each.value)));
    const isFraction = name === 'divide' && !dividesEvenly(kept);
    if (!areWhole || isFraction) context.differs('the last digits differ');
    const own = kept.map((each) => orZero(each, speaker));
    if (own.includes(undefined)) return undefined;
    return own.length === 1 ? called('toNumber', own[0]) : called(name, ...own);
  };
}

export function isNoNumber(term: Term): boolean {
  return term.kind === 'literal' && Number.isNaN(Number(term.value));
}

function isZero(term: Term): boolean {
  return term.kind === 'literal' && Number(term.value) === 0;
}

function dividesEvenly(terms: readonly Term[]): boolean {
  const numbers = terms.map((each) => (each.kind === 'literal' ? Number(each.value) : Number.NaN));
  const result = numbers.reduce((one, other) => one / other);
  return String(result).length < 12;
}

function orZero(term: Term, { of }: Speaker): string | undefined {
  const isRead = term.kind === 'call' && (term.name === 'body' || term.name === 'queryParam') && term.args.length === 1;
  return of(isRead ? { ...term, args: [...term.args, { kind: 'literal', value: 0 }] } : term);
}

/** Values of one type alone are equal. */
export function eq({ args, named }: Call, _use: Use, speaker: Speaker): string | undefined {
  const [one, other] = args;
  if (one === undefined || other === undefined || args.length > 2 || Object.keys(named).length > 0) return undefined;
  const kinds = [one, other].map((each) => {
    const kind = kindOf(each, speaker.context);
    return kind === 'safe' ? 'text' : kind;
  });
  const isPlain = kinds[0] === kinds[1] && kinds[0] !== 'any';
  if (!isPlain && !kinds.includes('any')) speaker.context.differs('a string never equals a number');
  const own = [one, other].map((each) => (isPlain ? orEmpty(each, speaker) : asJson(each, speaker)));
  return own.includes(undefined) ? undefined : called('eq', ...own);
}

/** Reads a missing value as an empty text. */
function orEmpty(term: Term, { of }: Speaker): string | undefined {
  const isRead = term.kind === 'call' && (term.name === 'body' || term.name === 'queryParam') && term.args.length === 1;
  return isRead ? of({ ...term, args: [...term.args, { kind: 'literal', value: '' }] }) : of(term);
}

/** Texts that are no numbers are compared with nothing. */
export function ordered(name: string): Helper {
  return (call, use, speaker) => {
    if (call.args.some(isNoNumber)) speaker.context.differs('it compares only numbers');
    if (call.args.some((each) => kindOf(each, speaker.context) !== 'number')) speaker.context.mayDiffer();
    return same(name, 2, 2)(call, use, speaker);
  };
}
