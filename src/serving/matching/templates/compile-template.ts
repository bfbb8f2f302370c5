/**
 * Compiles templates to closures, with their mock: each is called with a request.
 *
 * Values go into text as they are, without escaping; into JSON so that it stays JSON. A template can only use the helpers of
 * all-helpers.ts: no code, and no properties of prototypes. Output and work are bounded for each response: template-run.ts.
 */
import { isObject } from '../../../base/json-object.ts';
import { TEMPLATE_LIST_ITEMS_MAX, TEMPLATE_OUTPUT_CHARS_MAX, TEMPLATE_REPEAT_MAX } from '../../../limits.ts';
import { namesOf } from '../../../languages/work-budget.ts';
import type { HelperName, Signature } from '../../../languages/templates/signatures.ts';
import { SIGNATURES } from '../../../languages/templates/signatures.ts';
import {
  behindEnd,
  behindTag,
  behindText,
  JSON_BEGUN,
  JsonStretch,
  JsonTemplate,
  type JsonPiece,
  type JsonPlace,
} from '../../../languages/templates/json-reader.ts';
import { checkJson, type CheckedJson } from '../../../languages/templates/json-check.ts';
import { parseTemplate } from '../../../languages/templates/parse-template.ts';
import { callsIn, expressionsIn, type TemplateMode } from '../../../languages/templates/template-checks.ts';
import type { EventScope } from '../../../languages/templates/template-scopes.ts';
import { assignedBy, type BlockPart, type Expression, type Part } from '../../../languages/templates/template-tree.ts';
import { HELPERS } from './all-helpers.ts';
import { asNumber, asText, isTruthy, type Argument, type Evaluate, type HelperContext } from './helper.ts';
import { printed, valuePrinter } from './print.ts';
import { compileRepeated, compileRequestPath } from './request-path.ts';
import type { TemplateRun } from './template-run.ts';
import { areEqual, asList, valueAt } from './values.ts';

export interface Template {
  /** The output if it is the same for every request; undefined when the template has tags. */
  readonly fixed: string | undefined;
  readonly readsBody: boolean;
  readonly readsNumber: boolean;
  readonly readsIp: boolean;
  /** The template reads or changes stores. */
  readonly usesStores: boolean;
  /** The template renders random values. */
  readonly draws: boolean;
  /** Check `run.problem` afterwards: it is set when a limit was exceeded. Never throws. */
  readonly render: (run: TemplateRun, charsMax?: number) => string;
}

/** A text; what has the value of a tag, which is printed; or what a template of JSON has before its texts and tags. */
type Piece = string | JsonStretch | ((run: TemplateRun) => unknown);

/**
 * @param text   Checked when the mock is edited; what is not valid renders as it is.
 * @param stream What its random values are drawn from: draw-streams.ts. They are drawn in the order of the text.
 * @param scope  Of the text of an event in a stream.
 */
export function compileTemplate(
  text: string,
  context: HelperContext,
  stream: number,
  mode: TemplateMode = 'text',
  scope?: EventScope,
): Template {
  const parts = text.includes('{{') ? parseTemplate(text, scope).parts : [];
  if (parts.every(({ kind }) => kind === 'text')) return fixedTemplate(textOfAll(parts, text));
  const json = mode === 'json' ? new JsonTemplate(text) : undefined;
  const checked = json && checkJson(parts, text.length);
  const pieces = new Compiler(context, json, checked).pieces(parts, text.length);
  const helpers = new Set<HelperName>([...callsIn(parts)].map(({ helper }) => helper));
  const paths = requestMembersIn(parts);
  const draws = [...helpers].some((helper) => DRAWING.has(helper)) || hasDrawnRepeat(parts);
  return {
    fixed: undefined,
    readsBody: BODY_HELPERS.some((helper) => helpers.has(helper)) || paths.has('body'),
    readsNumber: helpers.has('requestNumber'),
    readsIp: helpers.has('clientIp') || paths.has('clientIp'),
    usesStores: STORE_HELPERS.some((helper) => helpers.has(helper)),
    draws,
    render: (run, charsMax = TEMPLATE_OUTPUT_CHARS_MAX) => {
      if (draws) run.random = run.draws(stream);
      run.json = JSON_BEGUN;
      return join(pieces, run, charsMax);
    },
  };
}

