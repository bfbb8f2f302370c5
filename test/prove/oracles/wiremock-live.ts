/** WireMock's admin interface in front of sessions, beside WireMock's own: stubs, proxies, scenarios, requests, counts and recordings. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from '../../../src/base/seeded-draw.ts';
import type { Asked } from './oracle.ts';
import { pick } from './oracle.ts';
import type { Change, Live } from './live.ts';
import { wiremock } from './wiremock.ts';

const SETTINGS = { precedence: 'listed', cors: false, sessions: 'auto' };

export const wiremockLive: Live = {
  oracle: wiremock,
  async open(server, original, key, number) {
    realUrl ??= await startReal();
    if (number === 0) {
      const base = { id: 'base', name: 'base', start: true, settings: SETTINGS, routes: [] };
      await server.request('POST', '/v1/mocks', { key, body: base });
    }
    // A reset goes on recording.
    await fetch(`${original.admin}/recordings/stop`, { method: 'POST' });
    const port = await original.serve({ mappings: [] });
    await fetch(`${original.admin}/reset`, { method: 'POST' });
    const world = `w${number}`;
    return [
      {
        root: `http://127.0.0.1:${server.port}/compat/wiremock/base/${world}/__admin`,
        headers: { 'x-api-key': key },
        port: server.mockPort,
        prefix: `/__mock/base/__session/${world}`,
      },
      { root: `${original.admin}`, headers: {}, port, prefix: '' },
    ];
  },
  begin(random) {
    const drawn = { ids: [], isRecording: false };
    return (step) => next(random, step, drawn);
  },
  isRefused: ({ path }, { status }) => status === 422 && !path.startsWith('/scenarios'),
  // That a thing is not there has no body there.
  said: (_, { status, json }) => ({ status, ...(status === 404 ? {} : saidIn(json ?? {})) }),
};

let realUrl: string | undefined;

/** The server that stubs send requests on to: the same answer to the same request. It holds no process. */
function startReal(): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'text/plain', 'x-marked': 'real' });
      response.end(`${request.method} ${request.url} ${Buffer.concat(chunks).toString()}`);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    server.unref();
  });
}

const LISTS = ['/mappings', '/scenarios', '/requests/unmatched', '/requests', '/recordings/status'];

interface Drawn {
  /** Names of stubs. One that was refused is asked for all the same. */
  readonly ids: string[];
  isRecording: boolean;
}

function next(random: Random, step: number, drawn: Drawn): Change | Asked {
  const { ids } = drawn;
  const kind = random();
  const mapping = (): Mapping => {
    const [made] = (wiremock.source(random) as { readonly mappings: readonly [Mapping] }).mappings;
    // Answers name their stub by it.
    return { ...made, response: { ...made.response, headers: { ...made.response.headers, 'x-marked': `${step}` } } };
  };
  if (kind < 0.25 || ids.length === 0) {
    return { method: 'POST', path: '/mappings', body: { ...mapping(), id: added(ids) } };
  }
  if (kind > 0.97) return recordings(random, drawn);
  if (kind > 0.96) {
    const { request } = mapping();
    return {
      method: 'POST',
      path: '/mappings',
      body: { request, response: { proxyBaseUrl: `${realUrl}/real` }, id: added(ids) },
    };
  }
  if (kind < 0.3) {
    // A scenario of WireMock keeps the states that its stubs have named before they were put anew.
    const body = {
      ...mapping(),
      scenarioName: undefined,
      requiredScenarioState: undefined,
      newScenarioState: undefined,
    };
    return { method: 'PUT', path: `/mappings/${pick(random, ids)}`, body };
  }
  if (kind < 0.34) return { method: 'DELETE', path: `/mappings/${pick(random, ids)}` };
  if (kind < 0.36) {
    const state = pick(random, ['Started', 'two']);
    return { method: 'PUT', path: `/scenarios/${pick(random, ['s', 't'])}/state`, body: { state } };
  }
  if (kind < 0.37) return { method: 'POST', path: '/scenarios/reset' };
  // WireMock does not find the beginning of a recording any more, where its journal is cleared in the meantime.
  if (kind < 0.38 && !drawn.isRecording) return { method: 'DELETE', path: '/requests' };
  if (kind < 0.383 && !drawn.isRecording) return { method: 'POST', path: '/mappings/reset' };
  if (kind < 0.44) return { method: 'POST', path: '/requests/count', body: mapping().request };
  if (kind < 0.5) return { method: 'POST', path: '/requests/find', body: mapping().request };
  if (kind < 0.54) return { method: 'GET', path: pick(random, LISTS) };
  return recordable(wiremock.request(random, undefined));
}

