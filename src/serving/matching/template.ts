/**
 * Renders templates: each is made into closures when its mock is compiled, and called with a request.
 *
 * Values go in as they are, without escaping. What a template can do is this list: no code, no property of a prototype. Output and work
 * are bounded for each response, whatever is nested in it.
 */
import { randomInt, randomUUID } from 'node:crypto';
import { TEMPLATE_OUTPUT_CHARS_MAX, TEMPLATE_STEPS_MAX } from '../../limits.ts';
import { textOf } from '../../model/mocks/operators.ts';
import { parseTemplate, type TemplateHelper, type TemplatePart } from '../../model/mocks/template-syntax.ts';
import { fakerFunction } from './faker.ts';
import type { RequestView } from './request-view.ts';
import { compileTarget } from './rule-target.ts';

export interface Template {
  /** What it renders without regard to the request; undefined when it has helpers. */
  readonly fixed: string | undefined;
  readonly looksAtBody: boolean;
  readonly looksAtNumber: boolean;
  /** Whether the run's bounds were kept is asked of the run afterwards. Never throws. */
  readonly render: (run: TemplateRun, charsMax?: number) => string;
}

/** What one response may still do: shared by its body and its headers. */
export class TemplateRun {
  readonly view: RequestView;
  steps = TEMPLATE_STEPS_MAX;
  problem: string | undefined;

  constructor(view: RequestView) {
    this.view = view;
  }

  /** Takes one step; false when it must stop. */
  step(): boolean {
    if (--this.steps < 0) this.problem ??= `the template takes more than ${TEMPLATE_STEPS_MAX} steps`;
    else if (this.view.work < 0) this.problem ??= 'the template looks at too much of the request';
    return this.problem === undefined;
  }
}

type Piece = (run: TemplateRun) => string;

/** @param text Checked at the edit; what is no template renders as it is. */
export function compileTemplate(text: string): Template {
  const parts = parseTemplate(text);
  if (typeof parts === 'string') return { fixed: text, looksAtBody: false, looksAtNumber: false, render: () => text };
  const pieces = compileParts(parts);
  const fixed = pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined;
  return {
    fixed,
    looksAtBody: uses(parts, 'body'),
    looksAtNumber: uses(parts, 'requestNumber'),
    render: (run, charsMax = TEMPLATE_OUTPUT_CHARS_MAX) => (fixed === undefined ? join(pieces, run, charsMax) : fixed),
  };
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
    else if (run.step()) output += piece(run);
    if (output.length > charsMax) run.problem ??= `the template renders more than ${charsMax} characters`;
    if (run.problem !== undefined) return '';
  }
  return output;
}

function compileParts(parts: readonly TemplatePart[]): (string | Piece)[] {
  return parts.map(compilePart).filter((piece) => piece !== '');
}

function compilePart(part: TemplatePart): string | Piece {
  if (part.kind === 'text') return part.text;
  if (part.kind === 'repeat') return repeat(part.times, part.separator, compileParts(part.parts));
  const [name = '', fallback = ''] = part.args;
  switch (part.helper) {
    case 'urlParam':
      return ({ view }) => view.urlParam(name) ?? fallback;
    case 'queryParam':
      return ({ view }) => view.queryValue(name) ?? fallback;
    case 'header': {
      const lowered = name.toLowerCase();
      return ({ view }) => view.header(lowered) ?? fallback;
    }
    case 'cookie':
      return ({ view }) => view.cookie(name) ?? fallback;
    case 'body': {
      const values = compileTarget('body', name, 'equals');
      return ({ view }) => {
        const [value] = values(view);
        return value === undefined ? fallback : textOf(value, view);
      };
    }
    case 'method':
      return ({ view }) => view.request.method;
    case 'path':
      return ({ view }) => view.request.path;
    case 'now':
      return () => new Date().toISOString();
    case 'uuid':
      return () => randomUUID();
    case 'randomInt':
      return randomBetween(Number(part.args[0]), Number(part.args[1]));
    case 'faker':
      return fakerPiece(name) ?? part.source;
    case 'requestNumber':
      return ({ view }) => String(view.requestNumber);
  }
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

/** A call takes as long as ten other steps. */
const FAKER_STEPS = 9;

function fakerPiece(name: string): Piece | undefined {
  const make = fakerFunction(name);
  if (make === undefined) return undefined;
  return (run) => {
    run.steps -= FAKER_STEPS;
    return make();
  };
}

/** Both ends included, in either order. */
function randomBetween(one: number, other: number): Piece {
  const min = Math.min(one, other);
  const span = Math.max(one, other) - min + 1;
  if (span < 2 ** 48 && Number.isSafeInteger(min + span)) return () => String(randomInt(min, min + span));
  return () => String(Math.floor(min + Math.random() * span));
}
