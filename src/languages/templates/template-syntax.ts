/**
 * The syntax of templates: text with helpers in `{{…}}`. docs/mocks.md.
 *
 * Anything that is not a helper with valid arguments is text and stays unchanged: bodies are full of braces. Rendering
 * is in serving/.
 */
import { TEMPLATE_CHARS_MAX, TEMPLATE_HELPERS_MAX, TEMPLATE_REPEAT_MAX, UNKNOWN_HELPERS_MAX } from '../../limits.ts';

export const TEMPLATE_HELPERS = [
  'urlParam',
  'queryParam',
  'header',
  'cookie',
  'body',
  'method',
  'path',
  'now',
  'uuid',
  'randomInt',
  'faker',
  'requestNumber',
] as const;
export type TemplateHelper = (typeof TEMPLATE_HELPERS)[number];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  /** `source` is the text in the template. */
  | {
      readonly kind: 'helper';
      readonly helper: TemplateHelper;
      readonly args: readonly string[];
      readonly source: string;
    }
  /** `separator` is written between two repetitions. */
  | {
      readonly kind: 'repeat';
      readonly times: number;
      readonly separator: string;
      readonly parts: readonly TemplatePart[];
    };

/** Modules of faker that generate values. Not `helpers`: some of those evaluate text. */
const FAKER_MODULES: ReadonlySet<string> = new Set([
  'airline',
  'animal',
  'book',
  'color',
  'commerce',
  'company',
  'database',
  'datatype',
  'date',
  'finance',
  'food',
  'git',
  'hacker',
  'image',
  'internet',
  'location',
  'lorem',
  'music',
  'number',
  'person',
  'phone',
  'science',
  'string',
  'system',
  'vehicle',
  'word',
]);

/** Maximum nesting of repetitions. */
const REPEAT_DEPTH_MAX = 8;

/**
 * Parses a template.
 *
 * @returns Its parts in order, or the reason why it is invalid, in terms that a person can act on. Never throws.
 */
export function parseTemplate(text: string): readonly TemplatePart[] | string {
  if (text.length > TEMPLATE_CHARS_MAX) return `a template must have at most ${TEMPLATE_CHARS_MAX} characters`;
  const outer: { readonly parts: TemplatePart[]; readonly times: number; readonly separator: string }[] = [];
  let parts: TemplatePart[] = [];
  let helpers = 0;
  let literalFrom = 0;
  let at = text.indexOf('{{');
  while (at !== -1) {
    const tag = readTag(text, at);
    const part = tag === undefined ? undefined : meaningOf(tag, outer.length > 0);
    if (typeof part === 'string') return part;
    if (tag === undefined || part === undefined) {
      at = text.indexOf('{{', at + 1);
      continue;
    }
    if (++helpers > TEMPLATE_HELPERS_MAX) return `a template must have at most ${TEMPLATE_HELPERS_MAX} helpers`;
    if (at > literalFrom) parts.push({ kind: 'text', text: text.slice(literalFrom, at) });
    if (part.kind === 'helper') parts.push(part);
    else if (part.kind === 'open') {
      if (outer.length === REPEAT_DEPTH_MAX) return `{{#repeat}} may be nested ${REPEAT_DEPTH_MAX} deep`;
      outer.push({ parts, times: part.times, separator: part.separator });
      parts = [];
    } else {
      const { parts: before, ...repeat } = outer.pop() as (typeof outer)[number];
      before.push({ kind: 'repeat', ...repeat, parts });
      parts = before;
    }
    literalFrom = at + tag.source.length;
    at = text.indexOf('{{', literalFrom);
  }
  if (outer.length > 0) return '{{#repeat}} lacks its {{/repeat}}';
  if (literalFrom < text.length) parts.push({ kind: 'text', text: text.slice(literalFrom) });
  return parts;
}

interface Tag {
  readonly source: string;
  readonly name: string;
  readonly args: readonly { readonly text: string; readonly quoted: boolean }[];
}

