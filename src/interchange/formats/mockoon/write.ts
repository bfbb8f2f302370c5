/** A mock as an environment of Mockoon, of its newest version. What it has no place for is reported. */
import { whenOf } from '../../../model/mocks/sockets/socket.ts';
import { streamAsBody } from '../stream-as-body.ts';
import { createHash } from 'node:crypto';
import {
  METHOD_ANY,
  type HeaderEdit,
  type MockResponse,
  type MockRoute,
  type MockSettings,
} from '../../../model/mocks/definition/definition.ts';
import type { NamedDefinition } from '../../format.ts';
import type { Item, ReportWriter } from '../../report/report.ts';
import { listedRoutes } from '../../stubs/listed-routes.ts';
import { writtenCallback, type WrittenCallback } from './write-callback.ts';
import { latencyOf } from './write-latency.ts';
import { writtenPath } from './write-path.ts';
import { writtenRules, type Schemas } from './write-rules.ts';
import { writtenTemplate } from './write-template.ts';

const VERSION = 33;
const METHODS: ReadonlySet<string> = new Set(
  'GET POST PUT PATCH DELETE HEAD OPTIONS PROPFIND PROPPATCH MOVE COPY MKCOL LOCK UNLOCK'.split(' '),
);
const MODES: Readonly<Record<string, string>> = {
  random: 'RANDOM',
  sequential: 'SEQUENTIAL',
  default: 'DISABLE_RULES',
};

/** @returns The text of the environment, which ends with a newline. */
export function writeMockoon({ name, definition }: NamedDefinition, report: ReportWriter): string {
  const mock = report.item('mock');
  const { settings, routes } = definition;
  noteSettings(mock, settings);
  for (const route of routes)
    if (!route.enabled) report.item('route').note('mockoon-export.disabled', undefined, route.path);
  const schemas: Schemas = new Map();
  const callbacks: WrittenCallback[] = [];
  const keys = new Map((settings.stores ?? []).map(({ name: store, idMember = 'id' }) => [store, idMember]));
  const written = listedRoutes(definition).flatMap((route) => routeOf(route, { schemas, callbacks, keys }, report));
  const environment = {
    uuid: uuidOf('environment', name),
    lastMigration: VERSION,
    name,
    endpointPrefix: '',
    latency: latencyOf(settings.latency, mock),
    port: 3000,
    hostname: '',
    folders: [],
    routes: written,
    rootChildren: written.map(({ uuid }) => ({ type: 'route', uuid })),
    ...proxyOf(settings, mock),
    proxyRemovePrefix: false,
    tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
    cors: settings.cors,
    headers: headersOf(settings.headers ?? []),
    data: [
      ...bucketsOf(settings.variables ?? {}),
      ...bucketsOf(Object.fromEntries(schemas)),
      ...(settings.stores ?? []).map(({ name: id, value, templated }) =>
        bucketOf(
          id,
          templated === undefined ? value : undefined,
          templated === undefined ? undefined : writtenTemplate(String(value), mock),
        ),
      ),
    ],
    callbacks: callbacks.map(({ written: each }) => each),
  };
  return `${JSON.stringify(environment, undefined, 2)}\n`;
}

/** Settings that Mockoon has no place for, and what they usually are. */
const SETTINGS_LOST: Readonly<
  Record<
    Exclude<
      keyof MockSettings,
      'cors' | 'latency' | 'precedence' | 'headers' | 'variables' | 'traffic' | 'proxy' | 'stores'
    >,
    unknown
  >
> = {
  seed: null,
  forced: false,
  faults: undefined,
  rateLimit: undefined,
  scenarios: undefined,
  sessions: undefined,
  clock: undefined,
  debugHeaders: undefined,
};

function noteSettings(mock: Item, settings: MockSettings): void {
  for (const [name, usual] of Object.entries(SETTINGS_LOST))
    if (settings[name as keyof MockSettings] !== usual) mock.note('mockoon-export.settings', undefined, name);
}

