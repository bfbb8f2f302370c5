/**
 * Renders templates: each is compiled to closures with its mock, and called with a request.
 *
 * Values are inserted as they are, without escaping. A template can only use the helpers listed here: no code, and no
 * properties of prototypes. Output and work are bounded for each response, however deep its templates nest.
 */
import { randomUUID } from 'node:crypto';
import type { Random } from '../../../base/seeded-draw.ts';
import { TEMPLATE_OUTPUT_CHARS_MAX, TEMPLATE_STEPS_MAX } from '../../../limits.ts';
import { textOf } from '../../../model/mocks/operators.ts';
import { parseTemplate, type TemplateHelper, type TemplatePart } from '../../../languages/templates/template-syntax.ts';
import { fakerFunction } from './faker.ts';
import type { RequestView } from '../request-view.ts';
import type { RouteTargets, TargetValues } from '../rule-target.ts';

export interface Template {
  /** The output if it is the same for every request; undefined when the template has helpers. */
  readonly fixed: string | undefined;
  readonly readsBody: boolean;
  readonly readsNumber: boolean;
  /** Whether it renders random values. */
  readonly draws: boolean;
  /** Check `run.problem` afterwards: it is set when a limit was exceeded. Never throws. */
  readonly render: (run: TemplateRun, charsMax?: number) => string;
}

/** Work of a step, of a call of faker, and of a call of one of its slow functions. In units of RULE_WORK_MAX. */
const STEP_WORK = 80;
const FAKER_WORK = 7_000;
const SLOW_FAKER_WORK = 14_000;
const SLOW_FAKERS: ReadonlySet<string> = new Set([
  'finance.transactionDescription',
  'git.commitEntry',
  'internet.jwt',
  'string.nanoid',
  'system.fileName',
  'system.filePath',
]);

/** The limits of rendering one response, shared by its body and its headers. */
export class TemplateRun {
  readonly view: RequestView;
  steps = TEMPLATE_STEPS_MAX;
  problem: string | undefined;
  /** Of the template that is rendered. */
  random: Random = Math.random;

  constructor(view: RequestView) {
    this.view = view;
  }

  /** Counts one step. @returns false when rendering must stop. */
  step(): boolean {
    this.view.work -= STEP_WORK;
    if (--this.steps < 0) this.problem ??= `the template takes more than ${TEMPLATE_STEPS_MAX} steps`;
    this.checkWork();
    return this.problem === undefined;
  }

  /** A value that the budget does not suffice for looks missing: call it after each read. */
  checkWork(): void {
    if (this.view.work < 0) this.problem ??= 'the template looks at too much of the request';
  }
}

type Piece = (run: TemplateRun) => string;

/**
 * @param text    Checked when the mock is edited; text that is not a valid template renders as it is.
 * @param targets Those of the route.
 * @param stream  What its random values are drawn from: draw-streams.ts. They are drawn in the order of the text.
 */
export function compileTemplate(text: string, targets: RouteTargets, stream: number): Template {
  const parts = parseTemplate(text);
  if (typeof parts === 'string') return fixedTemplate(text);
  const pieces = compileParts(parts, targets);
  const draws = RANDOM_HELPERS.some((helper) => uses(parts, helper));
  const fixed = pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined;
  return {
    fixed,
    readsBody: uses(parts, 'body'),
    readsNumber: uses(parts, 'requestNumber'),
    draws,
    render: (run, charsMax = TEMPLATE_OUTPUT_CHARS_MAX) => {
      if (fixed !== undefined) return fixed;
      if (draws) run.random = run.view.random(stream);
      return join(pieces, run, charsMax);
    },
  };
}

const RANDOM_HELPERS: readonly TemplateHelper[] = ['uuid', 'randomInt', 'faker'];

/** Text that is rendered as it is. */
export function fixedTemplate(text: string): Template {
  return { fixed: text, readsBody: false, readsNumber: false, draws: false, render: () => text };
}

function uses(parts: readonly TemplatePart[], helper: TemplateHelper): boolean {
  return parts.some((part) =>
    part.kind === 'repeat' ? uses(part.parts, helper) : 'helper' in part && part.helper === helper,
  );
}

