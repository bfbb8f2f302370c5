/** Responses of a stub, which answer in turn, with the default of their imposter where they leave something out. */
import { printJson } from '../../../base/written-numbers.ts';
import { asBase64 } from '../../../base/base64.ts';
import { isObject } from '../../../base/json-object.ts';
import type { HeaderLine } from '../../../model/mocks/definition/definition.ts';
import { headerLines } from '../../exchanges/header-lines.ts';
import { printed, scalarText, toNumber } from '../../reading/members.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import type { StubResponse } from '../../stubs/stub.ts';
import { readBehaviors } from './behaviors.ts';
import { readProxy } from './proxy.ts';

type Value = Readonly<Record<string, unknown>>;

/** Answer without a stub, and members that stubs leave out. */
export class DefaultResponse {
  readonly #value: Value;
  readonly #item: Item;
  readonly #report: ReportWriter;

  /** @param source Its members are those of `is`. */
  constructor(source: Member | undefined, item: Item, report: ReportWriter) {
    this.#value = (source?.whole() ?? {}) as Value;
    this.#item = item;
    this.#report = report;
  }

  response(): StubResponse {
    return this.merged({}, this.#item);
  }

  /** @param is An empty text, and 0, count as left out. */
  merged(is: Value, item: Item): StubResponse {
    const other = this.#value;
    const mode = is['_mode'] || other['_mode'];
    const body = bodyText(is.body || other.body || '');
    const isBinary = mode === 'binary';
    if (isBinary && asBase64(body) === undefined) item.count('mountebank.base64');
    return {
      status: toNumber(is.statusCode || other.statusCode || 200),
      headers: readHeaders(is.headers ?? other.headers ?? {}, item, this.#report),
      body: isBinary ? Buffer.from(body, 'base64').toString('base64') : body,
      ...(isBinary ? { bodyEncoding: 'base64' } : {}),
    };
  }
}

function bodyText(body: unknown): string {
  return typeof body === 'string' ? body : isObject(body) ? printJson(body, 4) : bodyOther(body);
}

/** Lists are joined with commas, as other values are printed. */
function bodyOther(body: unknown): string {
  return Array.isArray(body) ? printJson(body, 4) : printed(body);
}

function readHeaders(headers: unknown, item: Item, report: ReportWriter): HeaderLine[] {
  if (!isObject(headers)) return [];
  return Object.entries(headers).flatMap(([name, values]) =>
    headerLines(name, [values].flat().map(printed), { format: 'mountebank', item, report }),
  );
}

const FAULTS: ReadonlyMap<unknown, string> = new Map([
  ['CONNECTION_RESET_BY_PEER', 'reset'],
  ['RANDOM_DATA_THEN_CLOSE', 'garbage'],
]);

const KNOWN: ReadonlySet<string> = new Set([
  'is',
  'proxy',
  'inject',
  'fault',
  '_behaviors',
  'behaviors',
  'repeat',
  '_links',
  '_proxyResponseTime',
  'comment',
]);
const REPEATS_MAX = 100;

/** @returns undefined when one cannot be expressed: without it the others would come too early. */
export function readResponses(
  sources: readonly Member[],
  fallback: DefaultResponse,
  item: Item,
  report: ReportWriter,
): readonly StubResponse[] | undefined {
  const responses: StubResponse[] = [];
  let isSaid = true;
  for (const source of sources) {
    for (const name of source.names()) if (KNOWN.has(name)) source.get(name)?.whole();
    const made = responseOf(source.value as Value, source, fallback, item, report);
    if (made === undefined) isSaid = false;
    else responses.push(...made);
  }
  if (sources.length === 0) return [fallback.response()];
  return isSaid ? responses : undefined;
}

function responseOf(
  value: Value,
  source: Member,
  fallback: DefaultResponse,
  item: Item,
  report: ReportWriter,
): readonly StubResponse[] | undefined {
  const { is, fault, proxy, inject } = value;
  if (inject !== undefined) {
    item.note('mountebank.script', source);
    return undefined;
  }
  const kind = FAULTS.get(fault);
  if (fault !== undefined && kind === undefined) item.count('mountebank.fault');
  if (kind === 'reset') item.note('mountebank.connection', source, scalarText(fault));
  const forward = proxy === undefined ? undefined : readProxy(source.at('/proxy') as Member, item, report);
  if (proxy !== undefined && forward === undefined) return undefined;
  const plain =
    forward === undefined
      ? fallback.merged(isObject(is) ? is : {}, item)
      : { forward, ...(forward.path === undefined ? {} : { templated: true }) };
  const made = readBehaviors(value, plain, source, item);
  if (made === undefined) return undefined;
  const whole = kind === undefined ? made.response : { ...made.response, fault: { kind } };
  report.itemOf(source);
  return Array.from({ length: Math.min(REPEATS_MAX, made.repeat) }, () => whole);
}
