/**
 * Patterns of rules: written in JavaScript's syntax, executed by an engine with linear running time.
 *
 * A pattern that the engine cannot express disables its pair, and the reason is reported. Where both syntaxes have a form
 * with different meanings (`\z` is the letter z in JavaScript and the end of the text in RE2), the pattern is translated
 * so that it keeps its meaning in JavaScript.
 */
import { PATTERN_CHARS_MAX } from '../limits.ts';
import {
  COMPILE_WORK_PER_INSTRUCTION,
  compilePattern,
  isPattern,
  estimatedSize,
  type LinearPattern,
} from '../languages/linear-pattern.ts';
import { PATTERN_WORK } from '../model/mocks/definition/operators.ts';
import { take, type WorkBudget } from '../languages/work-budget.ts';
import { excerpt } from '../base/excerpt.ts';
import type { Miss } from './outcome.ts';
import { translateForLinear } from './pattern-syntax.ts';

/** Work of compiling the smallest pattern, in units of RULE_WORK_MAX: some 0.1 ms. */
const COMPILE_WORK = 15_000;

export class Pattern {
  readonly #body: string;
  readonly #flags: string;
  #compiled: LinearPattern | string | undefined;
  /** Numbers of its groups that have a name, from 1; known once it is compiled. */
  names: ReadonlyMap<string, number> | undefined;

  constructor(body: string, flags: string) {
    this.#body = body;
    this.#flags = flags;
  }

  get isGlobal(): boolean {
    return this.#flags.includes('g');
  }

  /**
   * Upper bound of its compiled size, in instructions. It counts from the start, although compilation waits for first
   * use.
   */
  get instructions(): number {
    return this.#body.length > PATTERN_CHARS_MAX ? 0 : estimatedSize(this.#body);
  }

  /**
   * Why the engine cannot express it, in terms that a person can act on; undefined when it can, or the budget is used
   * up.
   */
  problem(budget: WorkBudget): string | undefined {
    const compiled = this.#compile(budget);
    return typeof compiled === 'string' ? compiled : undefined;
  }

  /** Whether the engine lacks something that it uses. Found by reading it, not by compiling it. */
  get isUnsupported(): boolean {
    return translateForLinear(this.#body, this.#flags).problem !== undefined;
  }

  /** Whether it matches anywhere in the text. False when the budget is used up. */
  test(text: string, budget: WorkBudget): boolean {
    const compiled = this.#compile(budget);
    if (compiled === undefined || !isPattern(compiled)) return false;
    return take(budget, PATTERN_WORK + text.length * compiled.workPerChar) && compiled.test(text);
  }

  /** Start and end of the first match and of each of its groups; -1 for a group that did not participate. */
  findGroups(text: string, from: number, budget: WorkBudget): readonly number[] | undefined {
    const compiled = this.#compile(budget);
    if (compiled === undefined || !isPattern(compiled)) return undefined;
    const work = PATTERN_WORK + (text.length - from) * compiled.groupsWorkPerChar;
    return take(budget, work) ? compiled.findGroups(text, from) : undefined;
  }

  #compile(budget: WorkBudget): LinearPattern | string | undefined {
    if (this.#compiled !== undefined) return this.#compiled;
    const { pattern, problem, names } = translateForLinear(this.#body, this.#flags);
    if (problem !== undefined) {
      this.#compiled = problem;
      return problem;
    }
    if (!take(budget, COMPILE_WORK + estimatedSize(pattern) * COMPILE_WORK_PER_INSTRUCTION)) return undefined;
    this.#compiled = compilePattern(pattern);
    this.names = names;
    return this.#compiled;
  }
}

/** The miss of a pattern that cannot be used. */
export function patternMiss(pattern: Pattern | undefined, value: string, budget: WorkBudget): Miss {
  const expected = 'a supported pattern';
  return { reason: 'pattern', expected, actual: excerpt(`${value}: ${pattern?.problem(budget) ?? 'not supported'}`) };
}