/** The recorder of WireMock fails where a body that says so is not JSON. */
function recordable(asked: Asked): Asked {
  try {
    JSON.parse(asked.body ?? '0');
    return asked;
  } catch {
    return { ...asked, headers: { ...asked.headers, 'content-type': 'text/plain' } };
  }
}

function added(ids: string[]): string {
  const id = randomUUID();
  ids.push(id);
  return id;
}

/** What is persistent comes back with a reset of WireMock. */
function recordings(random: Random, drawn: Drawn): Change {
  const path = pick(random, ['start', 'start', 'stop', 'stop', 'snapshot']);
  if (path !== 'snapshot') drawn.isRecording = path === 'start';
  const filters = pick(random, [
    {},
    { urlPath: '/a' },
    { urlPathPattern: '/a/.*', method: 'POST' },
    { headers: { 'x-a': { equalTo: 'x' } } },
  ]);
  const captureHeaders = pick(random, [{}, { 'X-A': {} }, { 'X-B': { caseInsensitive: true } }]);
  const requestBodyPattern = pick(random, [{}, { matcher: 'equalTo' }, { matcher: 'auto', ignoreArrayOrder: false }]);
  const spec = { filters, captureHeaders, requestBodyPattern, repeatsAsScenarios: random() < 0.7, persist: false };
  const body = path === 'stop' ? {} : { ...spec, ...(path === 'start' ? { targetBaseUrl: realUrl } : {}) };
  return { method: 'POST', path: `/recordings/${path}`, body };
}

interface Mapping {
  readonly request: object;
  readonly response: { readonly headers: object };
}

interface Said {
  readonly errors?: unknown;
  readonly id?: string;
  readonly count?: number;
  /** Of a recording. */
  readonly status?: string;
  readonly mappings?: readonly StubSaid[];
  readonly scenarios?: readonly { readonly name: string; readonly state: string; readonly possibleStates: string[] }[];
  readonly requests?: readonly (Sent | { readonly request: Sent; readonly wasMatched: boolean })[];
}

interface StubSaid {
  readonly id: string;
  readonly name?: string;
  readonly request: object;
  readonly response: { readonly proxyBaseUrl?: string };
  readonly scenarioName?: string;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly body: string;
}

/** Of an answer: counts, ids and states; of recorded requests what was asked. Not: dates, and the words of errors. */
function saidIn({ errors, id, count, status, mappings, scenarios, requests }: Said): object {
  return {
    isError: errors !== undefined,
    id,
    count,
    // Of the original one is a recording that an earlier history has stopped.
    status: status === 'NeverStarted' ? 'Stopped' : status,
    mappings: mappings?.map(stubSaid),
    scenarios: scenarios
      ?.map(({ name, state, possibleStates }) => ({ name, state, possibleStates: possibleStates.toSorted() }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    requests: requests?.map((each) => {
      const { url, method, body } = 'request' in each ? each.request : each;
      return [method, url, body, 'request' in each ? each.wasMatched : undefined];
    }),
  };
}

/** Ids of stubs that a recording makes are drawn. */
function stubSaid({ id, name, request, response, scenarioName }: StubSaid): unknown {
  if (response.proxyBaseUrl === realUrl) return 'everything else';
  return name === undefined ? id : [name, sorted(request), scenarioName];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(members.map(([name, each]) => [name, sorted(each)]));
}