function join(pieces: readonly (string | Piece)[], run: TemplateRun, charsMax: number): string {
  let output = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') output += piece;
    else if (run.step()) {
      output += piece(run);
      run.checkWork();
    }
    if (output.length > charsMax) run.problem ??= `the template renders more than ${charsMax} characters`;
    if (run.problem !== undefined) return '';
  }
  return output;
}

function compileParts(parts: readonly TemplatePart[], targets: RouteTargets): (string | Piece)[] {
  return parts.map((part) => compilePart(part, targets)).filter((piece) => piece !== '');
}

function compilePart(part: TemplatePart, targets: RouteTargets): string | Piece {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'repeat') return repeat(part.times, part.separator, compileParts(part.parts, targets));
  const [name = '', fallback = ''] = part.args;
  switch (part.helper) {
    case 'urlParam':
      return ({ view }) => view.urlParam(name) ?? fallback;
    case 'queryParam':
      return firstOf(targets.compile('query', name, 'equals', true), fallback);
    case 'header':
      return firstOf(targets.compile('header', name, 'equals', true), fallback);
    case 'cookie':
      return ({ view }) => view.cookie(name) ?? fallback;
    case 'body':
      return firstOf(targets.compile('body', name, 'equals', true), fallback);
    case 'method':
      return ({ view }) => view.request.method;
    case 'path':
      return ({ view }) => view.request.path;
    case 'now':
      return () => new Date().toISOString();
    case 'uuid':
      return ({ view, random }) => (view.seed === null ? randomUUID() : uuidFrom(random));
    case 'randomInt':
      return randomBetween(Number(part.args[0]), Number(part.args[1]));
    case 'faker':
      return fakerPiece(name) ?? part.source;
    case 'requestNumber':
      return ({ view }) => String(view.requestNumber);
  }
}

function firstOf(values: TargetValues, fallback: string): Piece {
  return ({ view }) => {
    const [value] = values(view);
    return value === undefined ? fallback : textOf(value, view);
  };
}

function repeat(times: number, separator: string, pieces: readonly (string | Piece)[]): string | Piece {
  if (pieces.length === 0 && separator === '') return '';
  return (run) => {
    let output = '';
    for (let count = 0; count < times && run.step(); count++) {
      if (count > 0) output += separator;
      output += join(pieces, run, TEMPLATE_OUTPUT_CHARS_MAX);
      if (output.length > TEMPLATE_OUTPUT_CHARS_MAX) {
        run.problem ??= `the template renders more than ${TEMPLATE_OUTPUT_CHARS_MAX} characters`;
      }
    }
    return output;
  };
}

/** Additional steps: a call takes as long as ten other steps. */
const FAKER_STEPS = 9;

function fakerPiece(name: string): Piece | undefined {
  const make = fakerFunction(name);
  if (make === undefined) return undefined;
  const work = SLOW_FAKERS.has(name) ? SLOW_FAKER_WORK : FAKER_WORK;
  return (run) => {
    run.steps -= FAKER_STEPS;
    run.view.work -= work;
    return make(run.random);
  };
}

/** Both ends included, in either order. */
function randomBetween(one: number, other: number): Piece {
  const min = Math.min(one, other);
  const span = Math.max(one, other) - min + 1;
  // The draw is rounded down before it is added: near 2^53 the sum with a fraction could round to a value out of the
  // range.
  return ({ random }) => String(min + Math.floor(random() * span));
}

/** A UUID of version 4: 122 bits of four draws. */
function uuidFrom(random: Random): string {
  const one = wordOf(random);
  const two = (wordOf(random) & 0xffff_0fff) | 0x4000;
  const three = (wordOf(random) & 0x3fff_ffff) | 0x8000_0000;
  const four = wordOf(random);
  return `${hexOf(one >>> 16)}${hexOf(one)}-${hexOf(two >>> 16)}-${hexOf(two)}-${hexOf(three >>> 16)}-${hexOf(three)}${hexOf(four >>> 16)}${hexOf(four)}`;
}

function wordOf(random: Random): number {
  return Math.floor(random() * 0x1_0000_0000);
}

const HEX_BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The last 16 bits as four digits. From a table: `toString` and `padStart` took 3 µs for a UUID. */
function hexOf(bits: number): string {
  return `${HEX_BYTES[(bits >>> 8) & 0xff]}${HEX_BYTES[bits & 0xff]}`;
}
