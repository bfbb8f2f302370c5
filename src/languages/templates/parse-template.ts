/**
 * Parses a template (docs/templates.md).
 *
 * It never fails: what is wrong is a problem for the edit, and text for the rendering. A tag that reads as nothing that templates have
 * is text without a problem.
 */
import { TEMPLATE_CHARS_MAX, TEMPLATE_REPEAT_MAX } from '../../limits.ts';
import { readExpression, type Reading } from './read-expression.ts';
import { SIGNATURES, type HelperName } from './signatures.ts';
import { Scopes, type EventScope } from './template-scopes.ts';
import { commaOf, namedOutside, TagReader, type Tag, type Token } from './template-tokens.ts';
import { assignedBy, type BlockPart, type Expression, type Part, type TemplateProblem } from './template-tree.ts';

/** Helpers in a template. Compiled, each takes some 400 bytes in every thread. */
const TEMPLATE_HELPERS_MAX = 5_000;

interface ParsedTemplate {
  readonly parts: readonly Part[];
  /** In the order of the text. */
  readonly problems: readonly TemplateProblem[];
}

/** Nesting of blocks in a template. (shown: Mock definitions) */
const BLOCK_DEPTH_MAX = 8;

/** Takes linear time. @param scope Of the text of an event in a stream. */
export function parseTemplate(text: string, scope?: EventScope): ParsedTemplate {
  if (!text.includes('{{')) return { parts: text === '' ? [] : [{ kind: 'text', text, at: 0 }], problems: [] };
  if (text.length > TEMPLATE_CHARS_MAX) {
    const problem = `a template must have at most ${TEMPLATE_CHARS_MAX} characters`;
    return { parts: [{ kind: 'text', text, at: 0 }], problems: [{ problem, at: 0 }] };
  }
  if (newest?.text !== text || newest.scope !== scope)
    newest = { text, scope, parsed: new Parser(text, scope).parse() };
  return newest.parsed;
}

/** An edit asks several things of one template, one after the other. */
let newest:
  | { readonly text: string; readonly scope: EventScope | undefined; readonly parsed: ParsedTemplate }
  | undefined;

/** A block whose end is not read yet. */
interface Frame {
  /** Name at its end. */
  readonly name: string;
  readonly tag: Tag;
  /** Those of its current branch. */
  parts: Part[];
  /** Each `else` so far: what it closes, and its tag. */
  readonly branches: { readonly parts: readonly Part[]; readonly tag: Tag; readonly condition?: Expression }[];
  /** Makes the part, when its end is read. */
  readonly finish: (frame: Frame) => BlockPart;
  readonly mayElse: boolean;
  readonly mayElseIf: boolean;
  /** Whether it gives names to its first branch: to an item, or to the turn of a repetition. */
  readonly hasScope: boolean;
}

class Parser {
  readonly #text: string;
  readonly #problems: TemplateProblem[] = [];
  readonly #frames: Frame[] = [];
  readonly #scopes: Scopes;
  #parts: Part[] = [];
  #tags = 0;
  #trimsNext = false;

  constructor(text: string, scope: EventScope | undefined) {
    this.#text = text;
    this.#scopes = new Scopes(scope);
  }

  parse(): ParsedTemplate {
    const text = this.#text;
    const tags = new TagReader(text);
    let from = 0;
    let at = text.indexOf('{{');
    while (at !== -1) {
      const tag = tags.read(at);
      const before = at;
      if (tag === undefined || !this.#take(tag, from)) {
        at = text.indexOf('{{', before + 1);
        continue;
      }
      from = tag.end;
      if (++this.#tags > TEMPLATE_HELPERS_MAX) {
        this.#problem(`a template must have at most ${TEMPLATE_HELPERS_MAX} tags`, at);
        break;
      }
      at = text.indexOf('{{', from);
    }
    this.#addText(from, text.length, false);
    while (this.#frames.length > 0) this.#leaveOpen(this.#frames.pop() as Frame);
    return { parts: this.#parts, problems: this.#problems.toSorted((one, other) => one.at - other.at) };
  }

  /** @param from Where the text before the tag begins. @returns Whether it is a tag. */
  #take(tag: Tag, from: number): boolean {
    if (tag.sign === '!') {
      this.#addText(from, tag.start, tag.trimsBefore);
      this.#trimsNext = tag.trimsAfter;
      return true;
    }
    const [first] = tag.tokens;
    if (first === undefined) return false;
    const act = tag.sign === '#' ? this.#open(tag) : tag.sign === '/' ? this.#close(tag) : this.#valueOrElse(tag);
    if (act === undefined) return false;
    this.#addText(from, tag.start, tag.trimsBefore);
    this.#trimsNext = tag.trimsAfter;
    act();
    return true;
  }

  #addText(from: number, to: number, trimsEnd: boolean): void {
    let text = this.#text.slice(from, to);
    let at = from;
    if (this.#trimsNext) {
      const trimmed = text.trimStart();
      at += text.length - trimmed.length;
      text = trimmed;
    }
    this.#trimsNext = false;
    if (trimsEnd) text = text.trimEnd();
    if (text !== '') this.#parts.push({ kind: 'text', text, at });
  }

