/** WireMock's helpers in our words. Those that are not listed have none. */
import type { Speaker, Use } from '../../templates/reword.ts';
import { asJson, same, spoken, type Helper } from '../../templates/same-words.ts';
import { compileDecimalFormat } from '../../../languages/decimal-format.ts';
import { JAYWAY } from '../../../languages/jayway/jayway-path.ts';
import { callOf, called, literalText, quoted, type Call, type Term } from '../../templates/terms.ts';
import { isIndefinite } from '../../templates/json-paths.ts';
import { kindOf, noteJson } from './word-kinds.ts';

/** A condition of two values, which must have one type. */
function comparing(name: string): Helper {
  return (call, _use, speaker) => {
    const [one, other] = call.args;
    if (one === undefined || other === undefined || call.args.length > 2 || Object.keys(call.named).length > 0)
      return undefined;
    return strictly(name, one, other, speaker);
  };
}

/** Values of different types are compared as JSON, which shows their type. */
function strictly(name: string, one: Term, other: Term, speaker: Speaker): string | undefined {
  const { context, of } = speaker;
  const pair = [one, other];
  const kinds = pair.map((each) => kindOf(each, context));
  if (kinds.includes('opaque')) context.differs('it compares an object with a string');
  const isOrder = name !== 'eq' && name !== 'neq';
  const isPlain =
    kinds.includes('opaque') ||
    (kinds[0] === kinds[1] && kinds[0] !== 'json') ||
    pair.some(
      (each) => /^[^\s\d"[{-]/.test(literalText(each) ?? '') && !/^(?:true|false|null)$/.test(literalText(each) ?? ''),
    );
  if (isOrder && !kinds.every((kind) => kind === 'number' || kind === 'json' || kind === 'opaque'))
    context.differs('it compares strings alphabetically, or not at all');
  const own = pair.map((each) => (isOrder || isPlain ? of(each) : typed(each, speaker)));
  return own.includes(undefined) ? undefined : called(name, ...own);
}

function typed(term: Term, speaker: Speaker): string | undefined {
  if (!isMissable(term)) return asJson(term, speaker);
  return asJson({ ...term, named: { ...term.named, default: { kind: 'literal', value: '' } } }, speaker);
}

/** Whether a path that finds nothing gives an empty text. */
function isMissable(term: Term): term is Call {
  return term.kind === 'call' && term.name === 'jsonPath' && term.named.default === undefined;
}

const ISO = `format="yyyy-MM-dd'T'HH:mm:ss'Z'"`;

/** Without a format a time has no milliseconds. */
function time(name: 'now' | 'date' | 'parseDate' | 'truncateDate', most: number, ...named: readonly string[]): Helper {
  return (call, use, speaker) => {
    if (call.args.length > most || call.args.length < (name === 'truncateDate' ? 2 : name === 'parseDate' ? 1 : 0))
      return undefined;
    const [first] = call.args;
    const text = literalText(first);
    if (name === 'date' && first !== undefined && !TIMES.has(callOf(first)?.name ?? ''))
      speaker.context.differs('it is the time of the request');
    const format = literalText(call.named.format);
    if (
      name === 'parseDate' &&
      (format === 'unix' || format === 'epoch' || (text !== undefined && format === undefined && !UTC.test(text)))
    )
      speaker.context.differs('it is parsed differently');
    const own = spoken(name === 'date' && first === undefined ? 'now' : name, call, named, speaker);
    if (own === undefined || use !== 'printed') return own;
    if (name === 'parseDate' || name === 'truncateDate') return called('date', own, ISO);
    return call.named.format === undefined ? `${own.slice(0, -1)} ${ISO})` : own;
  };
}

const TIMES: ReadonlySet<string> = new Set(['now', 'date', 'parseDate', 'truncateDate']);
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Whole numbers stay whole there, others keep a fraction. A number of a text or a body may be either. */
function math(call: Call, use: Use, speaker: Speaker): string | undefined {
  const { args } = call;
  if (args.length !== 3) return undefined;
  const own = spoken('math', call, [], speaker);
  return own && use === 'printed' ? `${own.slice(0, -1)} as='java')` : own;
}

function jsonPath(call: Call, use: Use, speaker: Speaker): string | undefined {
  const { args, named } = call;
  const [value, path] = args;
  const source = literalText(path);
  if (value === undefined || args.length !== 2 || source?.startsWith('$') !== true) return undefined;
  const { default: _, ...rest } = named;
  const text = { kind: 'literal' as const, value: `${JAYWAY}${source}` };
  // A list has no default there.
  const own = spoken(
    'jsonPath',
    { args: [value, text], named: isIndefinite(source) ? rest : named },
    ['default'],
    speaker,
  );
  return own !== undefined && use === 'printed' ? `${own.slice(0, -1)} as='java')` : own;
}

/** The last text is between the others, unless a list comes first. */
function join(call: Call, use: Use, speaker: Speaker): string | undefined {
  const { args, named } = call;
  const [first] = args;
  if (args.length === 2 && literalText(first) === undefined) return same('join', 2, 2)(call, use, speaker);
  if (args.length < 3 || Object.keys(named).length > 0) return undefined;
  const own = args.map((each) => speaker.of(each));
  return own.includes(undefined) ? undefined : called('join', called('array', ...own.slice(0, -1)), own.at(-1));
}

/** At the end, or at the beginning: others have no words. */
function arrayAdd({ args, named }: Call, _use: Use, { of }: Speaker): string | undefined {
  const { position, ...rest } = named;
  const [list, item] = args.map((each) => of(each));
  if (args.length !== 2 || list === undefined || item === undefined || Object.keys(rest).length > 0) return undefined;
  if (position === undefined || literalText(position) === 'end') return called('concat', list, called('array', item));
  return isStart(position) ? called('concat', called('array', item), list) : undefined;
}

function isStart(position: Term): boolean {
  return ['start', '0'].includes(literalText(position) ?? String(position.kind === 'literal' ? position.value : ''));
}

/** The last item, or the first. */
function arrayRemove({ args, named }: Call, _use: Use, { of }: Speaker): string | undefined {
  const { position, ...rest } = named;
  const list = of(args[0]);
  if (args.length !== 1 || list === undefined || Object.keys(rest).length > 0) return undefined;
  const isEnd = position === undefined || literalText(position) === 'end';
  if (!isEnd && !isStart(position)) return undefined;
  return called(isEnd ? 'first' : 'last', list, called('subtract', called('size', list), '1'));
}

function numberFormat(call: Call, use: Use, speaker: Speaker): string | undefined {
  const pattern = literalText(call.args[1]);
  const isKnown = call.args.length < 2 || (pattern !== undefined && compileDecimalFormat(pattern) !== undefined);
  return isKnown ? same('numberFormat', 1, 2)(call, use, speaker) : undefined;
}

/** With a name for the value it prints nothing. */
function parseJson(call: Call, use: Use, speaker: Speaker): string | undefined {
  const [value, name] = call.args;
  const own = speaker.of(value);
  if (own === undefined || Object.keys(call.named).length > 0 || call.args.length > 2) return undefined;
  if (name === undefined) {
    if (use === 'printed') speaker.context.differs('an object is printed as {a=b}');
    return called('parseJson', own);
  }
  return use === 'printed' ? assigned(literalText(name), call, called('parseJson', own), speaker) : undefined;
}

function assigned(name: string | undefined, term: Term, own: string, { context }: Speaker): string | undefined {
  if (name === undefined || !/^[A-Za-z_]\w*$/.test(name)) return undefined;
  context.assign(name, term);
  return called('setVar', `'${name}'`, own);
}

const WITH_DEFAULT: Readonly<Record<string, string>> = { query: 'queryParam', headers: 'header', cookies: 'cookie' };

/** A value, or another where it is missing; kept under a name. */
function val(call: Call, use: Use, speaker: Speaker): string | undefined {
  const [value] = call.args;
  const { or, default: other = or, assign, ...rest } = call.named;
  if (value === undefined || call.args.length > 1 || Object.keys(rest).length > 0) return undefined;
  const own = other === undefined ? speaker.of(value) : orElse(value, speaker.of(other), speaker);
  if (own === undefined || assign === undefined) return own;
  return use === 'printed' ? assigned(literalText(assign), value, own, speaker) : undefined;
}

function orElse(value: Term, other: string | undefined, { of }: Speaker): string | undefined {
  if (value.kind === 'literal') return of(value);
  if (value.kind !== 'name' || value.name !== 'request') return undefined;
  const [member = '', name, ...inside] = value.steps;
  const helper = WITH_DEFAULT[member];
  if (helper === undefined || name === undefined || inside.length > 0 || other === undefined) return undefined;
  return called(helper, quoted(name), other);
}

function arrayJoin(call: Call, _use: Use, { of }: Speaker): string | undefined {
  const [separator, list] = call.args.map((each) => of(each));
  const { prefix, suffix, ...rest } = call.named;
  if (separator === undefined || list === undefined || call.args.length !== 2 || Object.keys(rest).length > 0)
    return undefined;
  const own = called('join', list, separator);
  const around = [prefix, suffix].map((each) => (each === undefined ? "''" : of(each)));
  if (prefix === undefined && suffix === undefined) return own;
  return around.includes(undefined) ? undefined : called('concat', around[0], own, around[1]);
}

function regexExtract(call: Call, use: Use, speaker: Speaker): string | undefined {
  const [, pattern, name] = call.args;
  const source = literalText(pattern);
  if (source === undefined) return undefined;
  const own = spoken('regexExtract', call, ['default'], speaker);
  if (own === undefined) return undefined;
  if (name !== undefined) {
    const variable = literalText(name);
    if (use !== 'printed' || variable === undefined) return undefined;
    if (call.named.default === undefined) speaker.context.differs('it prints an error where nothing matches');
    speaker.context.assign(variable, { kind: 'literal', value: '' });
    return own;
  }
  const error = quoted(`[ERROR: Nothing matched ${source}]`);
  return call.named.default !== undefined || error === undefined ? own : `${own.slice(0, -1)} default=${error})`;
}

function isJson(text: string | undefined): boolean {
  try {
    JSON.parse(text ?? '');
    return true;
  } catch {
    return false;
  }
}

export const HELPERS: Readonly<Record<string, Helper>> = {
  jsonPath,
  parseJson,
  math,
  val,
  regexExtract,
  arrayJoin,
  trim: same('trim', 1, 1),
  upper: same('upper', 1, 1),
  lower: same('lower', 1, 1),
  capitalize: same('capitalize', 1, 1),
  capitalizeFirst: same('capitalizeFirst', 1, 1),
  substring: same('substring', 2, 3),
  replace: same('replaceAll', 3, 3),
  size: same('size', 1, 1),
  base64: same('base64', 1, 1, 'decode', 'padding'),
  array: same('array', 0, Infinity),
  range: (call, use, speaker) => {
    const [from, to] = call.args.map((each) => (each.kind === 'literal' ? Number(each.value) : 0));
    if (from !== undefined && to !== undefined && to < from) speaker.context.differs('it only counts up');
    return same('range', 2, 2)(call, use, speaker);
  },
  pickRandom: same('pickRandom', 1, Infinity),
  randomInt: same('randomInt', 0, 0, 'lower', 'upper'),
  randomDecimal: same('randomDecimal', 0, 0, 'lower', 'upper'),
  randomValue: same('randomValue', 0, 0, 'length', 'type', 'uppercase'),
  jsonMerge: same('jsonMerge', 2, 2),
  and: same('and', 1, Infinity),
  or: same('or', 1, Infinity),
  not: same('not', 1, 1),
  eq: comparing('eq'),
  neq: comparing('neq'),
  gt: comparing('gt'),
  gte: comparing('gte'),
  lt: comparing('lt'),
  lte: comparing('lte'),
  now: time('now', 0, 'offset', 'format', 'timezone'),
  date: time('date', 1, 'offset', 'format'),
  parseDate: time('parseDate', 1, 'format'),
  truncateDate: time('truncateDate', 2),
  join,
  arrayAdd,
  arrayRemove,
  numberFormat,
  urlEncode: (call, use, speaker) => {
    const own = same('urlEncode', 1, 1, 'decode')(call, use, speaker);
    return own && call.named.decode === undefined ? `${own.slice(0, -1)} form=true)` : own;
  },
  contains: (call, use, speaker) => {
    const [whole, part] = call.args;
    if (whole === undefined || part === undefined) return undefined;
    const kinds = [kindOf(whole, speaker.context), kindOf(part, speaker.context)];
    if (kinds.includes('opaque') || kinds[1] !== 'text' || /^[\s\d-]/.test(literalText(part) ?? ''))
      speaker.context.differs('it looks for an item of that type');
    return same('contains', 2, 2)(call, use, speaker);
  },
  matches: (call, _use, { of }) => {
    const [value, pattern] = call.args;
    const source = literalText(pattern);
    const whole = source === undefined ? undefined : quoted(`^(?:${source})$`);
    const own = of(value);
    return own === undefined || whole === undefined || call.args.length > 2 ? undefined : called('matches', own, whole);
  },
  lookup: (call, use, speaker) => {
    const [value, member, ...others] = call.args;
    if (value?.kind !== 'name' || value.name !== 'request') return same('lookup', 2, 2)(call, use, speaker);
    const name = literalText(member) ?? '';
    const isMember = value.steps.length === 1 && others.length === 0 && /^[\w-]+$/.test(name);
    return isMember ? speaker.of({ ...value, steps: [...value.steps, name] }, use) : undefined;
  },
  toJson: (call, use, speaker) => {
    if (use === 'printed' && call.args[0]?.kind !== 'literal') noteJson(speaker.context);
    return same('json', 1, 1)(call, use, speaker);
  },
  formatJson: (call, use, speaker) => {
    if (literalText(call.named.format) !== 'compact') speaker.context.differs('JSON has different white space');
    return same('formatJson', 1, 1, 'format')(call, use, speaker);
  },
  jsonRemove: (call, use, speaker) => {
    if (call.args[0]?.kind !== 'literal') speaker.context.differs('null members are omitted');
    return same('jsonRemove', 2, 2)(call, use, speaker);
  },
  jsonArrayAdd: (call, use, speaker) => {
    if (!call.args.every((each) => isJson(literalText(each)))) speaker.context.differs('both must be JSON text');
    return same('jsonArrayAdd', 2, 2, 'maxItems')(call, use, speaker);
  },
  defaultIfEmpty: (call, use, speaker) => {
    const [value] = call.args;
    if (value === undefined || kindOf(value, speaker.context) === 'json') return undefined;
    return same('default', 2, 2)(call, use, speaker);
  },
};
