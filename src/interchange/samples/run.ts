/**
 * One run of the sampler: what it may still use, which schemas it is inside of, and why it could not show all.
 *
 * Attempts that are given up return what they used of the values and the text, but not their steps: those bound the time.
 */
import { SAMPLE_CHARS_MAX, SAMPLE_NODES_MAX } from '../../limits.ts';
import type { Leaf, Leaves } from './leaf.ts';
import { compilePattern, estimatedSize, isPattern, type LinearPattern } from '../../languages/linear-pattern.ts';

/** Compiled patterns that an import keeps for its examples: compiling takes far longer than the test. */
const SAMPLE_PATTERNS_KEPT = 200;

/** References in a row that are followed to recognise a circle, and schemas within one another. */
const SAMPLE_REFERENCES_MAX = 64;
const SAMPLE_SCHEMAS_MAX = 200;

/** Work of one example, of about half a microsecond each: attempts that are given up count, too. */
const SAMPLE_STEPS_MAX = 60_000;

export type Json = { readonly [name: string]: unknown };
export type Resolve = (ref: string) => unknown;

/** Allowance that all samples of an import share. */
export interface Allowance {
  nodes: number;
  chars: number;
  steps: number;
  /** Patterns that were compiled, or cannot be. */
  readonly patterns: Map<string, LinearPattern | undefined>;
  /** Names of large objects: listing them takes longer than all else. */
  readonly names: WeakMap<object, readonly string[]>;
}

/** Why there is no value at a place. */
export class Cut {
  readonly reason: string;
  /** Whether omissions for it go unnoticed: the sample is complete without. */
  readonly silent: boolean;

  constructor(reason: string, silent = false) {
    this.reason = reason;
    this.silent = silent;
  }
}

export const TOO_LARGE = new Cut('the sample would be too large');
export const TOO_DEEP = new Cut('the schema is nested too deeply');
const CIRCULAR = new Cut('the schema requires itself', true);
export const NOTHING_FITS = new Cut('no value fits the schema', true);

/** State to return to when an attempt is given up. */
interface Mark {
  readonly nodes: number;
  readonly chars: number;
  readonly problem: string | undefined;
}

export class SampleRun {
  /** Leaves out what is required and cannot be shown: the second attempt, when the first one finds nothing that fits. */
  readonly lenient: boolean;
  /** Levels of arrays and objects. */
  depth = 0;
  /** Objects of this level show what is required alone. */
  bareDepth: number | undefined;
  /** Which of several values is shown, for arrays whose items must differ. */
  variant = 0;
  problem: string | undefined;
  /** Source of the last value; undefined for an object, an array and what may not be another value. */
  leaf: Leaf | undefined;
  /** Within what must be one of several schemas, or not fit one. */
  choices = 0;
  /** Within items that must differ. */
  unique = 0;
  /** Undefined where nobody asks for them. */
  readonly leaves: Leaves | undefined;
  readonly #resolve: Resolve;
  readonly #allowance: Allowance;
  readonly #open = new Set<unknown>();
  readonly #both = new Map<unknown, Map<unknown, Json>>();
  readonly #nodesMax: number;
  readonly #stepsMax: number;
  #nodes: number;
  #chars: number;
  #steps: number;

  constructor(resolve: Resolve, allowance: Allowance, lenient: boolean, leaves?: Leaves) {
    this.leaves = leaves;
    this.#resolve = resolve;
    this.#allowance = allowance;
    this.lenient = lenient;
    this.#nodesMax = this.#nodes = Math.min(allowance.nodes, SAMPLE_NODES_MAX);
    this.#chars = Math.min(allowance.chars, SAMPLE_CHARS_MAX);
    this.#stepsMax = this.#steps = Math.min(allowance.steps, SAMPLE_STEPS_MAX);
  }

  /** Takes from the allowance what the sample uses. */
  settle(): void {
    const allowance = this.#allowance;
    allowance.nodes -= this.#nodesMax - this.#nodes;
    allowance.chars -= Math.min(allowance.chars, SAMPLE_CHARS_MAX) - this.#chars;
    allowance.steps -= this.#stepsMax - Math.max(this.#steps, 0);
  }

  /** Takes work of about a microsecond each. @returns Whether there was enough of it. */
  step(count = 1): boolean {
    this.#steps -= count;
    return this.#steps >= 0;
  }