  #problem(problem: string, at: number): void {
    this.#problems.push({ problem, at });
  }

  /** @returns What the tag does; undefined when it is text. */
  #valueOrElse(tag: Tag): (() => void) | undefined {
    const [first, second] = tag.tokens as [Token, Token?];
    const frame = this.#frames.at(-1);
    if (isNamed(first, 'else') && frame?.mayElse === true) {
      const last = frame.branches.at(-1);
      if (last !== undefined && last.condition === undefined) {
        this.#problem(`{{#${frame.name}}} has an {{else}} already`, tag.start);
        return undefined;
      }
      if (tag.tokens.length === 1) return () => this.#else(frame, tag, undefined);
      if (!isNamed(second, 'if') || !frame.mayElseIf) return undefined;
      const condition = this.#expression(tag.tokens.slice(2), tag);
      return condition === undefined ? undefined : () => this.#else(frame, tag, condition);
    }
    if (isNamed(first, 'else')) {
      if (frame !== undefined) this.#problem(`{{#${frame.name}}} has no {{else}}`, tag.start);
      return undefined;
    }
    const expression = this.#expression(tag.tokens, tag);
    if (expression === undefined) return undefined;
    return () => {
      this.#parts.push({ kind: 'value', expression, at: tag.start });
      this.#noteAssigned(expression);
    };
  }

  #noteAssigned(expression: Expression): void {
    const name = assignedBy(expression);
    if (name !== undefined) this.#scopes.assign(name);
  }

  /** @returns undefined when the tokens are text. A helper with impossible arguments is a problem, and text. */
  #expression(tokens: readonly Token[], tag: Tag): Expression | undefined {
    const reading = readExpression(tokens, this.#scopes);
    return this.#known(reading, tag);
  }

  #known(reading: Reading, tag: Tag): Expression | undefined {
    if (reading === undefined) return undefined;
    if ('problem' in reading) {
      this.#problem(reading.problem, tag.start);
      return undefined;
    }
    return reading;
  }

  #open(tag: Tag): (() => void) | undefined {
    const [first, ...rest] = tag.tokens as [Token, ...Token[]];
    if (first.kind !== 'name' || first.up > 0 || first.steps.length > 0) return undefined;
    const { name } = first;
    const begin = this.#blockOf(name, rest, tag);
    if (begin === undefined) return undefined;
    if (this.#frames.length === BLOCK_DEPTH_MAX) {
      this.#problem(`blocks may be nested ${BLOCK_DEPTH_MAX} deep`, tag.start);
      return undefined;
    }
    return () => {
      const { finish, mayElse = false, mayElseIf = false, hasScope = false } = begin();
      this.#frames.push({ name, tag, parts: this.#parts, branches: [], finish, mayElse, mayElseIf, hasScope });
      this.#parts = [];
    };
  }

  /** @returns What begins the block; undefined when the tag is text. */
  #blockOf(name: string, tokens: readonly Token[], tag: Tag): (() => OpenBlock) | undefined {
    switch (name) {
      case 'if':
      case 'unless': {
        const condition = this.#expression(tokens, tag);
        return condition && (() => conditional(condition, name === 'unless'));
      }
      case 'each':
      case 'with':
        return this.#itemBlock(name, tokens, tag);
      case 'repeat':
        return this.#repeat(tokens, tag);
      case 'switch': {
        const value = this.#expression(tokens, tag);
        return value && (() => ({ finish: (frame) => this.#switchOf(value, frame) }));
      }
      case 'case':
      case 'default':
        return this.#case(name, tokens, tag);
      case 'assign': {
        const [named] = tokens;
        if (tokens.length !== 1 || named?.kind !== 'value' || typeof named.value !== 'string') {
          this.#problem("{{#assign}} takes one name in quotes: {{#assign 'total'}}", tag.start);
          return undefined;
        }
        const variable = named.value;
        return () => ({
          finish: ({ parts }) => {
            this.#scopes.assign(variable);
            return { kind: 'assign', name: variable, parts, at: tag.start };
          },
        });
      }
      default: {
        if (!Object.hasOwn(SIGNATURES, name) || SIGNATURES[name as HelperName].group !== 'logic') return undefined;
        const condition = this.#expression([{ kind: 'name', up: 0, name, steps: [], at: tag.start }, ...tokens], tag);
        return condition && (() => conditional(condition, false));
      }
    }
  }

  #itemBlock(kind: 'each' | 'with', tokens: readonly Token[], tag: Tag): (() => OpenBlock) | undefined {
    const { expression: own, names } = withoutNames(tokens);
    if (names === undefined || names.length > (kind === 'each' ? 2 : 1)) return undefined;
    const value = this.#expression(own, tag);
    if (value === undefined) return undefined;
    return () => {
      const slot = this.#scopes.enter(kind, names);
      return {
        mayElse: true,
        hasScope: true,
        finish: (frame) => {
          const [parts, otherwise] = branchesOf(frame);
          const { start: at } = tag;
          return kind === 'each'
            ? { kind, list: value, slot, parts, otherwise, at }
            : { kind, value, slot, parts, otherwise, at };
        },
      };
    };
  }

  #repeat(tokens: readonly Token[], tag: Tag): (() => OpenBlock) | undefined {
    const named = namedOutside(tokens);
    const unknown = named.find(({ name }) => name !== 'comma');
    if (unknown !== undefined) {
      this.#problem(`{{#repeat}} takes no ${unknown.name}=: {{#repeat 3 comma=true}}`, tag.start);
      return undefined;
    }
    const read = readExpression(
      [
        { kind: 'name', up: 0, name: 'array', steps: [], at: tag.start },
        ...tokens.filter((token) => !(named as readonly Token[]).includes(token)),
      ],
      this.#scopes,
    );
    if (read === undefined || 'problem' in read || read.kind !== 'call') return undefined;
    const comma = commaOf(named, tokens);
    const args = comma === undefined ? [...read.args] : read.args.slice(0, -1);
    const last = args.at(-1);
    const separator = last?.kind === 'literal' && typeof last.value === 'string' ? last.value : undefined;
    if (separator !== undefined) args.pop();
    const [times, most, ...others] = args;
    if (times === undefined || others.length > 0 || isText(times) || (most !== undefined && isText(most)))
      return undefined;
    for (const each of [times, most]) {
      const problem = each && repeatProblem(each);
      if (problem === undefined) continue;
      this.#problem(problem, tag.start);
      return undefined;
    }
    return () => {
      const slot = this.#scopes.enter('repeat', []);
      return {
        hasScope: true,
        finish: ({ parts }) => ({
          kind: 'repeat',
          times,
          ...(most === undefined ? {} : { most }),
          separator: separator ?? (comma === true ? ',' : ''),
          slot,
          parts,
          at: tag.start,
        }),
      };
    };
  }

  #case(name: 'case' | 'default', tokens: readonly Token[], tag: Tag): (() => OpenBlock) | undefined {
    if (this.#frames.at(-1)?.name !== 'switch') return undefined;
    const array: Token = { kind: 'name', up: 0, name: 'array', steps: [], at: tag.start };
    const list = name === 'default' ? undefined : this.#expression([array, ...tokens], tag);
    if (name === 'default' ? tokens.length > 0 : list?.kind !== 'call' || list.args.length === 0) return undefined;
    const values = list?.kind === 'call' ? list.args : [];
    // A case is kept as a switch of its own until the switch that it belongs to ends.
    return () => ({
      finish: ({ parts }) => ({
        kind: 'switch',
        value: { kind: 'literal', value: name },
        cases: name === 'case' ? [{ values, parts }] : [],
        otherwise: name === 'default' ? parts : [],
        at: tag.start,
      }),
    });
  }

  #switchOf(value: Expression, { parts, tag }: Frame): BlockPart {
    const cases: { readonly values: readonly Expression[]; readonly parts: readonly Part[] }[] = [];
    let otherwise: readonly Part[] = [];
    for (const part of parts) {
      if (part.kind === 'switch' && part.value.kind === 'literal' && isCase(part.value.value)) {
        cases.push(...part.cases);
        if (part.value.value === 'default') otherwise = part.otherwise;
      } else if (part.kind !== 'text' || part.text.trim() !== '') {
        this.#problem('{{#switch}} holds {{#case}} and {{#default}} alone', part.at);
      }
    }
    return { kind: 'switch', value, cases, otherwise, at: tag.start };
  }

  #else(frame: Frame, tag: Tag, condition: Expression | undefined): void {
    this.#leaveScope(frame);
    frame.branches.push({ parts: this.#parts, tag, ...(condition === undefined ? {} : { condition }) });
    this.#parts = [];
  }

  /** An end that closes nothing is text. */
  #close(tag: Tag): (() => void) | undefined {
    const [first] = tag.tokens;
    const frame = this.#frames.at(-1);
    if (tag.tokens.length !== 1 || first?.kind !== 'name' || frame === undefined || first.name !== frame.name) {
      return undefined;
    }
    return () => {
      this.#frames.pop();
      this.#leaveScope(frame);
      const outer = frame.parts;
      frame.parts = this.#parts;
      this.#parts = outer;
      outer.push(frame.finish(frame));
    };
  }

  /** Names are those of the first branch alone: without an item there is none in the `else`. */
  #leaveScope({ hasScope, branches }: Frame): void {
    if (hasScope && branches.length === 0) this.#scopes.leave();
  }

  /** Its tags are text, and what they enclose stays. */
  #leaveOpen({ name, tag, parts, branches }: Frame): void {
    this.#problem(`{{#${name}}} lacks its {{/${name}}}`, tag.start);
    const text = ({ start, end }: Tag): Part => ({ kind: 'text', text: this.#text.slice(start, end), at: start });
    const inside = branches.flatMap((branch) => [...branch.parts, text(branch.tag)]);
    this.#parts = [...parts, text(tag), ...inside, ...this.#parts];
  }
}

