/** Texts in JSON that stand for any value of a kind, as json-unit has them: "${json-unit.any-string}". Each is a whole text, and no name. */
import { compilePattern, estimatedSize, isPattern } from './linear-pattern.ts';
import { markedNumber } from './json-text.ts';
import { take, type WorkBudget } from './work-budget.ts';

/** Stands in a value that is compared (json-compare.ts). */
export class Placeholder {
  readonly fits: (value: unknown, budget: WorkBudget) => boolean;
  /** Whether a member with it may be absent. */
  readonly mayBeMissing: boolean;

  constructor(fits: Placeholder['fits'], mayBeMissing = false) {
    this.fits = fits;
    this.mayBeMissing = mayBeMissing;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && markedNumber(value) === undefined;

const KINDS: Readonly<Record<string, Placeholder>> = {
  'any-string': new Placeholder(isText),
  'any-number': new Placeholder(
    (value) => typeof value === 'number' || (typeof value === 'string' && markedNumber(value) !== undefined),
  ),
  'any-boolean': new Placeholder((value) => typeof value === 'boolean'),
  ignore: new Placeholder(() => true),
  'ignore-element': new Placeholder(() => true, true),
};
const NAMES = `${Object.keys(KINDS).join(', ')} or regex`;

const WHOLE = /^[$#]\{json-unit\.([a-z-]+)\}$/;
const REGEX = /^[$#]\{json-unit\.regex\}(.+)$/s;
const MATCHER = /^[$#]\{json-unit\.matches:/;
const PATTERN_WORK = 20;
const DEPTH_MAX = 200;

/** @returns The value with its placeholders; the problem of one. */
export function withPlaceholders(value: unknown): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: replaced(value, 0) };
  } catch (error) {
    if (error instanceof PlaceholderProblem) return { problem: error.message };
    throw error;
  }
}

class PlaceholderProblem extends Error {}

function replaced(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return placeholderOf(value) ?? value;
  if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, depth + 1)]));
}

function placeholderOf(text: string): Placeholder | undefined {
  const [, kind = ''] = WHOLE.exec(text) ?? [];
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind];
  const [, source] = REGEX.exec(text) ?? [];
  if (kind !== '' || MATCHER.test(text))
    throw new PlaceholderProblem(`the placeholder ${text.slice(0, 60)} is unknown: it must be ${NAMES}`);
  if (source === undefined) return undefined;
  const pattern = compilePattern(source);
  if (!isPattern(pattern)) throw new PlaceholderProblem(`the pattern of the placeholder: ${pattern}`);
  return new Placeholder(
    (value, budget) =>
      isText(value) && take(budget, PATTERN_WORK + value.length * pattern.workPerChar) && pattern.testWhole(value),
  );
}

/** The cost of compiling the patterns in a text of JSON, in instructions. */
export function placeholderInstructions(json: string): number {
  let sum = 0;
  for (const [, source = ''] of json.matchAll(/[$#]\{json-unit\.regex\}((?:[^"\\]|\\.)*)"/gs))
    sum += estimatedSize(source);
  return sum;
}