  /** Takes a value with its text. @returns Whether there was space for it; else nothing is taken. */
  take(chars: number, nodes = 1): boolean {
    if (this.#steps < 0 || nodes > this.#nodes || chars > this.#chars) return false;
    this.#nodes -= nodes;
    this.#chars -= chars;
    return true;
  }

  get nodesLeft(): number {
    return this.#nodes;
  }

  /** Half is used: only what is required is added, so that the sample can be completed. */
  get isTight(): boolean {
    return this.#nodes < this.#nodesMax / 2 || this.#steps < this.#stepsMax / 2;
  }

  mark(): Mark {
    return { nodes: this.#nodes, chars: this.#chars, problem: this.problem };
  }

  giveUp(mark: Mark): void {
    this.#nodes = mark.nodes;
    this.#chars = mark.chars;
    this.problem = mark.problem;
  }

  /** Keeps what the last value was made of, as a part of its container. */
  keepLeaf(container: object, name: string): void {
    const { leaf, leaves } = this;
    this.leaf = undefined;
    if (leaf === undefined || leaves === undefined || this.unique > 0) return;
    // Another value could fit another schema, too.
    if (this.choices > 0 && (leaf.values !== undefined || leaf.type === 'boolean')) return;
    const known = leaves.get(container) ?? new Map<string, Leaf>();
    leaves.set(container, known.set(name, leaf));
  }

  /** Remembers the first reason. */
  note(cut: Cut): void {
    if (!cut.silent || this.lenient) this.problem ??= cut.reason;
  }

  /** @returns The names of what may be an object; none when there is not enough work left to look at all of them. */
  namesOf(value: unknown): readonly string[] {
    if (!isJson(value)) return [];
    const known = this.#allowance.names.get(value);
    const names = known ?? Object.keys(value);
    if (known === undefined && names.length > FEW_NAMES) this.#allowance.names.set(value, names);
    return this.step(names.length) ? names : [];
  }

  resolve(ref: string): unknown {
    this.step();
    return this.#resolve(ref);
  }

  /** The schema that a chain of references leads to: what a circle is recognised by. */
  targetOf(schema: unknown): unknown {
    let target = schema;
    for (let count = 0; count < SAMPLE_REFERENCES_MAX; count++) {
      if (!isJson(target)) return target;
      const next: unknown =
        typeof target.$ref === 'string'
          ? this.resolve(target.$ref)
          : Array.isArray(target.allOf) && target.allOf.length === 1
            ? target.allOf[0]
            : undefined;
      if (next === undefined) return target;
      target = next;
    }
    return target;
  }

  /** Runs inside of a schema. @returns A cut when the run is inside of it already, or of too many others. */
  inside(schema: unknown, work: () => unknown): unknown {
    const target = this.targetOf(schema);
    if (!isJson(target)) return work();
    if (this.#open.has(target)) return CIRCULAR;
    if (this.#open.size >= SAMPLE_SCHEMAS_MAX) return TOO_DEEP;
    this.#open.add(target);
    const value = work();
    this.#open.delete(target);
    return value;
  }

  /** A schema for what must fit two others, the same each time, so that circles of them are recognised. */
  both(first: unknown, second: unknown): unknown {
    if (first === undefined || first === true || first === second) return second;
    if (second === undefined || second === true) return first;
    const seconds = this.#both.get(first) ?? new Map<unknown, Json>();
    this.#both.set(first, seconds);
    const known = seconds.get(second);
    if (known !== undefined) return known;
    const made = { allOf: [first, second] };
    seconds.set(second, made);
    return made;
  }

  /** @returns undefined for a pattern that is not supported, or too large for what is left. */
  pattern(source: string): LinearPattern | undefined {
    const { patterns } = this.#allowance;
    if (patterns.has(source)) return patterns.get(source);
    if (!this.step(PATTERN_STEPS + estimatedSize(source))) return undefined;
    const compiled = compilePattern(source.replaceAll(/\\u([0-9A-Fa-f]{4})/g, String.raw`\x{$1}`));
    const pattern = isPattern(compiled) ? compiled : undefined;
    if (patterns.size < SAMPLE_PATTERNS_KEPT) patterns.set(source, pattern);
    return pattern;
  }
}

const FEW_NAMES = 100;
/** Compiling the smallest. */
const PATTERN_STEPS = 100;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets a member of that name, "__proto__" as well. */
export function put(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
