/** Mockoon's helpers in our words. */
import type { Speaker, Use } from '../../templates/reword.ts';
import { same, spoken, type Helper } from '../../templates/same-words.ts';
import { called, literalText, quoted, type Call, type Term } from '../../templates/terms.ts';
import { kindOf } from './word-kinds.ts';
import { eq, isNoNumber, ordered, reading, sum } from './word-values.ts';

/** Its helpers that have no words here. */
export const OTHERS: ReadonlySet<string> = new Set(
  `filter find objectMerge isValidDate jmesPath jsonPath urlParams queryParams headers status time
   reverse log if unless each with repeat switch case default`.split(/\s+/),
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
  queryParamRaw: (call, use, speaker) => {
    const own = reading('queryParamRaw')(call, use, speaker);
    const name = literalText(call.args[0]);
    // All values of the name: a list takes them all.
    return use === 'listed' && name !== undefined && /^\w+$/.test(name) ? `request.query.${name}` : own;
  },
  urlParam: ({ args: [name], named }, _use, { of }) => {
    const own = of(name);
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
  modulo: same('modulo', 2, 2),
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
  dateTimeShift: (call, use, speaker) => {
    noteFormat(call.named.format, speaker);
    const names = ['date', 'format', 'years', 'months', 'days', 'hours', 'minutes', 'seconds'];
    const own = same('dateTimeShift', 0, 0, ...names)(call, use, speaker);
    return own && call.named.format === undefined ? `${own.slice(0, -1)} format=${ISO})` : own;
  },

  array: same('array', 0, Infinity),
  object: (call, use, speaker) => same('object', 0, 0, '*')(call, use, speaker),
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
    return same('objectPath', 2, 2)(call, use, speaker);
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
  getGlobalVar: same('global', 1, 1),
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
  oneOf: same('oneOf', 1, 2),
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
    return same(name, 1, most)(call, use, speaker);
  };
}
