/** The responses of a route as those of an OpenAPI operation: by status, then by media type, then as named examples. */
import { parseWritten } from '../../source/parse-source.ts';
import { printJson } from '../../../base/written-numbers.ts';
import { streamAsBody } from '../stream-as-body.ts';
import { essenceOf } from '../../../base/content-type.ts';
import type { HeaderLine, MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { headerOf } from '../../exchanges/reply-headers.ts';
import type { Item, ReportWriter } from '../../report/report.ts';

/** Statuses without a body in HTTP. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

interface Media {
  readonly examples: Map<string, { readonly value: unknown }>;
}

interface Status {
  description: string;
  readonly headers: Map<string, HeaderLine>;
  readonly content: Map<string, Media>;
}

/** @param item The item of the route. @returns The value of `responses`. */
export function responsesOf(route: MockRoute, report: ReportWriter, item: Item): object {
  const byStatus = new Map<number, Status>();
  for (const response of route.responses) {
    const own = report.item('response');
    Object.assign(own.target, { routeId: route.id, responseId: response.id });
    writeResponse(response, own, byStatus);
  }
  if (route.selection === 'rules' && usualOf(route) !== expectedOf(route)) item.note('openapi-export.order');
  return Object.fromEntries([...byStatus].map(([status, written]) => [String(status), statusObject(written)]));
}

/** The response to a request that no rules hold for. */
function usualOf({ responses }: MockRoute): MockResponse | undefined {
  return responses.find((each) => each.default) ?? responses.find(({ rules }) => rules.length === 0) ?? responses[0];
}

/**
 * The response that readers of the document expect: the first of the lowest status that is a success; undefined where it
 * depends on the media type.
 */
function expectedOf({ responses }: MockRoute): MockResponse | undefined {
  const statuses = responses.map(({ status }) => status).toSorted((one, other) => one - other);
  const status = statuses.find((each) => each < 300) ?? statuses[0];
  const candidates = responses.filter((response) => response.status === status);
  const types = new Set(candidates.map(({ headers }) => headerOf(headers, 'content-type')));
  return types.size === 1 ? candidates[0] : undefined;
}

function writeResponse(given: MockResponse, item: Item, byStatus: Map<number, Status>): void {
  const response = streamAsBody(given);
  if (given.stream !== undefined) item.note('openapi-export.stream');
  const { status, label, latency, fault, delivery, scenario, proxy } = response;
  const known = byStatus.get(status);
  const written = known ?? { description: label, headers: new Map(), content: new Map() };
  byStatus.set(status, written);
  if (latency !== 0) item.note('openapi-export.latency');
  if (fault !== undefined) item.note('openapi-export.fault');
  if (delivery !== undefined) item.note('openapi-export.delivery');
  if (proxy !== undefined) item.note('openapi-export.proxy');
  if (scenario !== undefined) item.note('openapi-export.scenario');
  if (response.callbacks !== undefined) item.note('openapi-export.callback');
  if (response.templated) item.note('openapi-export.template');
  if (!writeHeaders(response.headers, written.headers, known === undefined)) item.note('openapi-export.header');
  const contentType = headerOf(response.headers, 'content-type');
  const hasContent = contentType !== undefined || response.body !== '';
  if (known !== undefined && (!hasContent || known.content.size === 0)) item.note('openapi-export.bodiless');
  if (!hasContent) return;
  // A document that has one is read as if it had none.
  if (BODILESS.has(status)) return item.note('openapi-export.body');
  if (contentType === undefined) item.note('openapi-export.media-type');
  const type = contentType ?? 'application/octet-stream';
  const media = written.content.get(type) ?? { examples: new Map() };
  written.content.set(type, media);
  const name = nameFor(label, media.examples);
  if (label !== '' && name !== label) item.note('openapi-export.label');
  media.examples.set(name, { value: exampleOf(response, essenceOf(type), item) });
}

/** @returns Whether the status has exactly these headers now. */
function writeHeaders(lines: readonly HeaderLine[], headers: Map<string, HeaderLine>, isFirst: boolean): boolean {
  const own = lines.filter(({ name }) => name.toLowerCase() !== 'content-type');
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  let isSame = names.size === own.length && (isFirst || names.size === headers.size);
  for (const line of own) {
    const known = headers.get(line.name.toLowerCase());
    if (known === undefined) headers.set(line.name.toLowerCase(), line);
    isSame &&= known === undefined ? isFirst : known.value === line.value;
  }
  return isSame;
}

/** An object has names that are integers before all others. */
const INTEGER = /^\d+$/;

function nameFor(label: string, taken: ReadonlyMap<string, unknown>): string {
  const base = label === '' || INTEGER.test(label) ? `example${label}` : label;
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base} ${number}`;
  return name;
}

export function exampleOf(
  { body, bodyEncoding }: Pick<MockResponse, 'body' | 'bodyEncoding'>,
  type: string,
  item: Item,
): unknown {
  if (bodyEncoding === 'base64') {
    item.note('openapi-export.binary');
    return body;
  }
  if (!/[/+]json$/.test(type)) return body;
  try {
    const value = parseWritten(body);
    if (printJson(value) !== body) item.note('openapi-export.body');
    return value;
  } catch {
    item.note('openapi-export.body');
    return body;
  }
}

function statusObject({ description, headers, content }: Status): object {
  return {
    description,
    ...(headers.size === 0
      ? {}
      : {
          headers: Object.fromEntries(
            [...headers.values()].map(({ name, value }) => [name, { schema: { type: 'string' }, example: value }]),
          ),
        }),
    ...(content.size === 0
      ? {}
      : {
          content: Object.fromEntries(
            [...content].map(([type, { examples }]) => [type, { examples: Object.fromEntries(examples) }]),
          ),
        }),
  };
}
