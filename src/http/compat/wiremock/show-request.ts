/** Recorded requests in WireMock's two shapes: a logged request, and a serve event around one. */
import { bufferOf } from '../../../base/bytes.ts';
import type { TrafficRecord } from '../../../model/mocks/traffic.ts';
import { stubIdOf } from '../world.ts';
import type { Question } from './question.ts';

/** Ids of serve events are UUIDs: the number of the request in the last group. */
const PREFIX = '00000000-0000-4000-8000-';

function idOfNumber(number: number): string {
  return PREFIX + number.toString(16).padStart(12, '0');
}

export function numberOfId(id: string): number | undefined {
  const [, digits] = new RegExp(`^${PREFIX}([0-9a-f]{12})$`, 'i').exec(id) ?? [];
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

export function loggedRequest({ call }: Pick<Question, 'call'>, record: TrafficRecord): object {
  const { method, path, query, headers, body, time } = record;
  const bytes = bufferOf(body);
  const host = headers.find(({ name }) => name === 'host')?.value ?? call.head.host;
  const [hostname = '', port = '80'] = host.split(/:(?=\d+$)/);
  const url = query === '' ? path : `${path}?${query}`;
  return {
    url,
    absoluteUrl: `http://${host}${url}`,
    method,
    clientIp: '127.0.0.1',
    headers: grouped(headers.map(({ name, value }): [string, string] => [shownName(name), value])),
    cookies: grouped(cookiesOf(record)),
    browserProxyRequest: false,
    loggedDate: time,
    loggedDateString: new Date(time).toISOString(),
    bodyAsBase64: bytes.toString('base64'),
    body: bytes.toString(),
    protocol: 'HTTP/1.1',
    scheme: 'http',
    host: hostname,
    port: Number(port),
    queryParams: parametersOf(query),
    formParams: isForm(record) ? parametersOf(bytes.toString()) : {},
  };
}

export function serveEvent(question: Question, record: TrafficRecord): object {
  const { number, routeId, status, durationMs } = record;
  const wasMatched = routeId !== '';
  const stub = wasMatched ? question.world.get(stubIdOf(routeId)) : undefined;
  const time = Math.round(durationMs);
  return {
    id: idOfNumber(number),
    request: loggedRequest(question, record),
    responseDefinition: stub?.source.response ?? (wasMatched ? { status } : NO_STUB.response),
    response: { status },
    wasMatched,
    timing: { addedDelay: 0, processTime: time, responseSendTime: 0, serveTime: time, totalTime: time },
    subEvents: [],
    ...(stub === undefined && wasMatched ? {} : { stubMapping: stub?.source ?? NO_STUB }),
  };
}

/** The stub of a request that none answered: clients see by it that none did. */
const NO_STUB_ID = idOfNumber(0);
const NO_STUB = { id: NO_STUB_ID, response: { status: 404, fromConfiguredStub: false }, uuid: NO_STUB_ID };

/** Header name in the usual case; names are recorded in lower case. */
function shownName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

function valuesBy(pairs: Iterable<readonly [string, string]>): [name: string, values: string[]][] {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return [...values];
}

/** Groups pairs by name: one value as a string, several as a list. */
function grouped(pairs: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  return Object.fromEntries(
    valuesBy(pairs).map(([name, [first = '', ...more]]) => [name, more.length === 0 ? first : [first, ...more]]),
  );
}

function parametersOf(text: string): Record<string, object> {
  return Object.fromEntries(valuesBy(new URLSearchParams(text)).map(([key, all]) => [key, { key, values: all }]));
}

function isForm({ headers }: TrafficRecord): boolean {
  const type = headers.find(({ name }) => name === 'content-type')?.value ?? '';
  return type.toLowerCase().startsWith('application/x-www-form-urlencoded');
}

function cookiesOf({ headers }: TrafficRecord): [string, string][] {
  return headers
    .filter(({ name }) => name === 'cookie')
    .flatMap(({ value }) => value.split(';'))
    .flatMap((pair): [string, string][] => {
      const equals = pair.indexOf('=');
      return equals === -1 ? [] : [[pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()]];
    });
}
