/** Mockoon's helpers in our words. */
import type { Speaker, Use } from '../../templates/reword.ts';
import { parameterName } from '../../exchanges/literal-path.ts';
import { same, spoken, type Helper } from '../../templates/same-words.ts';
import { called, literalText, quoted, type Call, type Term } from '../../templates/terms.ts';
import { kindOf } from './word-kinds.ts';
import { isIndefinite } from '../../templates/json-paths.ts';
import { eq, isNoNumber, ordered, reading, sum } from './word-values.ts';

/** Its helpers that have no words here. */
export const OTHERS: ReadonlySet<string> = new Set(
  'jmesPath log if unless each with repeat switch case default'.split(' '),
);

/** Helpers that are functions of faker under names of their own. */
const MADE_UP: Readonly<Record<string, string>> = {
  boolean: 'datatype.boolean',
  city: 'location.city',
  color: 'color.human',
  company: 'company.name',
  country: 'location.country',
  countryCode: 'location.countryCode',
  domain: 'internet.domainName',
  email: 'internet.email',
  firstName: 'person.firstName',
  hexColor: 'color.rgb',
  ipv4: 'internet.ipv4',
  ipv6: 'internet.ipv6',
  lastName: 'person.lastName',
  lat: 'location.latitude',
  long: 'location.longitude',
  lorem: 'lorem.sentence',
  objectId: 'database.mongodbObjectId',
  phone: 'phone.number',
  postcode: 'location.zipCode',
  street: 'location.streetAddress',
  title: 'person.prefix',
  tld: 'internet.domainSuffix',
  zipcode: 'location.zipCode',
};

/** A helper that takes a list. */
function ofList(name: string, least: number, most: number): Helper {
  return (call, use, speaker) => {
    const [list] = call.args;
    if (list !== undefined && !['list', 'any'].includes(kindOf(list, speaker.context)))
      speaker.context.differs('it takes only a list');
    return same(name, least, most)(call, use, speaker);
  };
}

/** Items of a list that hold what is asked: values of their type. */
function chosen(name: 'matching' | 'find'): Helper {
  return (call, use, speaker) => {
    const [list, ...conditions] = call.args;
    if (list === undefined) return "''";
    if (!['list', 'any'].includes(kindOf(list, speaker.context))) return "''";
    if (conditions.length === 0) return name === 'find' ? "''" : speaker.of(list);
    if (conditions.some((each) => kindOf(each, speaker.context) === 'safe'))
      speaker.context.differs('a string of a request equals no item');
    return same(name, 1, Infinity)(call, use, speaker);
  };
}

/** A helper of texts and numbers. */
function ofText(name: string, least: number, most: number): Helper {
  return (call, use, speaker) => {
    const [value] = call.args;
    if (value !== undefined && ['list', 'object', 'number', 'flag'].includes(kindOf(value, speaker.context)))
      speaker.context.differs('it takes only a string');
    return same(name, least, most)(call, use, speaker);
  };
}

const TOKENS = /'(?:[^']|'')*'|yyyy|yy|MMMM|MMM|MM|M|dd|d|EEEE|EEE|HH|H|hh|h|mm|ss|SSS|a|XXX|xxx|[^A-Za-z']/g;
/** In the order in which Mockoon adds them. */
const SHIFTS = ['days', 'months', 'years', 'hours', 'minutes', 'seconds'];
const MIDNIGHT: Term = { kind: 'literal', value: '00:00:00' };
const LAST_MINUTE: Term = { kind: 'literal', value: '23:59:00' };
const ISO = `"yyyy-MM-dd'T'HH:mm:ss.SSSxxx"`;

/** Letters of a format that mean the same in both. */
function noteFormat(format: Term | undefined, { context }: Speaker): void {
  const text = literalText(format);
  if (text !== undefined && text.replaceAll(TOKENS, '') !== '') context.differs('the format has different letters');
}

function stringify(call: Call, use: Use, speaker: Speaker): string | undefined {
  const [value] = call.args;
  if (value === undefined || call.args.length > 1) return undefined;
  const kind = kindOf(value, speaker.context);
  if (!['list', 'object', 'any'].includes(kind)) return speaker.of(value);
  if (kind === 'any' || (use === 'printed' && !speaker.context.tag.startsWith('{{{')))
    speaker.context.differs('its quotation marks are HTML escapes, which strings do not have');
  const own = speaker.of(value);
  return own && called('stringify', own, 'true');
}

/** Joins lists where the first value is one, else texts. */
function concat(call: Call, use: Use, speaker: Speaker): string | undefined {
  const [first] = call.args;
  const kind = first && kindOf(first, speaker.context);
  if (kind === 'list') return same('concat', 1, Infinity)(call, use, speaker);
  if (kind === 'any') speaker.context.differs('it may be a list');
  return spoken('concat', { ...call, args: [{ kind: 'literal', value: '' }, ...call.args] }, [], speaker);
}

