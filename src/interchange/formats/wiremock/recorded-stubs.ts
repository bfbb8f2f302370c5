/**
 * Exchanges with another server as stubs, in the shapes that WireMock's recorder gives them. What was replaced since it was a credential
 * is not compared: no client sends it.
 */
import { isRedacted, REDACTED_VALUES } from '../../../base/credentials.ts';
import type { JsonObject } from '../../../base/json-object.ts';
import { essenceOf } from '../../../base/content-type.ts';
import { PATTERN_CHARS_MAX } from '../../../limits.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import type { RecordedExchange } from '../../../model/mocks/upstream/recording.ts';
import { headerOf } from '../../exchanges/reply-headers.ts';
import { escapePattern } from '../../stubs/stub-path.ts';

export interface RecordOptions {
  /** Names of headers of requests that stubs require. */
  readonly captureHeaders: Readonly<Record<string, { readonly caseInsensitive?: boolean }>>;
  readonly bodyPattern: BodyPattern;
  /** Whether requests that come again get one answer after the other; else they get the newest. */
  readonly repeatsAsScenarios: boolean;
  readonly persist: boolean;
}

export interface BodyPattern {
  readonly matcher: 'auto' | 'equalTo' | 'equalToJson';
  readonly caseInsensitive?: boolean;
  readonly ignoreArrayOrder?: boolean;
  readonly ignoreExtraElements?: boolean;
}

/** One that was answered to its end. */
export type AnsweredExchange = RecordedExchange & { readonly response: NonNullable<RecordedExchange['response']> };

/** @param exchanges Newest first. @returns Stubs in that order. */
export function recordedStubs(
  exchanges: readonly AnsweredExchange[],
  options: RecordOptions,
  newId: () => string,
): readonly JsonObject[] {
  const groups = new Map<string, JsonObject[]>();
  const stubs: JsonObject[] = [];
  for (const exchange of exchanges) {
    const stub = stubOf(exchange, options, newId());
    const key = JSON.stringify(stub.request);
    const same = groups.get(key);
    if (same !== undefined && !options.repeatsAsScenarios) continue;
    groups.set(key, [...(same ?? []), stub]);
    stubs.push(stub);
  }
  const steps = stepsOf([...groups.values()].filter(({ length }) => length > 1));
  return stubs.map((stub) => ({ ...stub, ...steps.get(stub) }));
}

const SCENARIO_CHARS_MAX = 80;

/** @param groups Stubs of one request each, newest first. */
function stepsOf(groups: readonly (readonly JsonObject[])[]): ReadonlyMap<JsonObject, JsonObject> {
  const steps = new Map<JsonObject, JsonObject>();
  for (const [index, group] of groups.entries()) {
    const { url, urlPath, urlPathPattern } = (group[0] as JsonObject).request as Record<string, string | undefined>;
    const [path] = (url ?? urlPath ?? urlPathPattern ?? '').split('?') as [string];
    const parts = path.split('/').filter((part) => part !== '');
    const scenarioName = `scenario-${index + 1}-${parts.join('-')}`.slice(0, SCENARIO_CHARS_MAX);
    for (const [at, stub] of group.toReversed().entries()) {
      const next = at + 1 < group.length ? { newScenarioState: `${scenarioName}-${at + 2}` } : {};
      const state = at === 0 ? 'Started' : `${scenarioName}-${at + 1}`;
      steps.set(stub, { scenarioName, requiredScenarioState: state, ...next });
    }
  }
  return steps;
}

function stubOf(exchange: AnsweredExchange, options: RecordOptions, id: string): JsonObject {
  const { method, path, query, request, response } = exchange;
  const headers = capturedHeaders(request.headers, options.captureHeaders);
  const bodyPatterns = bodyPatternsOf(request, options.bodyPattern);
  return {
    id,
    name: nameOf(path),
    request: { ...urlOf(path, query), method, ...headers, ...bodyPatterns },
    response: responseOf(response),
    uuid: id,
    ...(options.persist ? { persistent: true } : {}),
  };
}

