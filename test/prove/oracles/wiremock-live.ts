/** WireMock's admin interface in front of sessions, beside WireMock's own: stubs, scenarios, requests and counts. */
import { randomUUID } from 'node:crypto';
import type { Random } from '../../../src/base/seeded-draw.ts';
import type { Asked } from './oracle.ts';
import { pick } from './oracle.ts';
import type { Change, Live } from './live.ts';
import { wiremock } from './wiremock.ts';

const SETTINGS = { precedence: 'listed', cors: false, sessions: 'auto' };

export const wiremockLive: Live = {
  oracle: wiremock,
  async open(server, original, key, number) {
    if (number === 0) {
      const base = { id: 'base', name: 'base', start: true, settings: SETTINGS, routes: [] };
      await server.request('POST', '/v1/mocks', { key, body: base });
    }
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
    const ids: string[] = [];
    return (step) => next(random, step, ids);
  },
  isRefused: ({ path }, { status }) => status === 422 && !path.startsWith('/scenarios'),
  // That a thing is not there has no body there.
  said: (_, { status, json }) => ({ status, ...(status === 404 ? {} : saidIn(json ?? {})) }),
};

const LISTS = ['/mappings', '/scenarios', '/requests/unmatched', '/requests'];

/** @param ids Of stubs, which it keeps. One that was refused is asked for all the same. */
function next(random: Random, step: number, ids: string[]): Change | Asked {
  const kind = random();
  const mapping = (): Mapping => {
    const [made] = (wiremock.source(random) as { readonly mappings: readonly [Mapping] }).mappings;
    // Answers name their stub by it.
    return { ...made, response: { ...made.response, headers: { ...made.response.headers, 'x-marked': `${step}` } } };
  };
  if (kind < 0.25 || ids.length === 0) {
    const id = randomUUID();
    ids.push(id);
    return { method: 'POST', path: '/mappings', body: { ...mapping(), id } };
  }
  if (kind < 0.3) return { method: 'PUT', path: `/mappings/${pick(random, ids)}`, body: mapping() };
  if (kind < 0.34) return { method: 'DELETE', path: `/mappings/${pick(random, ids)}` };
  if (kind < 0.36) {
    const state = pick(random, ['Started', 'two']);
    return { method: 'PUT', path: `/scenarios/${pick(random, ['s', 't'])}/state`, body: { state } };
  }
  if (kind < 0.37) return { method: 'POST', path: '/scenarios/reset' };
  if (kind < 0.38) return { method: 'DELETE', path: '/requests' };
  if (kind < 0.383) return { method: 'POST', path: '/mappings/reset' };
  if (kind < 0.44) return { method: 'POST', path: '/requests/count', body: mapping().request };
  if (kind < 0.5) return { method: 'POST', path: '/requests/find', body: mapping().request };
  if (kind < 0.54) return { method: 'GET', path: pick(random, LISTS) };
  return wiremock.request(random, undefined);
}

interface Mapping {
  readonly request: object;
  readonly response: { readonly headers: object };
}

interface Said {
  readonly errors?: unknown;
  readonly id?: string;
  readonly count?: number;
  readonly mappings?: readonly { readonly id: string }[];
  readonly scenarios?: readonly { readonly name: string; readonly state: string; readonly possibleStates: string[] }[];
  readonly requests?: readonly (Sent | { readonly request: Sent; readonly wasMatched: boolean })[];
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly body: string;
}

/** Of an answer: counts, ids and states; of recorded requests what was asked. Not: dates, and the words of errors. */
function saidIn({ errors, id, count, mappings, scenarios, requests }: Said): object {
  return {
    isError: errors !== undefined,
    id,
    count,
    mappings: mappings?.map((each) => each.id),
    scenarios: scenarios
      ?.map(({ name, state, possibleStates }) => ({ name, state, possibleStates: possibleStates.toSorted() }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    requests: requests?.map((each) => {
      const { url, method, body } = 'request' in each ? each.request : each;
      return [method, url, body, 'request' in each ? each.wasMatched : undefined];
    }),
  };
}
