/** Saved responses of a Postman collection, and the bodies of the requests that they answer. */
import { isObject } from '../../base/json-object.ts';
import type { HeaderLine } from '../../model/mocks/definition/definition.ts';
import { bodyValues, fieldValues, jsonOf, OPAQUE, requestValue } from '../exchanges/request-values.ts';
import {
  countCredentials,
  headerOf,
  inUtf8,
  keptHeaders,
  type RecordedHeader,
  type Recording,
} from '../exchanges/reply-headers.ts';
import type { Exchange } from '../exchanges/tell-apart.ts';
import { countMembers, numberIn, objectsIn, textIn, typed, type Members } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';
import { PARAMETER, resolved, type Variables } from './postman-url.ts';
import { withVariables } from './postman-words.ts';

export interface SavedReply {
  readonly label: string;
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  /** Whether the body is a template. */
  readonly templated: boolean;
}

const RESPONSE: Members = {
  id: ['text'],
  uid: ['text'],
  _postman_id: ['text'],
  status: ['text'],
  responseTime: ['text', 'number'],
  timings: ['object'],
  cookie: ['array'],
  description: ['text', 'object'],
  _postman_previewtype: ['text'],
};

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  html: 'text/html',
  javascript: 'application/javascript',
  text: 'text/plain',
};

export function readReply(response: Member, item: Item, report: ReportWriter, variables: Variables): SavedReply {
  const recording = { format: 'postman', item, report } as const;
  countMembers(response, RESPONSE, { code: 'postman.collection' }, report);
  const headers = keptHeaders(headersIn(response, recording), false, recording);
  const { text: body, templated, unknown } = withVariables(bodyIn(response, report), variables);
  if (unknown.length > 0) item.note('postman.body-variable', undefined, unknown.slice(0, NAMES_SHOWN).join(', '));
  const label = textIn(response, 'name') ?? '';
  return {
    label: label.length > LABEL_CHARS_MAX ? `${label.slice(0, LABEL_CHARS_MAX - 1)}…` : label,
    status: statusIn(response, item),
    headers: inUtf8(withType(headers, response, body, recording), body, recording),
    body,
    templated,
  };
}

const NAMES_SHOWN = 10;
const LABEL_CHARS_MAX = 1_000;
const STATUS_MIN = 200;
const STATUS_MAX = 599;

function statusIn(response: Member, item: Item): number {
  if (response.at('/code')?.value === null) response.get('code');
  const status = numberIn(response, 'code');
  if (status !== undefined && Number.isInteger(status) && status >= STATUS_MIN && status <= STATUS_MAX) return status;
  item.note('postman.status');
  return STATUS_MIN;
}

function bodyIn(response: Member, report: ReportWriter): string {
  if (response.at('/body')?.value === null) {
    response.get('body');
    report.count('postman.collection');
  }
  return textIn(response, 'body') ?? '';
}

/** The preview's language says what the body is where no header does. */
function withType(
  headers: readonly HeaderLine[],
  response: Member,
  body: string,
  { item, report }: Recording,
): readonly HeaderLine[] {
  countMembers(response, { _postman_previewlanguage: ['text'] }, { code: 'postman.collection' }, report);
  countCredentials(body, { format: 'postman', item, report });
  const language = response.at('/_postman_previewlanguage')?.value;
  const type = typeof language === 'string' ? TYPES[language.toLowerCase()] : undefined;
  if (body === '' || type === undefined || headerOf(headers, 'content-type') !== undefined) return headers;
  item.note('postman.content-type', undefined, type);
  return [...headers, { name: 'Content-Type', value: type }];
}

/** Lines of a list, or of a text. */
function headersIn(owner: Member, { item, report }: Recording): RecordedHeader[] {
  const list = typed(owner, 'header', 'text', 'array');
  const text = list?.text();
  if (list === undefined && owner.at('/header')?.value === null) {
    owner.get('header');
    report.count('postman.collection');
  }
  if (list !== undefined && text !== undefined) {
    return linesIn(text).map((line) => ({ ...line, source: list }));
  }
  return objectsIn(owner, 'header', report).flatMap((line): RecordedHeader[] => {
    const isDisabled = line.at('/disabled')?.value === true;
    countMembers(line, { ...HEADER, key: ['text'], value: ['text'] }, { code: 'postman.collection' }, report);
    const name = textIn(line, 'key');
    const value = textIn(line, 'value');
    if (name === undefined) item.note('postman.header', line, 'it has no name');
    return isDisabled || name === undefined || name === '' ? [] : [{ name, value: value ?? '', source: line }];
  });
}

function linesIn(text: string): HeaderLine[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name = '', value = ''] = /^([^:]+):[ \t]*(.*)$/.exec(line) ?? [];
    return name === '' ? [] : [{ name: name.trim(), value }];
  });
}