/** What no route answers may be sent on; it is the last thing that is tried. */
function proxyOf(settings: MockSettings, mock: Item): object {
  const { proxy } = settings;
  const isSent = proxy !== undefined && proxy !== null && proxy.when !== 'never';
  const lines = (edits: readonly HeaderEdit[] = []): object[] =>
    headersOf(edits.flatMap(({ name, value }) => (value === null ? [] : [{ name, value }])));
  if (isSent) {
    const { when, timeoutMs, host, record, requestHeaders = [], responseHeaders = [] } = proxy;
    const removed = [...requestHeaders, ...responseHeaders].filter(({ value }) => value === null);
    const others = [
      'redirects of the upstream are passed on as they are',
      ...(when === 'always' ? ['routes answer before it'] : []),
      ...(timeoutMs === undefined ? [] : ['timeoutMs']),
      ...(host === 'keep' ? ['host'] : []),
      ...(record === true ? ['record'] : []),
      ...removed.map(({ name }) => `${name} is not removed`),
    ];
    for (const each of others) mock.note('mockoon-export.proxy', undefined, each);
  }
  return {
    proxyMode: isSent,
    proxyHost: isSent ? proxy.upstream : '',
    proxyReqHeaders: isSent ? lines(proxy.requestHeaders) : [],
    proxyResHeaders: isSent ? lines(proxy.responseHeaders) : [],
  };
}

interface Route {
  readonly uuid: string;
}

/** What responses need of the environment. */
interface Shared {
  readonly schemas: Schemas;
  readonly callbacks: WrittenCallback[];
  /** Members that name the items of stores. */
  readonly keys: ReadonlyMap<string, string>;
}

function routeOf(route: MockRoute, shared: Shared, report: ReportWriter): Route[] {
  const { id, kind, method, path, description, selection, otherwise } = route;
  const item = report.item('route');
  item.target.routeId = id;
  const responses = kind === 'ws' ? socketResponses(route, item) : route.responses;
  const isStreaming = kind === 'ws' && responses.some(({ when }) => when === 'tick');
  const endpoint = writtenPath(route, item);
  if (method !== METHOD_ANY && !METHODS.has(method)) item.note('mockoon-export.method', undefined, method);
  if (endpoint === undefined) item.note('mockoon-export.path', undefined, path);
  const usesRules = selection === 'rules';
  const crud =
    route.kind === 'crud' ? { bucket: route.store ?? '', key: shared.keys.get(route.store ?? '') ?? 'id' } : undefined;
  const written = responses.flatMap((response, index) =>
    responseOf(response, usesRules, shared, id, report, index === responses.length - 1 ? crud : undefined),
  );
  if (selection === 'random' && new Set(responses.map(({ weight }) => weight)).size > 1)
    item.note('mockoon-export.weights');
  if (item.level === 'dropped' || endpoint === undefined || written.length === 0) return [];
  return [
    {
      uuid: uuidOf('route', id),
      type: kind ?? 'http',
      documentation: description,
      method: kind !== undefined ? '' : method === METHOD_ANY ? 'all' : method.toLowerCase(),
      endpoint,
      responses: withDefault(written, otherwise === 'next'),
      responseMode: otherwise === 'next' ? 'FALLBACK' : (MODES[selection] ?? null),
      streamingMode: isStreaming ? (route.tickTo === 'all' ? 'BROADCAST' : 'UNICAST') : null,
      streamingInterval: isStreaming ? (route.tickMs ?? 0) : 0,
    } as Route,
  ];
}

/** Replies to messages, or else to ticks: Mockoon has no others. */
function socketResponses({ responses, protocols, compress }: MockRoute, item: Item): readonly MockResponse[] {
  const messages = responses.filter((response) => whenOf(response) === 'message');
  const ticks = responses.filter(({ when }) => when === 'tick');
  const written = messages.length > 0 ? messages : ticks;
  const lost = [
    ...(written.length < responses.length ? ['replies to handshakes, or to ticks beside messages'] : []),
    ...(protocols === undefined ? [] : ['protocols']),
    ...(compress === true ? ['compress'] : []),
    ...(written.some(({ to }) => to !== undefined) ? ['to'] : []),
    ...(written.some(({ close }) => close !== undefined) ? ['close'] : []),
  ];
  for (const each of lost) item.note('mockoon-export.websocket', undefined, each);
  return written;
}