export const HELPERS: Readonly<Record<string, Helper>> = {
  ...Object.fromEntries(
    Object.entries(MADE_UP).map(([name, made]): [string, Helper] => [
      name,
      (call, use, speaker) => same(`faker '${made}'`, 0, Infinity, '*')(call, use, speaker),
    ]),
  ),
  body: reading('body'),
  bodyRaw: reading('bodyRaw'),
  queryParam: reading('queryParam'),
  queryParamRaw: reading('queryParamRaw'),
  queryParams: () => '(queryValue)',
  urlParams: () => 'request.params',
  headers: () => 'request.headers',
  status: ({ args: [code] }, use, { context }) => {
    const status = code?.kind === 'literal' ? Number.parseInt(String(code.value), 10) : Number.NaN;
    if (use !== 'printed' || context.isInside || !(status >= 200 && status < 600)) return undefined;
    context.status = status;
    return `!-- status ${status} --`;
  },
  urlParam: ({ args: [name], named }, _use, { of }) => {
    const literal = literalText(name);
    const own = literal === undefined ? of(name) : quoted(parameterName(literal));
    return own === undefined || Object.keys(named).length > 0 ? undefined : called('urlParam', own);
  },
  header: same('header', 1, 2),
  cookie: same('cookie', 1, 2),
  method: same('method', 0, 0),
  ip: same('ip', 0, 0),
  hostname: () => called('regexExtract', called('host'), "'^[^:]+'"),
  baseUrl: same('baseUrl', 0, 0),

  eq,
  gt: ordered('gt'),
  gte: ordered('gte'),
  lt: ordered('lt'),
  lte: ordered('lte'),
  includes: (call, use, speaker) => {
    if (call.args.some((each) => ['list', 'object', 'any'].includes(kindOf(each, speaker.context))))
      speaker.context.differs('it searches only strings');
    return same('includes', 2, 2)(call, use, speaker);
  },

  add: sum('add'),
  subtract: sum('subtract'),
  multiply: sum('multiply'),
  divide: sum('divide'),
  modulo: numeric('modulo', 2),
  ceil: numeric('ceil', 1),
  floor: numeric('floor', 1),
  round: numeric('round', 1),
  toFixed: numeric('toFixed', 2),
  parseInt: same('parseInt', 1, 1),

  concat,
  uppercase: ofText('uppercase', 1, 1),
  lowercase: ofText('lowercase', 1, 1),
  replace: ofText('replace', 3, 3),
  replaceAll: ofText('replaceAll', 3, 3),
  substr: same('substr', 2, 3),
  split: ofText('split', 1, 2),
  join: (call, use, speaker) => {
    const [list] = call.args;
    if (list !== undefined && kindOf(list, speaker.context) === 'safe')
      speaker.context.differs('it is already a string');
    return same('join', 1, 2)(call, use, speaker);
  },
  slice: ofList('slice', 2, 3),
  sort: ofList('sort', 1, 2),
  sortBy: ofList('sortBy', 2, 3),
  len: (call, use, speaker) => {
    const [value] = call.args;
    const kind = value && kindOf(value, speaker.context);
    if (kind === 'safe' || kind === 'object') speaker.context.differs('it is 0');
    return same('len', 1, 1)(call, use, speaker);
  },
  indexOf: ofText('indexOf', 2, 3),
  padStart: same('padStart', 2, 3),
  padEnd: same('padEnd', 2, 3),
  newline: () => "'\n'",

  now: ({ args: [format] }, _use, speaker) => {
    noteFormat(format, speaker);
    const own = format === undefined ? ISO : speaker.of(format);
    return own && called('now', own);
  },
  date: (call, use, speaker) => {
    if (call.args.length !== 3) speaker.context.differs('it is printed in a different form');
    noteFormat(call.args[2], speaker);
    return same('date', 2, 3)(call, use, speaker);
  },
  dateFormat: (call, use, speaker) => {
    noteFormat(call.args[1], speaker);
    return same('dateFormat', 2, 2)(call, use, speaker);
  },
  dateTimeShift: ({ args, named: { date, format, ...counts } }, _use, speaker) => {
    noteFormat(format, speaker);
    const isKnown = Object.keys(counts).every((name) => SHIFTS.includes(name));
    if (args.length > 0 || !isKnown) return undefined;
    // One after the other, and the days of a month that has fewer count on into the next.
    let shifted = date && speaker.of(date);
    if (date !== undefined && shifted === undefined) return undefined;
    const shift = (pairs: readonly string[]): string =>
      called('dateTimeShift', ...(shifted === undefined ? [] : [`date=${shifted}`]), ...pairs, 'overflow=true');
    const pairs = SHIFTS.flatMap((name) => {
      const own = speaker.of(counts[name]);
      return own === undefined ? [] : [`${name}=${own}`];
    });
    if (pairs.length < Object.keys(counts).length) return undefined;
    for (const pair of pairs.splice(0, Math.max(0, pairs.length - 1))) shifted = shift([pair]);
    return shift([...pairs, `format=${format === undefined ? ISO : (speaker.of(format) ?? ISO)}`]);
  },
  time: ({ args: [from, to, format] }, _use, speaker) => {
    noteFormat(format, speaker);
    const [start, end] = [from ?? MIDNIGHT, to ?? LAST_MINUTE].map(literalText);
    if (start === undefined || end === undefined) return undefined;
    return called('date', quoted(`1970-01-01T${start}`), quoted(`1970-01-01T${end}`), speaker.of(format) ?? "'HH:mm'");
  },
  isValidDate: ({ args: [date] }, _use, { context, of }) => {
    if (date === undefined) return 'false';
    if (date.kind === 'literal') return String(!Number.isNaN(new Date(date.value as string).getTime()));
    context.mayDiffer();
    const own = of(date);
    return own && called('ne', called('parseDate', own), 'null');
  },

  array: same('array', 0, Infinity),
  // Its members are in the opposite order there.
  object: ({ named, ...call }, use, speaker) =>
    same('object', 0, 0, '*')({ ...call, named: Object.fromEntries(Object.entries(named).toReversed()) }, use, speaker),
  objectMerge: (call, _use, speaker) => {
    const own = spoken('jsonMerge', { args: call.args, named: {} }, [], speaker);
    return own && call.args.length > 0
      ? `${own.replace('(jsonMerge', '(jsonMerge (object)').slice(0, -1)} deep=false)`
      : own && "''";
  },
  filter: chosen('matching'),
  find: chosen('find'),
  reverse: ofList('reverse', 1, 1),
  stringify,
  jsonParse: same('parseJson', 1, 1),
  lookup: (call, use, speaker) => {
    const [value] = call.args;
    if (value !== undefined && kindOf(value, speaker.context) === 'safe') speaker.context.differs('it is a string');
    return same('lookup', 2, 2)(call, use, speaker);
  },
  objectPath: (call, use, speaker) => {
    const [value, path] = call.args;
    const isText = value !== undefined && ['text', 'safe'].includes(kindOf(value, speaker.context));
    if (isText || literalText(path)?.startsWith('$') === true)
      speaker.context.differs('it finds only members of objects');
    return same('objectPath', 2, 3)(call, use, speaker);
  },
  jsonPath: ({ args: [value, path, other, ...more] }, _use, speaker) => {
    const source = literalText(path);
    const [own, fallback] = [speaker.of(value), speaker.of(other)];
    if (value === undefined || source === undefined || more.length > 0 || own === undefined) return undefined;
    if (!['list', 'object', 'any'].includes(kindOf(value, speaker.context)))
      speaker.context.differs('it finds only members of objects');
    const isList = isIndefinite(source) ? 'list=true' : undefined;
    return called('jsonPath', own, quoted(source), isList, `default=${fallback ?? "''"}`);
  },
  setVar: ({ args: [name, value], named }, use, { context, of }) => {
    const variable = literalText(name);
    const own = of(value);
    if (use !== 'printed' || variable === undefined || value === undefined || own === undefined) return undefined;
    if (Object.keys(named).length > 0) return undefined;
    context.assign(variable, value);
    return called('setVar', quoted(variable), own);
  },
  getVar: same('getVar', 1, 1),
  getGlobalVar: ({ args: [name, path, other] }, _use, { of }) => {
    const own = called('global', of(name));
    return path === undefined ? own : called('objectPath', own, of(path), of(other));
  },
  setGlobalVar: (call, use, speaker) => (use === 'printed' ? same('globalSet', 2, 2)(call, use, speaker) : undefined),
  getEnvVar: same('getEnvVar', 1, 2),

  base64: same('base64', 1, 1),
  base64Decode: same('base64Decode', 1, 1),
  base64url: same('base64url', 1, 1),
  base64urlDecode: same('base64urlDecode', 1, 1),
  jwtPayload: (call, use, speaker) => {
    if (call.args.length === 1 && use === 'printed') speaker.context.differs('it is printed as [object Object]');
    return same('jwtPayload', 1, 2)(call, use, speaker);
  },
  jwtHeader: (call, use, speaker) => {
    if (call.args.length === 1 && use === 'printed') speaker.context.differs('it is printed as [object Object]');
    return same('jwtHeader', 1, 2)(call, use, speaker);
  },

  uuid: same('uuid', 0, 0),
  guid: same('guid', 0, 0),
  int: same('int', 0, 2),
  float: same('randomDecimal', 0, 2),
  oneOf: (call, use, speaker) => {
    const isList = call.args[0] !== undefined && ['list', 'any'].includes(kindOf(call.args[0], speaker.context));
    return isList ? same('oneOf', 1, 2)(call, use, speaker) : same('pickRandom', 1, Infinity)(call, use, speaker);
  },
  someOf: (call, use, speaker) => {
    if (call.args.length === 4 && !speaker.context.tag.startsWith('{{{'))
      speaker.context.differs('its quotation marks are HTML escapes');
    return same('someOf', 3, 4)(call, use, speaker);
  },
  faker: same('faker', 1, Infinity, '*'),
};

/** A literal that is no number makes another text. */
function numeric(name: string, most: number): Helper {
  return (call, use, speaker) => {
    if (call.args.some(isNoNumber)) speaker.context.differs('it is NaN, or 0');
    if (call.args.some((each) => kindOf(each, speaker.context) !== 'number')) speaker.context.mayDiffer();
    return same(name, 1, most)(call, use, speaker);
  };
}
