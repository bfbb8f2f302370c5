/** The verify form: its fields, its address, and the code for a test or script. Pure. */
import type { Expectation, RequestRecord } from '../../client/shapes.ts';
import type { StreamEnd } from '../../model/mocks/streams/stream-record.ts';
import { isBlankRule } from '../mocks/routes/new-route.ts';
import { headerLines, headerProblem } from '../parts/request-text.ts';
import { dropEmpty } from '../state/filters.ts';
import { apiCommand } from '../state/api-command.ts';
import type { Condition } from '../../model/mocks/definition/condition-schema.ts';

export type Count = 'atLeast' | 'exactly' | 'atMost';

export interface ExpectationForm {
  readonly method: string;
  readonly path: string;
  /** Query as in an address: `page=2&sort=name`. */
  readonly query: string;
  /** Lines of `name: value`. */
  readonly header: string;
  readonly body: string;
  /** The id of a trace. */
  readonly trace: string;
  /** How its stream ended; "" for any end, and for no stream. */
  readonly ended: string;
  /** The minimum number of events; "" for any. */
  readonly eventsMin: string;
  readonly eventsMax: string;
  /** Conditions as JSON text; "" for none. */
  readonly rules: string;
  readonly count: Count;
  readonly times: string;
  /** Seconds; "" does not wait. */
  readonly wait: string;
}

export const EMPTY_FORM: ExpectationForm = {
  method: '',
  path: '',
  query: '',
  header: '',
  body: '',
  trace: '',
  ended: '',
  eventsMin: '',
  eventsMax: '',
  rules: '',
  count: 'atLeast',
  times: '1',
  wait: '',
};

const COUNTS: ReadonlySet<Count> = new Set(['atLeast', 'exactly', 'atMost']);

export function formOf(query: ReadonlyMap<string, string>): ExpectationForm {
  const given = Object.fromEntries(Object.keys(EMPTY_FORM).map((name) => [name, query.get(name)]));
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const form = { ...EMPTY_FORM, ...known } as ExpectationForm;
  return COUNTS.has(form.count) ? form : { ...form, count: 'atLeast' };
}

export function addressOf(form: ExpectationForm): Record<keyof ExpectationForm, string | undefined> {
  const members = Object.entries(form) as [keyof ExpectationForm, string][];
  return Object.fromEntries(
    members.map(([name, value]) => [name, value === EMPTY_FORM[name] ? undefined : value]),
  ) as Record<keyof ExpectationForm, string | undefined>;
}

/** Method, path, query, and a short text body of a recorded request. Headers differ between clients. */
export function formOfRequest(props: RequestRecord): ExpectationForm {
  const { method, path, query, body, bodyEncoding, bodyTruncated } = props;
  const isShort = bodyEncoding === undefined && !bodyTruncated && body.length <= 500;
  return { ...EMPTY_FORM, method, path, query, body: isShort ? body : '' };
}

interface ReadForm {
  readonly expectation: Expectation;
  /** By field. */
  readonly problems: Partial<Record<keyof ExpectationForm, string>>;
}

export function readForm(form: ExpectationForm): ReadForm {
  const problems: Partial<Record<keyof ExpectationForm, string>> = {};
  const header = Object.fromEntries(headerLines(form.header).map(({ name, value }) => [name.toLowerCase(), value]));
  const headersWrong = headerProblem(form.header);
  if (headersWrong !== undefined) problems.header = headersWrong;
  const times = Number(form.times);
  if (!/^\d{1,9}$/.test(form.times)) problems.times = 'Enter a whole number.';
  for (const name of ['eventsMin', 'eventsMax'] as const)
    if (form[name] !== '' && !/^\d{1,9}$/.test(form[name])) problems[name] = 'Enter a whole number.';
  const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));
  const events = dropEmpty({ atLeast: numberOf(form.eventsMin), atMost: numberOf(form.eventsMax) });
  const wait = Number(form.wait);
  if (form.wait !== '' && !(wait >= 0 && wait <= 30)) problems.wait = 'Up to 30 seconds.';
  const query = Object.fromEntries(new URLSearchParams(form.query));
  const rules = rulesOf(form.rules).filter((rule) => !isBlankRule(rule));
  const match = {
    ...dropEmpty({ method: form.method, path: form.path }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(Object.keys(header).length === 0 ? {} : { header }),
    ...dropEmpty({ bodyContains: form.body, trace: form.trace, ended: form.ended as StreamEnd }),
    ...(Object.keys(events).length === 0 ? {} : { events }),
    ...(rules.length === 0 ? {} : { rules }),
  };
  const within = form.wait === '' || wait === 0 ? {} : { withinMs: Math.round(wait * 1_000) };
  return { expectation: { match, [form.count]: times, ...within }, problems };
}

/** @param text JSON from the form or an address. @returns Groups as typed; empty for anything but a list. */
export function rulesOf(text: string): readonly Condition[] {
  try {
    const rules: unknown = text === '' ? [] : JSON.parse(text);
    return Array.isArray(rules) ? (rules as readonly Condition[]) : [];
  } catch {
    return [];
  }
}

/** The inverse of `rulesOf`. An empty group stays empty. */
export const textOfRules = (rules: readonly (Condition | undefined)[]): string =>
  rules.length === 0 ? '' : JSON.stringify(rules.map((rule) => rule ?? ''));

/** For the package's client: `await mocks.assertVerified('m1', { … });` */
export const testLineOf = (mockId: string, expectation: Expectation): string =>
  `await mocks.assertVerified(${literalOf(mockId)}, ${literalOf(expectation)});`;

/** @param apiUrl Ends with `/v1`. */
export const verifyCommandOf = (apiUrl: string, mockId: string, expectation: Expectation): string =>
  apiCommand(`${apiUrl}/mocks/${encodeURIComponent(mockId)}/verify`, escaped(JSON.stringify(expectation)));

const NAME = /^[A-Za-z_$][\w$]*$/;

/** JavaScript in the style of our documents. */
function literalOf(value: unknown): string {
  if (typeof value === 'string') return stringOf(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => {
    // `__proto__: …` would set the prototype.
    const key = name === '__proto__' ? `['__proto__']` : NAME.test(name) ? name : stringOf(name);
    return `${key}: ${literalOf(member)}`;
  });
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

const stringOf = (text: string): string =>
  `'${escaped(JSON.stringify(text))
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`)}'`;

/** Escapes invisible characters, in JSON and JavaScript alike. */
const escaped = (json: string): string =>
  json.replaceAll(/[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => unitEscape(character.charCodeAt(index))).join(''),
  );

const unitEscape = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;