const TAG = /\{\{\s*([#/]?[A-Za-z]+)((?:\s+(?:'[^']*'|"[^"]*"|-?\d+))*)\s*\}\}/y;
const ARGUMENT = /'([^']*)'|"([^"]*)"|(-?\d+)/g;

function readTag(text: string, at: number): Tag | undefined {
  TAG.lastIndex = at;
  const [source, name, args] = TAG.exec(text) ?? [];
  if (source === undefined || name === undefined || args === undefined) return undefined;
  return {
    source,
    name,
    args: [...args.matchAll(ARGUMENT)].map(([, single, double, number]) => ({
      text: single ?? double ?? number ?? '',
      quoted: number === undefined,
    })),
  };
}

/** @returns undefined for text; a string for a fault. */
function meaningOf(
  tag: Tag,
  inRepeat: boolean,
):
  | (TemplatePart & { kind: 'helper' })
  | { kind: 'open'; times: number; separator: string }
  | { kind: 'close' }
  | string
  | undefined {
  const { name, args, source } = tag;
  if (name === '/repeat') return inRepeat && args.length === 0 ? { kind: 'close' } : undefined;
  if (name === '#repeat') {
    const [times, separator] = args;
    if (times === undefined || times.quoted || times.text.startsWith('-')) return undefined;
    if (args.length > 2 || separator?.quoted === false) return undefined;
    if (Number(times.text) > TEMPLATE_REPEAT_MAX) return `{{#repeat}} repeats at most ${TEMPLATE_REPEAT_MAX} times`;
    return { kind: 'open', times: Number(times.text), separator: separator?.text ?? '' };
  }
  const helper = TEMPLATE_HELPERS.find((each) => each === name);
  if (helper === undefined || !takes(helper, args)) return undefined;
  return { kind: 'helper', helper, args: args.map(({ text }) => text), source };
}

function takes(helper: TemplateHelper, args: Tag['args']): boolean {
  switch (helper) {
    case 'urlParam':
    case 'queryParam':
    case 'header':
    case 'cookie':
      return (args.length === 1 || args.length === 2) && args[0]?.quoted === true;
    case 'body':
      return args.length <= 2 && args[0]?.quoted !== false;
    case 'randomInt':
      return args.length === 2 && args.every(({ text, quoted }) => !quoted && Number.isSafeInteger(Number(text)));
    case 'faker':
      return args.length === 1 && args[0]?.quoted === true && isFakerName(args[0].text);
    default:
      return args.length === 0;
  }
}

/** "person.firstName": whether the function exists is only known where faker is loaded. */
function isFakerName(name: string): boolean {
  const [module, method, ...more] = name.split('.');
  return FAKER_MODULES.has(module as string) && method !== undefined && more.length === 0;
}

/** The JSONPaths of its `{{body}}` helpers, each once. */
export function jsonPathsOf(parts: readonly TemplatePart[]): Set<string> {
  const paths = new Set<string>();
  for (const part of parts) {
    if (part.kind === 'repeat') for (const path of jsonPathsOf(part.parts)) paths.add(path);
    else if (part.kind === 'helper' && part.helper === 'body' && part.args[0]?.startsWith('$')) paths.add(part.args[0]);
  }
  return paths;
}

/** Whether a text has helpers that a template would render. */
export function namesHelpers(text: string): boolean {
  const parts = text.includes('{{') ? parseTemplate(text) : [];
  return typeof parts !== 'string' && parts.some(({ kind }) => kind !== 'text');
}

const LOOKS_LIKE_A_HELPER = /\{\{\s*[#/]?[A-Za-z][^{}]{0,200}\}\}/g;

/**
 * Text that looks like a helper but is not one: misspelt, or with invalid arguments. Each once, the first
 * UNKNOWN_HELPERS_MAX of them.
 */
export function unknownHelpers(text: string): Set<string> {
  const parts = text.includes('{{') ? parseTemplate(text) : [];
  return typeof parts === 'string' ? new Set() : unknownIn(parts);
}

function unknownIn(parts: readonly TemplatePart[], unknown = new Set<string>()): Set<string> {
  for (const part of parts) {
    if (part.kind === 'repeat') unknownIn(part.parts, unknown);
    if (part.kind !== 'text') continue;
    for (const [source] of part.text.matchAll(LOOKS_LIKE_A_HELPER)) {
      if (unknown.size >= UNKNOWN_HELPERS_MAX) return unknown;
      unknown.add(source);
    }
  }
  return unknown;
}