interface Response {
  readonly default: boolean;
  readonly rules: readonly object[];
}

/** As ours are chosen: the default, else the first without conditions, else the first. */
function withDefault(responses: readonly Response[], isHandedOn: boolean): readonly Response[] {
  if (isHandedOn) return responses.map((each) => ({ ...each, default: false }));
  const marked = responses.findIndex((each) => each.default);
  const plain = responses.findIndex(({ rules }) => rules.length === 0);
  const at = marked === -1 ? Math.max(0, plain) : marked;
  return responses.map((each, index) => ({ ...each, default: index === at }));
}

const BEHAVIOUR = ['fault', 'delivery', 'scenario', 'proxy', 'store'] as const;

function responseOf(
  given: MockResponse,
  usesRules: boolean,
  { schemas, callbacks }: Shared,
  routeId: string,
  report: ReportWriter,
  crud: { readonly bucket: string; readonly key: string } | undefined,
): Response[] {
  const response = streamAsBody(given);
  const { id, label, status, headers, body, bodyEncoding, rules, rulesOperator, templated } = response;
  const item = report.item('response');
  if (given.stream !== undefined) item.note('mockoon-export.stream');
  Object.assign(item.target, { routeId, responseId: id });
  if (BEHAVIOUR.some((name) => response[name] !== undefined)) item.note('mockoon-export.behaviour');
  if (bodyEncoding === 'base64' && body !== '') item.note('mockoon-export.binary');
  const written = usesRules ? writtenRules(rules, rulesOperator, schemas) : { rules: [], operator: 'OR' };
  if (typeof written === 'string') {
    item.note('mockoon-export.rule', undefined, written);
    return [];
  }
  const texts = [body, ...headers.map(({ value }) => value)];
  const hasBraces = texts.some((text) => text.includes('{{'));
  const shown = (text: string): string => (templated === false ? text : writtenTemplate(text, item));
  const isPlain = templated === false && hasBraces;
  const own = (response.callbacks ?? []).flatMap((callback, index) =>
    writtenCallback(callback, uuidOf('callback', routeId, id, String(index)), isPlain, item),
  );
  callbacks.push(...own);
  return [
    {
      uuid: uuidOf('response', routeId, id),
      body: shown(body),
      latency: latencyOf(response.latency, item),
      statusCode: status,
      label,
      headers: headersOf(headers.map(({ name, value }) => ({ name, value: shown(value) }))),
      bodyType: crud === undefined ? 'INLINE' : 'DATABUCKET',
      filePath: '',
      databucketID: crud?.bucket ?? '',
      sendFileAsBody: false,
      rules: written.rules,
      rulesOperator: written.operator,
      disableTemplating: isPlain,
      fallbackTo404: false,
      default: response.default || crud !== undefined,
      crudKey: crud?.key ?? 'id',
      callbacks: own.map(({ uuid, latency }) => ({ uuid, latency })),
    } as Response,
  ];
}

function headersOf(headers: readonly { readonly name: string; readonly value: string }[]): object[] {
  return headers.map(({ name, value }) => ({ key: name, value }));
}

/** A bucket for each value, which templates and rules name. */
function bucketsOf(values: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(values).map(([name, value]) => bucketOf(name, value));
}

/** @param text In place of a value: a template. */
function bucketOf(name: string, value: unknown, text?: string): object {
  return {
    uuid: uuidOf('bucket', name),
    id: name,
    name,
    documentation: '',
    value: value === undefined ? (text ?? '') : JSON.stringify(value),
  };
}

/** The same at each export. */
function uuidOf(...parts: readonly string[]): string {
  const digits = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
