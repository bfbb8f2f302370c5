/** The form of the verify screen: what it asks for, its address, and what a test or a script would send. Pure. */
import type { Expectation, RequestRecord } from '../../client/shapes.ts';

export type Count = 'atLeast' | 'exactly' | 'atMost';

export interface ExpectationForm {
  readonly method: string;
  readonly path: string;
  /** As in an address: `page=2&sort=name`. */
  readonly query: string;
  /** Lines of `name: value`. */
  readonly header: string;
  readonly body: string;
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

/** As members of the address's query. */
export function addressOf(form: ExpectationForm): Record<keyof ExpectationForm, string | undefined> {
  const members = Object.entries(form) as [keyof ExpectationForm, string][];
  return Object.fromEntries(
    members.map(([name, value]) => [name, value === EMPTY_FORM[name] ? undefined : value]),
  ) as Record<keyof ExpectationForm, string | undefined>;
}

/** Of a recorded request: method, path, query, and a short body of text. Headers differ between clients. */
export function formOfRequest({
  method,
  path,
  query,
  body,
  bodyEncoding,
  bodyTruncated,
}: RequestRecord): ExpectationForm {
  const isShort = bodyEncoding === undefined && !bodyTruncated && body.length <= 500;
  return { ...EMPTY_FORM, method, path, query, body: isShort ? body : '' };
}

export interface ReadForm {
  readonly expectation: Expectation;
  /** By field, in words. */
  readonly problems: Partial<Record<keyof ExpectationForm, string>>;
}

export function readForm(form: ExpectationForm): ReadForm {
  const problems: Partial<Record<keyof ExpectationForm, string>> = {};
  const header = headersOf(form.header);
  if (header === undefined) problems.header = 'Each line is “name: value”.';
  const times = Number(form.times);
  if (!/^\d{1,9}$/.test(form.times)) problems.times = 'A whole number, from 0.';
  const wait = Number(form.wait);
  if (form.wait !== '' && !(wait >= 0 && wait <= 30)) problems.wait = 'Up to 30 seconds.';
  const query = Object.fromEntries(new URLSearchParams(form.query));
  const match = {
    ...(form.method === '' ? {} : { method: form.method }),
    ...(form.path === '' ? {} : { path: form.path }),
    ...(Object.keys(query).length === 0 ? {} : { query }),
    ...(header === undefined || Object.keys(header).length === 0 ? {} : { header }),
    ...(form.body === '' ? {} : { bodyContains: form.body }),
  };
  const within = form.wait === '' || wait === 0 ? {} : { withinMs: Math.round(wait * 1_000) };
  return { expectation: { match, [form.count]: times, ...within }, problems };
}

/** @returns undefined when a line is no header. */
function headersOf(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found = lines.map((line) => /^([^\s:]+):[ \t]*(.*?)\s*$/.exec(line));
  if (found.includes(null)) return undefined;
  return Object.fromEntries(found.map((line) => [(line?.[1] ?? '').toLowerCase(), line?.[2] ?? '']));
}
