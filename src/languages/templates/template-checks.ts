/** Checks of a template beside its parts: its problems, with their places; what it compiles; what only looks like a helper. */
import { UNKNOWN_HELPERS_MAX } from '../../limits.ts';
import { compileJayway, JAYWAY, jaywayInstructions } from '../jayway/jayway-path.ts';
import { compileJsonPath, jsonPathInstructions } from '../json-path.ts';
import { estimatedSize, patternProblem } from '../linear-pattern.ts';
import { checkJson } from './json-check.ts';
import { parseTemplate } from './parse-template.ts';
import type { EventScope } from './template-scopes.ts';
import { placed, type Expression, type Part } from './template-tree.ts';

/** Different JSONPaths in one template: each takes some 20 us to check. */
const TEMPLATE_JSON_PATHS_MAX = 100;

/** How a text is rendered: values as they are, or so that it stays JSON. */
export type TemplateMode = 'text' | 'json';

/** For an edit. @returns The first problem with line and column, in terms that a person can act on; undefined without one. */
export function templateProblem(text: string, mode: TemplateMode, scope?: EventScope): string | undefined {
  const { parts, problems } = parseTemplate(text, scope);
  const [problem] = problems;
  if (problem !== undefined) return placed(text, problem);
  if (mode === 'json' && parts.length > 0) {
    const { problem: fault } = checkJson(parts, text.length);
    if (fault !== undefined) return `the text around the tags is not JSON: ${placed(text, fault)}`;
  }
  return compiledProblem(text, parts);
}

/** Its JSONPaths and patterns, which are compiled when the template is. */
function compiledProblem(text: string, parts: readonly Part[]): string | undefined {
  const paths = new Set<string>();
  for (const call of callsIn(parts)) {
    const source = literalText(call);
    if (source === undefined) continue;
    const place = (problem: string): string => placed(text, { problem, at: call.at });
    if (isPath(call, source)) {
      if (paths.has(source)) continue;
      paths.add(source);
      if (paths.size > TEMPLATE_JSON_PATHS_MAX)
        return place(`a template must have at most ${TEMPLATE_JSON_PATHS_MAX} JSONPaths`);
      const path = source.startsWith(JAYWAY) ? compileJayway(source.slice(JAYWAY.length)) : compileJsonPath(source);
      if (typeof path === 'string') return place(`the JSONPath ${source}: ${path}`);
    } else if (PATTERN_HELPERS.has(call.helper)) {
      const problem = patternProblem(source);
      if (problem !== undefined) return place(problem);
    }
  }
  return undefined;
}

const PATTERN_HELPERS: ReadonlySet<string> = new Set(['matches', 'regexExtract']);

type Call = Expression & { readonly kind: 'call' };

/** The text of the argument that is a path or a pattern. */
function literalText({ helper, args }: Call): string | undefined {
  const argument = helper === 'body' ? args[0] : args[1];
  return argument?.kind === 'literal' && typeof argument.value === 'string' ? argument.value : undefined;
}

function isPath({ helper }: Call, source: string): boolean {
  return helper === 'jsonPath' || (helper === 'body' && source.startsWith('$'));
}

/** The cost of compiling its JSONPaths and patterns, with repetitions. */
export function templateInstructions(text: string, scope?: EventScope): number {
  if (!text.includes('{{')) return 0;
  let sum = 0;
  for (const call of callsIn(parseTemplate(text, scope).parts)) {
    const source = literalText(call);
    if (source === undefined) continue;
    if (isPath(call, source))
      sum += source.startsWith(JAYWAY) ? jaywayInstructions(source) : jsonPathInstructions(source);
    else if (PATTERN_HELPERS.has(call.helper)) sum += estimatedSize(source);
  }
  return sum;
}

/** All helpers that are called, also those in arguments and blocks. */
export function* callsIn(parts: readonly Part[]): Generator<Call> {
  for (const expression of expressionsIn(parts)) {
    const open: Expression[] = [expression];
    for (let each = open.pop(); each !== undefined; each = open.pop()) {
      if (each.kind !== 'call') continue;
      yield each;
      open.push(...each.args, ...Object.values(each.named));
    }
  }
}

const STORE_WORDS = /store|global|data/i;
const STORE_HELPERS: ReadonlySet<string> = new Set(['store', 'storeSet', 'global', 'globalSet']);

/** Whether a template reads or changes stores. */
export function storeHelpersIn(text: string): boolean {
  if (!text.includes('{{') || !STORE_WORDS.test(text)) return false;
  return [...callsIn(parseTemplate(text).parts)].some(({ helper }) => STORE_HELPERS.has(helper));
}