const HEADER: Members = {
  name: ['text'],
  disabled: ['flag'],
  description: ['text', 'object'],
  type: ['text'],
  system: ['flag'],
  enabled: ['flag'],
};

const LINES: Members = { ...HEADER, key: ['text'], value: ['text', 'number', 'flag'], warning: ['text'], id: ['text'] };
const FIELDS: Members = {
  ...PARAMETER,
  ...LINES,
  src: ['text', 'array'],
  fileName: ['text'],
  contentType: ['text'],
  uuid: ['text'],
};
const BODY: Members = {
  mode: ['text'],
  raw: ['text'],
  urlencoded: FIELDS,
  formdata: FIELDS,
  graphql: { query: ['text'], variables: ['text', 'object'], operationName: ['text'] },
  file: ['object'],
  options: ['object'],
  disabled: ['flag'],
};

/** Counts the members of a request beside its URL and its method. */
export function countRequest(request: Member, report: ReportWriter): void {
  if (typed(request, 'header', 'text') === undefined) {
    countMembers(request, { header: LINES }, { code: 'postman.request-headers' }, report);
  } else report.count('postman.request-headers');
  if (typed(request, 'body', 'text') === undefined) {
    countMembers(request, { body: BODY }, { code: 'postman.collection' }, report);
  } else report.count('postman.collection');
}

interface Body {
  readonly text: string;
  readonly values: Exchange['bodyValues'];
}

/** In a body with an unknown variable nothing is known. */
export function requestBody(request: Member, variables: Variables): Body {
  const body = request.at('/body')?.value;
  if (!isObject(body) || body.disabled === true) return { text: '', values: () => [] };
  const text = JSON.stringify(body);
  return { text, values: () => valuesOf(body, requestHeader(request, 'content-type'), variables) };
}

function valuesOf(
  body: Readonly<Record<string, unknown>>,
  contentType: string,
  variables: Variables,
): ReturnType<Exchange['bodyValues']> {
  const { mode } = body;
  if (mode === 'raw' || mode === undefined) {
    const raw = typeof body.raw === 'string' ? resolved(body.raw, variables) : '';
    // Comments in JSON are not sent.
    const isSentOtherwise = raw !== undefined && isJsonBody(body) && jsonOf(raw) === undefined;
    return raw === undefined || isSentOtherwise ? OPAQUE : bodyValues(raw, contentType);
  }
  if (mode === 'formdata') return fieldsOf(body.formdata, variables);
  // How what looks like an escape is sent depends on the version.
  if (mode === 'urlencoded') return /[%+]/.test(JSON.stringify(body)) ? OPAQUE : fieldsOf(body.urlencoded, variables);
  if (mode === 'graphql' && isObject(body.graphql)) return graphqlOf(body.graphql, variables);
  return OPAQUE;
}

function isJsonBody({ options }: Readonly<Record<string, unknown>>): boolean {
  return isObject(options) && isObject(options.raw) && options.raw.language === 'json';
}

function fieldsOf(list: unknown, variables: Variables): ReturnType<Exchange['bodyValues']> {
  const fields: [string, string][] = [];
  for (const each of Array.isArray(list) ? (list as unknown[]) : []) {
    if (!isObject(each) || each.disabled === true) continue;
    const { key, value, type } = each;
    const name = typeof key === 'string' ? resolved(key, variables) : undefined;
    const text = typeof value === 'string' && type !== 'file' ? resolved(value, variables) : undefined;
    if (name === undefined || text === undefined) return OPAQUE;
    fields.push([name, text]);
  }
  return fieldValues(fields);
}

/** Sent as JSON; its text is not known. */
function graphqlOf(
  graphql: Readonly<Record<string, unknown>>,
  variables: Variables,
): ReturnType<Exchange['bodyValues']> {
  const { query, variables: given = '' } = graphql;
  const text = typeof query === 'string' ? resolved(query, variables) : undefined;
  const inner = typeof given === 'string' ? resolved(given, variables) : JSON.stringify(given);
  if (text === undefined || inner === undefined) return OPAQUE;
  try {
    const sent = JSON.stringify({ query: text, variables: inner.trim() === '' ? {} : (JSON.parse(inner) as unknown) });
    const values = bodyValues(sent, '');
    if (values === OPAQUE) return OPAQUE;
    return [...values.filter(({ property }) => property !== ''), { ...requestValue('body', '', ''), isUsable: false }];
  } catch {
    return OPAQUE;
  }
}

/** @param name In lower case. @returns "" when it is absent. */
export function requestHeader(request: Member, name: string): string {
  const list = request.at('/header')?.value;
  if (typeof list === 'string') return linesIn(list).find((line) => line.name.toLowerCase() === name)?.value ?? '';
  for (const line of Array.isArray(list) ? (list as unknown[]) : []) {
    if (!isObject(line) || typeof line.key !== 'string' || line.key.toLowerCase() !== name) continue;
    if (line.disabled !== true && typeof line.value === 'string') return line.value;
  }
  return '';
}