/** Comments are not parts. */
function textOfAll(parts: readonly Part[], text: string): string {
  return text.includes('{{') ? parts.map((part) => (part.kind === 'text' ? part.text : '')).join('') : text;
}

/** Text that is rendered as it is. */
export function fixedTemplate(text: string): Template {
  return {
    fixed: text,
    readsBody: false,
    readsNumber: false,
    readsIp: false,
    usesStores: false,
    draws: false,
    render: () => text,
  };
}

const BODY_HELPERS: readonly HelperName[] = ['body', 'bodyValue', 'graphql'];

const STORE_HELPERS: readonly HelperName[] = ['store', 'storeSet', 'global', 'globalSet'];

const DRAWING: ReadonlySet<string> = new Set([
  ...Object.entries(SIGNATURES as Readonly<Record<string, Signature>>)
    .filter(([, { group }]) => group === 'random')
    .map(([name]) => name),
  // From two times.
  'date',
]);

function hasDrawnRepeat(parts: readonly Part[]): boolean {
  return parts.some((part) => {
    if (part.kind === 'repeat' && part.most !== undefined) return true;
    const cases = part.kind === 'switch' ? part.cases.flatMap((each) => each.parts) : [];
    const own = 'parts' in part ? part.parts : [];
    const otherwise = 'otherwise' in part ? part.otherwise : [];
    return hasDrawnRepeat([...cases, ...own, ...otherwise]);
  });
}

/** The members of the request that paths lead to, also those in arguments. */
function requestMembersIn(parts: readonly Part[]): Set<string> {
  const members = new Set<string>();
  const note = (expression: Expression): void => {
    if (expression.kind === 'request') members.add(expression.steps[0] as string);
    if (expression.kind === 'call')
      for (const each of [...expression.args, ...Object.values(expression.named)]) note(each);
  };
  for (const expression of expressionsIn(parts)) note(expression);
  return members;
}

function join(pieces: readonly Piece[], run: TemplateRun, charsMax: number): string {
  let output = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      output += piece;
      continue;
    }
    if (typeof piece === 'object') {
      run.follow(piece);
      output += piece.text;
    } else if (run.step()) {
      const value = piece(run);
      output += asText(run, value);
      run.checkWork();
      checkLength(run, output, charsMax);
    }
    if (run.problem !== undefined) return '';
  }
  checkLength(run, output, charsMax);
  return run.problem === undefined ? output : '';
}

function checkLength(run: TemplateRun, { length }: string, charsMax: number): void {
  if (length > charsMax) run.problem ??= `the template renders more than ${charsMax} characters`;
}

/** Joins what a block renders: with the limit of the whole. */
function inside(pieces: readonly Piece[], run: TemplateRun): string {
  return join(pieces, run, TEMPLATE_OUTPUT_CHARS_MAX);
}

class Compiler {
  readonly #context: HelperContext;
  readonly #json: JsonTemplate | undefined;
  readonly #checked: CheckedJson | undefined;

  /** @param json Undefined in a template of text. */
  constructor(context: HelperContext, json?: JsonTemplate, checked?: CheckedJson) {
    this.#context = context;
    this.#json = json;
    this.#checked = checked;
  }