interface OpenBlock {
  readonly finish: (frame: Frame) => BlockPart;
  readonly mayElse?: boolean;
  readonly mayElseIf?: boolean;
  readonly hasScope?: boolean;
}

function conditional(condition: Expression, isInverted: boolean): OpenBlock {
  return {
    mayElse: true,
    mayElseIf: !isInverted,
    finish: (frame) => {
      const { start: at } = frame.tag;
      if (isInverted) {
        const [parts, otherwise] = branchesOf(frame);
        return { kind: 'if', condition, parts: otherwise, otherwise: parts, at };
      }
      const sections = [...frame.branches.map(({ parts }) => parts), frame.parts];
      let otherwise: readonly Part[] = [];
      for (let index = sections.length - 1; index > 0; index--) {
        const { condition: own, tag } = frame.branches[index - 1] as Frame['branches'][number];
        const parts = sections[index] as readonly Part[];
        otherwise = own === undefined ? parts : [{ kind: 'if', condition: own, parts, otherwise, at: tag.start }];
      }
      return { kind: 'if', condition, parts: sections[0] as readonly Part[], otherwise, at };
    },
  };
}

/** The parts before the first `else`, and all behind it. */
function branchesOf({ parts, branches }: Frame): readonly [readonly Part[], readonly Part[]] {
  const [first, ...others] = branches;
  if (first === undefined) return [parts, []];
  return [first.parts, [...others.flatMap((branch) => branch.parts), ...parts]];
}