function nameOf(path: string): string {
  const text = decoded(path)
    .replaceAll(/^\/+|\/+$/g, '')
    .normalize('NFD')
    .toLowerCase();
  return text
    .replaceAll('/', '_')
    .replaceAll(/\s+/g, '-')
    .replaceAll(/[^\w.-]/g, '');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** WireMock compares parameters one by one; several values of one name have no matcher here, and are compared as they were sent. */
function urlOf(path: string, query: string): JsonObject {
  if (query === '') return isRedacted(path) ? { urlPathPattern: patternOf(path) } : { url: path };
  const parameters = [...new URLSearchParams(query)];
  const isRepeated = new Set(parameters.map(([name]) => name)).size < parameters.length;
  if (isRepeated && !isRedacted(path + query)) return { url: `${path}?${query}` };
  return {
    ...(isRedacted(path) ? { urlPathPattern: patternOf(path) } : { urlPath: path }),
    queryParameters: Object.fromEntries(
      parameters.map(([name, value]) => [
        name,
        isRedacted(value) ? textMatcher(value) : { hasExactly: [{ equalTo: value }] },
      ]),
    ),
  };
}

function capturedHeaders(lines: readonly HeaderLine[], wanted: RecordOptions['captureHeaders']): JsonObject {
  const captured = Object.entries(wanted).flatMap(([name, options]) => {
    const value = headerOf(lines, name.toLowerCase());
    return value === undefined ? [] : [[name, textMatcher(value, options.caseInsensitive)] as const];
  });
  return captured.length === 0 ? {} : { headers: Object.fromEntries(captured) };
}

/** @param caseInsensitive Absent in the matcher where it is undefined. */
function textMatcher(value: string, caseInsensitive?: boolean): JsonObject {
  if (isRedacted(value)) {
    const pattern = `${caseInsensitive === true ? '(?i)' : ''}${patternOf(value)}`;
    if (pattern.length <= PATTERN_CHARS) return { matches: pattern };
    const parts = value.split(REDACTED_VALUES).filter((part) => part !== '');
    return { and: parts.map((part) => ({ contains: part })) };
  }
  return { equalTo: value, ...(caseInsensitive === undefined ? {} : { caseInsensitive }) };
}

/** A longer one is more than a mock may hold, once it matches the whole value. */
const PATTERN_CHARS = PATTERN_CHARS_MAX - '^(?:)$'.length;

function patternOf(text: string): string {
  return text.split(REDACTED_VALUES).map(escapePattern).join('.*');
}

function bodyPatternsOf({ headers, body, bodyEncoding }: RecordedExchange['request'], wanted: BodyPattern): JsonObject {
  if (body === '') return {};
  const { matcher, caseInsensitive, ignoreArrayOrder, ignoreExtraElements } = wanted;
  const isAuto = matcher === 'auto';
  const type = essenceOf(headerOf(headers, 'content-type') ?? '');
  // As WireMock has it: the boundary is another one each time.
  if (isAuto && type === 'multipart/form-data') return { bodyPatterns: [{ anything: 'anything' }] };
  if (bodyEncoding === 'base64') return { bodyPatterns: [{ binaryEqualTo: body }] };
  const isJson = isAuto ? type.includes('json') : matcher === 'equalToJson';
  const json = isJson ? jsonMatcher(body) : undefined;
  if (json === undefined) return { bodyPatterns: [textMatcher(body, caseInsensitive ?? (isAuto ? false : undefined))] };
  const order = ignoreArrayOrder ?? (isAuto ? true : undefined);
  const extra = ignoreExtraElements ?? (isAuto ? true : undefined);
  const given = {
    ...(order === undefined ? {} : { ignoreArrayOrder: order }),
    ...(extra === undefined ? {} : { ignoreExtraElements: extra }),
  };
  return { bodyPatterns: [{ ...given, ...json }] };
}

/** Where a credential is left out of what is compared, others may be there. */
function jsonMatcher(text: string): JsonObject | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRedacted(text)) return { equalToJson: text };
  const known = withoutRedacted(value);
  if (known === undefined) return { anything: 'anything' };
  return { equalToJson: JSON.stringify(known), ignoreArrayOrder: true, ignoreExtraElements: true };
}

function withoutRedacted(value: unknown): unknown {
  if (typeof value === 'string') return isRedacted(value) ? undefined : value;
  if (Array.isArray(value)) return value.map(withoutRedacted).filter((each) => each !== undefined);
  if (typeof value !== 'object' || value === null) return value;
  // JSON leaves out what is undefined.
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutRedacted(each)]));
}

const FRAMING: ReadonlySet<string> = new Set(['content-encoding', 'content-length', 'transfer-encoding']);

function responseOf({ status, headers, body, bodyEncoding }: AnsweredExchange['response']): JsonObject {
  const values = new Map<string, string[]>();
  for (const { name, value } of headers) {
    if (FRAMING.has(name.toLowerCase())) continue;
    const known = [...values.keys()].find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
    values.set(known, [...(values.get(known) ?? []), value]);
  }
  const lines = [...values].map(([name, all]) => [name, all.length === 1 ? all[0] : all]);
  return {
    status,
    ...(body === '' ? {} : bodyEncoding === 'base64' ? { base64Body: body } : { body }),
    ...(lines.length === 0 ? {} : { headers: Object.fromEntries(lines) }),
  };
}
