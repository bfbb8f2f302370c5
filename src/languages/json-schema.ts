/**
 * JSON Schema for a rule's `jsonSchema`, compiled to closures without a library.
 *
 * Schemas come from users and run on the thread that serves everyone's mocks. Libraries generate code from them, use
 * backtracking expressions for `pattern`, and take exponential time on a few references ("allOf": [{"$ref": ...},
 * {"$ref": ...}] over and over). Here each visit of a value takes from a budget, patterns are linear, and nothing is
 * evaluated as code.
 *
 * Supported are the validation keywords of draft 7 and 2020-12 below, and `$ref` within the schema. Unsupported
 * keywords that would change the meaning are refused; annotations and unknown words are ignored, as JSON Schema
 * specifies.
 */
import { isObject } from '../base/json-object.ts';
import { decodeOnce } from '../base/percent.ts';
import { isJsonProblem, parseStrictJson } from '../base/strict-json.ts';
import { JSON_DEPTH_MAX } from '../limits.ts';
import { SchemaProblem, type SchemaCheck, type SchemaCompiler } from './json-schema-types.ts';
import { KEYWORDS, UNSUPPORTED } from './json-schema-keywords.ts';
import { compilePattern, isPattern, estimatedSize, type LinearPattern } from './linear-pattern.ts';
import { take, type WorkBudget } from './work-budget.ts';

/** How often a schema may refer to itself on the way to one value: a value nested deeper does not match. */
const SCHEMA_REFERENCES_MAX = 64;

/** Patterns of one schema: each may take as long to compile as PATTERN_INSTRUCTIONS_MAX allows. */
const SCHEMA_PATTERNS_MAX = 32;

/** A schema of a mock's rule, as JSON text. JSON_DEPTH_MAX bounds its nesting, as of all JSON. */
const SCHEMA_BYTES_MAX = 64 * 1_024;

interface JsonSchema {
  /** Whether the value is valid. Takes from the budget; invalid when it does not suffice. Never throws. */
  readonly fits: (value: unknown, budget: WorkBudget) => boolean;
}

/** @returns The compiled schema, or the reason why it is invalid, in terms that a person can act on. Never throws. */
export function compileJsonSchema(text: string): JsonSchema | string {
  const bytes = Buffer.from(text);
  if (bytes.length > SCHEMA_BYTES_MAX) return `the schema must have at most ${SCHEMA_BYTES_MAX} bytes`;
  const parsed = parseStrictJson(bytes, JSON_DEPTH_MAX);
  if (isJsonProblem(parsed)) return `the schema: ${parsed.problem.replace('the body', 'it')}`;
  if (!isObject(parsed.value)) return 'the schema must be a JSON object';
  try {
    const check = new Compiler(parsed.value).compile(parsed.value, '');
    return { fits: (value, budget) => checkSafely(check, value, budget) };
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message;
    throw error;
  }
}

function checkSafely(check: SchemaCheck, value: unknown, budget: WorkBudget): boolean {
  try {
    return check(value, { budget, references: 0 });
  } catch (error) {
    // References and nesting together can exceed the stack.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The cost of one visit of a value, and of each of its keywords. */
const VISIT_WORK = 3;
const CHECK_WORK = 3;

class Compiler implements SchemaCompiler {
  readonly #root: unknown;
  /** Keyed by the target: a pointer can be spelt in as many ways as it has characters. */
  readonly #references = new Map<unknown, { check: SchemaCheck | undefined }>();

  constructor(root: unknown) {
    this.#root = root;
  }

  readonly #patterns = new Map<string, LinearPattern>();

  compile(schema: unknown, path: string): SchemaCheck {
    if (typeof schema === 'boolean') return (_value, run) => take(run.budget, VISIT_WORK) && schema;
    if (!isObject(schema)) throw new SchemaProblem(`${path || 'the schema'} must be an object, true or false`);
    const checks: SchemaCheck[] = [];
    for (const keyword of Object.keys(schema)) {
      if (UNSUPPORTED.has(keyword)) throw new SchemaProblem(`${path}/${keyword} is not supported`);
      const build = KEYWORDS.get(keyword);
      if (build === undefined) continue;
      const check = build(schema[keyword], schema, `${path}/${keyword}`, this);
      if (check !== undefined) checks.push(check);
    }
    const work = VISIT_WORK + checks.length * CHECK_WORK;
    return (value, run) => {
      if (!take(run.budget, work)) return false;
      for (const check of checks) if (!check(value, run)) return false;
      return true;
    };
  }

  /** Compiled once, however often it is referenced, also recursively. */
  reference(ref: string, path: string): SchemaCheck {
    if (!ref.startsWith('#'))
      throw new SchemaProblem(`${path} must point into the schema itself, such as "#/$defs/name"`);
    const target = resolvePointer(this.#root, ref.slice(1));
    if (target === undefined) throw new SchemaProblem(`${path} points at nothing`);
    let slot = this.#references.get(target);
    if (slot === undefined) {
      slot = { check: undefined };
      this.#references.set(target, slot);
      slot.check = this.compile(target, ref);
    }
    const found = slot;
    return (value, run) => {
      if (run.references >= SCHEMA_REFERENCES_MAX) return false;
      run.references++;
      const isFit = (found.check as SchemaCheck)(value, run);
      run.references--;
      return isFit;
    };
  }

  pattern(source: string, path: string): LinearPattern {
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    if (this.#patterns.size === SCHEMA_PATTERNS_MAX) {
      throw new SchemaProblem(`the schema must have at most ${SCHEMA_PATTERNS_MAX} patterns`);
    }
    const compiled = compilePattern(source);
    if (!isPattern(compiled)) throw new SchemaProblem(`${path}: ${compiled}`);
    this.#patterns.set(source, compiled);
    return compiled;
  }
}

function resolvePointer(root: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const name = decodeOnce(token).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/**
 * The cost of compiling and keeping a schema, in instructions of a pattern: its length and its patterns; only its
 * length when it is not a schema.
 */
export function schemaInstructions(text: string): number {
  let sum = text.length;
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (name === 'pattern' && typeof value === 'string') sum += estimatedSize(value);
      if (name === 'patternProperties' && isObject(value)) {
        for (const pattern of Object.keys(value)) sum += estimatedSize(pattern);
      }
      return value;
    });
  } catch {
    // The edit's own check reports its fault.
  }
  return sum;
}