  /** @param end Offset of the end of the template; undefined within a block. */
  pieces(parts: readonly Part[], end?: number): Piece[] {
    const pieces: Piece[] = [];
    let stretch: JsonPiece[] | undefined;
    /** @returns Whether its text is printed. */
    const follow = (piece: JsonPiece): boolean => {
      if (this.#json === undefined || this.#checked?.isAlways === true) return false;
      const isFirst = stretch === undefined;
      if (stretch === undefined) pieces.push(new JsonStretch(this.#json, (stretch = []), piece.text));
      stretch.push(piece);
      return isFirst;
    };
    let tags = 0;
    for (const part of parts) {
      const { kind, at } = part;
      if (kind === 'text') {
        const isPrinted = follow({ read: behindText, at, text: part.text });
        if (!isPrinted) pieces.push(part.text);
      } else if (kind !== 'value') {
        pieces.push(this.#block(part));
        stretch = undefined;
        tags = 0;
      } else if (this.#json === undefined || assignedBy(part.expression) !== undefined) {
        pieces.push(this.#expression(part.expression, true).evaluate);
      } else {
        follow({ read: behindTag, at, text: '' });
        pieces.push(this.#jsonValue(part.expression, this.#checked?.places.get(at) ?? tags));
        tags++;
      }
    }
    if (end !== undefined) follow({ read: behindEnd, at: end, text: '' });
    return pieces.filter((piece) => piece !== '');
  }

  /** @param at Its place, or which of the tags of its stretch it is. */
  #jsonValue(expression: Expression, at: JsonPlace | number): Piece {
    const { evaluate } = this.#expression(expression, true);
    const asValue = valuePrinter(expression, evaluate);
    if (at === 'value') return asValue;
    if (typeof at === 'string') return (run) => printed(run, evaluate(run), at);
    return (run) => {
      const place = run.json.places[at] as JsonPlace;
      return place === 'value' ? asValue(run) : printed(run, evaluate(run), place);
    };
  }

  /** @param isTag Whether the step of its tag is its own. */
  #expression(expression: Expression, isTag = false): Argument {
    switch (expression.kind) {
      case 'literal': {
        const { value } = expression;
        return { evaluate: () => value, literal: { value } };
      }
      case 'request': {
        const evaluate = compileRequestPath(expression.steps, this.#context.targets);
        return { evaluate: isTag ? evaluate : counted(evaluate, 0) };
      }
      case 'local': {
        const { slot, steps } = expression;
        if (steps.length === 0) return { evaluate: ({ locals }) => locals[slot] };
        return { evaluate: charged(({ locals }) => valueAt(locals[slot], steps), steps.length) };
      }
      case 'response': {
        const { steps } = expression;
        return { evaluate: charged(({ response }) => valueAt(response, steps), steps.length) };
      }
      case 'variable': {
        const { name, steps } = expression;
        return { evaluate: charged(({ variables }) => valueAt(variables?.get(name), steps), steps.length) };
      }
      case 'call': {
        const { list }: Signature = SIGNATURES[expression.helper];
        const args = expression.args.map((each, index) =>
          list !== undefined && index === 0 ? this.#list(each, list === 'alone') : this.#expression(each),
        );
        const named = Object.fromEntries(
          Object.entries(expression.named).map(([name, each]) => [name, this.#expression(each)] as const),
        );
        const evaluate = HELPERS[expression.helper](args, named, this.#context);
        const count = args.length + Object.keys(named).length;
        return { evaluate: isTag ? charged(evaluate, count) : counted(evaluate, count) };
      }
    }
  }

  /** For arguments that are lists. @param isAlone A name with one value counts as a list, unless the value is a JSON list. */
  #list(expression: Expression, isAlone: boolean): Argument {
    const values = expression.kind === 'request' ? compileRepeated(expression.steps, this.#context.targets) : undefined;
    if (values === undefined) return this.#expression(expression);
    return {
      evaluate: counted((run) => {
        const all = values(run);
        if (all.length !== 1) return all.length === 0 ? undefined : all;
        return isAlone && asList(run, all[0]) === undefined ? all : all[0];
      }, 0),
    };
  }

  #block(part: BlockPart): Piece {
    switch (part.kind) {
      case 'if': {
        const condition = this.#expression(part.condition).evaluate;
        const [yes, no] = [this.pieces(part.parts), this.pieces(part.otherwise)];
        return (run) => inside(isTruthy(condition(run)) ? yes : no, run);
      }
      case 'each':
        return this.#each(part);
      case 'with': {
        const value = this.#expression(part.value).evaluate;
        const { slot } = part;
        const [yes, no] = [this.pieces(part.parts), this.pieces(part.otherwise)];
        return (run) => {
          const found = value(run);
          if (!isTruthy(found)) return inside(no, run);
          run.locals[slot] = found;
          return inside(yes, run);
        };
      }
      case 'repeat':
        return this.#repeat(part);
      case 'switch': {
        const value = this.#expression(part.value).evaluate;
        const cases = part.cases.map(({ values, parts }) => ({
          values: values.map((each) => this.#expression(each).evaluate),
          pieces: this.pieces(parts),
        }));
        const no = this.pieces(part.otherwise);
        return (run) => {
          const asked = value(run);
          for (const { values, pieces } of cases) {
            if (!run.step()) return '';
            run.view.work -= values.length * ARGUMENT_WORK;
            if (values.some((each) => areEqual(run, asked, each(run)))) return inside(pieces, run);
          }
          return inside(no, run);
        };
      }
      case 'assign': {
        // The text is not printed here.
        const pieces = new Compiler(this.#context).pieces(part.parts);
        const { name } = part;
        return (run) => {
          const text = inside(pieces, run);
          if (run.mayMakeText(text.length)) (run.variables ??= new Map()).set(name, text);
          return '';
        };
      }
    }
  }

  #each({ list, slot, parts, otherwise }: BlockPart & { kind: 'each' }): Piece {
    const value = this.#list(list, true).evaluate;
    const [pieces, no] = [this.pieces(parts), this.pieces(otherwise)];
    return (run) => {
      const found = value(run);
      const isMember = isObject(found);
      const items = isMember ? namesOf(run.view, found) : (asList(run, found) ?? []);
      run.checkWork();
      if (items.length === 0) return inside(no, run);
      if (items.length > TEMPLATE_LIST_ITEMS_MAX)
        run.problem ??= `a list of the template has more than ${TEMPLATE_LIST_ITEMS_MAX} items`;
      let output = '';
      for (let index = 0; index < items.length && run.step(); index++) {
        const item = items[index];
        run.locals[slot] = isMember ? found[item as string] : item;
        run.locals[slot + 1] = index;
        run.locals[slot + 2] = isMember ? item : index;
        run.locals[slot + 3] = index === 0;
        run.locals[slot + 4] = index === items.length - 1;
        run.locals[slot + 5] = items.length;
        output = grown(run, output, inside(pieces, run));
      }
      return output;
    };
  }

  #repeat({ times, most, separator, slot, parts, at }: BlockPart & { kind: 'repeat' }): Piece {
    const least = this.#expression(times).evaluate;
    const upTo = most && this.#expression(most).evaluate;
    const pieces = this.pieces(parts);
    if (pieces.length === 0 && separator === '') return '';
    const [first, ...others] = pieces;
    const later =
      typeof first === 'object'
        ? [first.after({ read: behindText, at, text: separator }), ...others]
        : [...this.pieces([{ kind: 'text', text: separator, at }]), ...pieces];
    return (run) => {
      const count = timesOf(run, least, upTo);
      let output = '';
      for (let index = 0; index < count && run.step(); index++) {
        run.locals[slot + 1] = index;
        run.locals[slot + 3] = index === 0;
        run.locals[slot + 4] = index === count - 1;
        run.locals[slot + 5] = count;
        output = grown(run, output, inside(index > 0 ? later : pieces, run));
      }
      return output;
    };
  }
}

/** Counts each call within an expression as a step: a tag may have thousands of calls. */
function counted(evaluate: Evaluate, count: number): Evaluate {
  const own = charged(evaluate, count);
  return (run) => (run.step() ? own(run) : undefined);
}

/** So many arguments, or steps of a path, are part of a step. */
const FREE_COUNT = 8;
/** Work of a further one. In units of RULE_WORK_MAX. */
const ARGUMENT_WORK = 10;

/** @param count Its arguments, or the steps of its path. */
function charged(evaluate: Evaluate, count: number): Evaluate {
  if (count <= FREE_COUNT) return evaluate;
  const work = (count - FREE_COUNT) * ARGUMENT_WORK;
  return (run) => {
    run.view.work -= work;
    return evaluate(run);
  };
}

function grown(run: TemplateRun, output: string, text: string): string {
  if (output.length + text.length <= TEMPLATE_OUTPUT_CHARS_MAX) return output + text;
  run.problem ??= `the template renders more than ${TEMPLATE_OUTPUT_CHARS_MAX} characters`;
  return '';
}

function timesOf(run: TemplateRun, least: Evaluate, most: Evaluate | undefined): number {
  const from = Math.max(0, Math.trunc(asNumber(run, least(run))) || 0);
  const to = most === undefined ? from : Math.max(from, Math.trunc(asNumber(run, most(run))) || 0);
  const count = most === undefined ? from : from + Math.floor(run.random() * (to - from + 1));
  if (count <= TEMPLATE_REPEAT_MAX) return count;
  run.problem ??= `{{#repeat}} repeats at most ${TEMPLATE_REPEAT_MAX} times`;
  return 0;
}