const TOKEN_WORDS = /jwt(?:Sign|Verify)|jwks|seal/;
const TOKEN_HELPERS: ReadonlySet<string> = new Set(['jwtSign', 'jwtVerify', 'jwks', 'seal', 'unseal']);

/** @returns The first helper of a template that needs keys of the mock. */
export function tokenHelperIn(text: string, scope?: EventScope): string | undefined {
  if (!text.includes('{{') || !TOKEN_WORDS.test(text)) return undefined;
  const calls = [...callsIn(parseTemplate(text, scope).parts)];
  return calls.find(({ helper, named }) => TOKEN_HELPERS.has(helper) && named['secret'] === undefined)?.helper;
}

/** Checks the template of a condition. */
export function conditionTemplateProblem(text: string): string | undefined {
  const changes = [...callsIn(parseTemplate(text).parts)].find(({ helper }) => CHANGING.has(helper));
  return changes === undefined
    ? templateProblem(text, 'text')
    : `${changes.helper} is not for conditions: they change nothing`;
}

const CHANGING: ReadonlySet<string> = new Set(['storeSet', 'globalSet']);

/** The stores that a template names by quoted texts. */
export function* storeNamesIn(text: string): Generator<string> {
  if (!text.includes('{{') || !STORE_WORDS.test(text)) return;
  for (const { helper, args } of callsIn(parseTemplate(text).parts)) {
    const name = helper === 'store' ? args[0] : helper === 'storeSet' ? args[1] : undefined;
    if (name?.kind === 'literal' && typeof name.value === 'string') yield name.value;
  }
}

/** Members that its paths into the answer begin with: "status", "headers" or "body". */
export function responseMembersIn(text: string): ReadonlySet<string> {
  const members = new Set<string>();
  if (!text.includes('response.')) return members;
  const open = [...expressionsIn(parseTemplate(text).parts)];
  for (let each = open.pop(); each !== undefined; each = open.pop()) {
    if (each.kind === 'response') members.add(each.steps[0] as string);
    if (each.kind === 'call') open.push(...each.args, ...Object.values(each.named));
  }
  return members;
}

/** The expressions of all parts, without those that are arguments of others. */
export function* expressionsIn(parts: readonly Part[]): Generator<Expression> {
  for (const part of parts) {
    switch (part.kind) {
      case 'text':
        break;
      case 'value':
        yield part.expression;
        break;
      case 'if':
        yield part.condition;
        yield* expressionsIn(part.parts);
        yield* expressionsIn(part.otherwise);
        break;
      case 'each':
        yield part.list;
        yield* expressionsIn(part.parts);
        yield* expressionsIn(part.otherwise);
        break;
      case 'with':
        yield part.value;
        yield* expressionsIn(part.parts);
        yield* expressionsIn(part.otherwise);
        break;
      case 'repeat':
        yield part.times;
        if (part.most !== undefined) yield part.most;
        yield* expressionsIn(part.parts);
        break;
      case 'switch':
        yield part.value;
        for (const each of part.cases) {
          yield* each.values;
          yield* expressionsIn(each.parts);
        }
        yield* expressionsIn(part.otherwise);
        break;
      case 'assign':
        yield* expressionsIn(part.parts);
    }
  }
}

/** Whether a text has tags that a template would render, or leave out: comments. */
export function hasTags(text: string): boolean {
  if (!text.includes('{{')) return false;
  const { parts } = parseTemplate(text);
  return textOfAll(parts) !== text;
}

/** The text of parts without tags; undefined where one has a value. */
function textOfAll(parts: readonly Part[]): string | undefined {
  return parts.every((part) => part.kind === 'text') ? parts.map(({ text }) => text).join('') : undefined;
}

const LOOKS_LIKE_A_HELPER = /\{\{\s*[#/]?[A-Za-z][^{}]{0,200}\}\}/g;

/**
 * Text that looks like a helper but is not one: misspelt, or of another tool. Each once, the first UNKNOWN_HELPERS_MAX of
 * them.
 */
export function unknownHelpers(text: string, scope?: EventScope): Set<string> {
  const unknown = new Set<string>();
  if (!text.includes('{{')) return unknown;
  for (const part of textsIn(parseTemplate(text, scope).parts)) {
    for (const [source] of part.matchAll(LOOKS_LIKE_A_HELPER)) {
      if (unknown.size >= UNKNOWN_HELPERS_MAX) return unknown;
      unknown.add(source);
    }
  }
  return unknown;
}

function* textsIn(parts: readonly Part[]): Generator<string> {
  for (const part of parts) {
    if (part.kind === 'text') yield part.text;
    if (part.kind === 'switch') for (const each of part.cases) yield* textsIn(each.parts);
    if ('parts' in part) yield* textsIn(part.parts);
    if ('otherwise' in part) yield* textsIn(part.otherwise);
  }
}
