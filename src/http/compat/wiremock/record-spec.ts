/** Options of a recording. Refuses unsupported options by name. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { ExtractCriteria } from '../../../interchange/formats/wiremock/extracted-bodies.ts';
import type { BodyPattern, RecordOptions } from '../../../interchange/formats/wiremock/recorded-stubs.ts';
import { fail, Failure } from './errors.ts';

export interface RecordSpec extends RecordOptions {
  /** Undefined where what other stubs send on is recorded. */
  readonly targetBaseUrl: string | undefined;
  /** Filters like the request of a stub; undefined: all requests. */
  readonly filters: JsonObject | undefined;
  readonly extract: ExtractCriteria;
  readonly onlyIds: boolean;
}

/** WireMock's options that are not supported, and what to do instead. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['/transformers', 'change the returned stubs, with PUT /mappings/{id}'],
  ['/transformerParameters', 'change the returned stubs, with PUT /mappings/{id}'],
  ['/filters/ids', 'filter by url, method, headers or bodyPatterns'],
  ['/filters/allowNonProxied', 'only proxied requests are recorded'],
]);

const KNOWN: ReadonlySet<string> = new Set([
  'targetBaseUrl',
  'filters',
  'captureHeaders',
  'extractBodyCriteria',
  'requestBodyPattern',
  // As Java's client names it.
  'requestBodyPatternFactory',
  'outputFormat',
  'persist',
  'repeatsAsScenarios',
]);
const MATCHERS: ReadonlySet<unknown> = new Set(['auto', 'equalTo', 'equalToJson']);
const FLAGS = ['caseInsensitive', 'ignoreArrayOrder', 'ignoreExtraElements'] as const;

export function readSpec(body: JsonObject): RecordSpec | Failure {
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  const { targetBaseUrl = '', filters = {}, captureHeaders = {}, outputFormat = 'full' } = given;
  const { persist = true, repeatsAsScenarios = true } = given;
  if (!isObject(filters)) return invalid('/filters', 'it is an object');
  const places = [...placed('', given), ...placed('/filters', filters)];
  for (const [pointer, value] of places) {
    const instead = UNSUPPORTED.get(pointer);
    if (instead !== undefined && !isNothing(value))
      return fail(422, `${pointer.split('/').at(-1)} is not supported`, `${instead}. See docs/compat.md`, pointer);
  }
  const unknown = Object.keys(given).find((name) => !KNOWN.has(name) && !UNSUPPORTED.has(`/${name}`));
  if (unknown !== undefined) return invalid(`/${unknown}`, `Unrecognized field ${JSON.stringify(unknown)}`);
  if (typeof targetBaseUrl !== 'string') return invalid('/targetBaseUrl', 'it is a URL');
  const captured = headersIn(captureHeaders);
  if (captured === undefined) return invalid('/captureHeaders', 'it is an object of objects with `caseInsensitive`');
  const { requestBodyPatternFactory, requestBodyPattern = requestBodyPatternFactory ?? {} } = given;
  const bodyPattern = bodyPatternIn(requestBodyPattern);
  if (bodyPattern instanceof Failure) return bodyPattern;
  const extract = criteriaIn(given.extractBodyCriteria ?? {});
  if (extract instanceof Failure) return extract;
  const format = String(outputFormat).toLowerCase();
  if (format !== 'full' && format !== 'ids') return invalid('/outputFormat', 'it is full or ids');
  if (typeof persist !== 'boolean') return invalid('/persist', 'it is true or false');
  if (typeof repeatsAsScenarios !== 'boolean') return invalid('/repeatsAsScenarios', 'it is true or false');
  const { ids: _ids, allowNonProxied: _all, ...pattern } = filters;
  const wanted = Object.fromEntries(Object.entries(pattern).filter(([, value]) => value !== null));
  return {
    targetBaseUrl: targetBaseUrl === '' ? undefined : targetBaseUrl,
    filters: Object.keys(wanted).length === 0 ? undefined : wanted,
    captureHeaders: captured,
    bodyPattern,
    extract,
    onlyIds: format === 'ids',
    persist,
    repeatsAsScenarios,
  };
}

function placed(at: string, object: JsonObject): [pointer: string, value: unknown][] {
  return Object.entries(object).map(([name, value]) => [`${at}/${name}`, value]);
}

/** Clients write what they do not use, too. */
function isNothing(value: unknown): boolean {
  return value === null || value === false || (typeof value === 'object' && Object.keys(value).length === 0);
}

function headersIn(given: unknown): RecordOptions['captureHeaders'] | undefined {
  if (!isObject(given)) return undefined;
  const headers: Record<string, { caseInsensitive?: boolean }> = {};
  for (const [name, options] of Object.entries(given)) {
    if (!isObject(options)) return undefined;
    const { caseInsensitive = null, ...others } = options;
    if (Object.keys(others).length > 0 || (caseInsensitive !== null && typeof caseInsensitive !== 'boolean'))
      return undefined;
    headers[name] = caseInsensitive === null ? {} : { caseInsensitive };
  }
  return headers;
}

function bodyPatternIn(given: unknown): BodyPattern | Failure {
  const at = '/requestBodyPattern';
  if (!isObject(given)) return invalid(at, 'it is an object');
  const { matcher = 'auto', ...options } = given;
  if (matcher === 'equalToXml')
    return fail(422, 'equalToXml is not supported', 'remove it: XML bodies are compared as text', `${at}/matcher`);
  if (!MATCHERS.has(matcher)) return invalid(`${at}/matcher`, 'it is auto, equalTo or equalToJson');
  const flags: Partial<Record<(typeof FLAGS)[number], boolean>> = {};
  for (const [name, value] of Object.entries(options)) {
    const flag = FLAGS.find((each) => each === name);
    if (flag === undefined) return invalid(`${at}/${name}`, `Unrecognized field ${JSON.stringify(name)}`);
    if (value !== null && typeof value !== 'boolean') return invalid(`${at}/${name}`, 'it is true or false');
    if (value !== null) flags[flag] = value;
  }
  return { matcher: matcher as BodyPattern['matcher'], ...flags };
}

function criteriaIn(given: unknown): ExtractCriteria | Failure {
  const at = '/extractBodyCriteria';
  if (!isObject(given)) return invalid(at, 'it is an object');
  const { textSizeThreshold, binarySizeThreshold, ...others } = given;
  const [textChars, binaryBytes] = [sizeIn(textSizeThreshold), sizeIn(binarySizeThreshold)];
  if (Object.keys(others).length > 0 || textChars === undefined || binaryBytes === undefined)
    return invalid(at, 'it has sizes such as 10240 or "10 kb" as textSizeThreshold and binarySizeThreshold');
  return { textChars, binaryBytes };
}

const UNITS = ['', 'k', 'm', 'g'];

function sizeIn(given: unknown): number | undefined {
  if (given === undefined || given === null) return Infinity;
  if (typeof given !== 'number' && typeof given !== 'string') return undefined;
  const [, count, unit = ''] = /^([\d.,]+)\s*([kmg]?)b?$/i.exec(String(given).trim()) ?? [];
  const bytes = Number(count?.replaceAll(',', '.')) * 1_024 ** UNITS.indexOf(unit.toLowerCase());
  return Number.isNaN(bytes) ? undefined : Math.round(bytes);
}

/** The answer of WireMock to a body that it cannot parse. */
function invalid(pointer: string, detail: string): Failure {
  return new Failure(422, [{ code: 10, source: { pointer }, title: 'Error parsing JSON', detail }]);
}