function isNamed(token: Token | undefined, name: string): boolean {
  return token?.kind === 'name' && token.name === name && token.up === 0 && token.steps.length === 0;
}

function isText({ kind, ...rest }: Expression): boolean {
  return kind === 'literal' && typeof (rest as { value: unknown }).value !== 'number';
}

function isCase(value: unknown): boolean {
  return value === 'case' || value === 'default';
}

function repeatProblem(times: Expression): string | undefined {
  if (times.kind !== 'literal') return undefined;
  const { value } = times;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TEMPLATE_REPEAT_MAX)
    return undefined;
  return `{{#repeat}} repeats at most ${TEMPLATE_REPEAT_MAX} times`;
}

/** Takes `as |one two|` off the end. @returns No names when it is malformed. */
export function withoutNames(tokens: readonly Token[]): {
  readonly expression: readonly Token[];
  readonly names: readonly string[] | undefined;
} {
  const bar = tokens.findIndex(({ kind }) => kind === '|');
  if (bar === -1) return { expression: tokens, names: [] };
  const between = tokens.slice(bar + 1, -1);
  const names = between.flatMap((token) => (token.kind === 'name' && token.steps.length === 0 ? [token.name] : []));
  const isWhole = isNamed(tokens[bar - 1], 'as') && tokens.at(-1)?.kind === '|' && names.length === between.length;
  return { expression: tokens.slice(0, bar - 1), names: isWhole && names.length > 0 ? names : undefined };
}
