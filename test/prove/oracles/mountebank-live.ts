/** mountebank's admin API in front of a space, beside mountebank's own: an imposter, its stubs and what it has recorded. */
import type { Random } from '../../../src/base/seeded-draw.ts';
import type { Asked } from './oracle.ts';
import { chance, pick } from './oracle.ts';
import type { Change, Live } from './live.ts';
import { mountebank } from './mountebank.ts';

export const mountebankLive: Live = {
  oracle: mountebank,
  async open(server, original, key, number) {
    const port = await original.serve({ protocol: 'http', recordRequests: true });
    const space = `w${number}`;
    const root = `http://127.0.0.1:${server.port}/compat/mountebank/${space}`;
    const headers = { 'x-api-key': key };
    const made = await fetch(`${root}/imposters`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ protocol: 'http', port, recordRequests: true }),
    });
    const { url } = (await made.json()) as { readonly url: string };
    const at = `/imposters/${port}`;
    return [
      { root: root + at, headers, port: server.mockPort, prefix: new URL(url).pathname },
      { root: `${original.admin}${at}`, headers: {}, port, prefix: '' },
    ];
  },
  begin(random) {
    let count = 0;
    return (step) => {
      const drawn = next(random, step, count);
      if (!('target' in drawn)) {
        if (drawn.method === 'POST') count++;
        if (drawn.method === 'DELETE' && drawn.path.startsWith('/stubs/')) count = Math.max(0, count - 1);
        if (drawn.path === '/stubs' && drawn.method === 'PUT')
          ({ length: count } = (drawn.body as { stubs: [] }).stubs);
      }
      return drawn;
    };
  },
  isRefused: (_, { status, json }) => status === 400 && /mountebank\./.test(JSON.stringify(json)),
  said: (_, { status, json }) => ({ status, ...saidIn(json ?? {}) }),
};

/** @param count How many stubs there may be. */
function next(random: Random, step: number, count: number): Change | Asked {
  const kind = random();
  const stubs = (): object[] => {
    const made = (mountebank.source(random) as { readonly stubs: readonly object[] }).stubs.slice(0, 3);
    return made.map((each, index) => ({ ...each, mark: `${step}.${index}` }));
  };
  const index = Math.floor(random() * (count + 1));
  if (kind < 0.2 || count === 0) {
    const at = chance(random, 0.5) ? { index } : {};
    return { method: 'POST', path: '/stubs', body: { ...at, stub: stubs()[0] } };
  }
  if (kind < 0.25) return { method: 'PUT', path: `/stubs/${index}`, body: stubs()[0] as object };
  if (kind < 0.3) return { method: 'DELETE', path: `/stubs/${index}` };
  if (kind < 0.32) return { method: 'PUT', path: '/stubs', body: { stubs: stubs() } };
  if (kind < 0.34) return { method: 'DELETE', path: '/savedRequests' };
  if (kind < 0.42) return { method: 'GET', path: pick(random, ['', '?replayable=true']) };
  return mountebank.request(random, undefined);
}

interface Said {
  readonly errors?: readonly { readonly code: string }[];
  readonly numberOfRequests?: number;
  readonly recordRequests?: boolean;
  readonly stubs?: readonly object[];
  readonly requests?: readonly {
    readonly method: string;
    readonly path: string;
    readonly query: object;
    readonly body: string;
  }[];
}

/** It answers `_behaviors` as a list. */
function withoutBehaviors(member: string, value: unknown): unknown {
  return member === '_behaviors' || member === 'behaviors' ? undefined : value;
}

/** Of an answer: counts, stubs as they were sent, and recorded requests. Not: links, dates, and the words of errors. */
function saidIn({ errors, numberOfRequests, recordRequests, stubs, requests }: Said): object {
  return {
    errors: errors?.map(({ code }) => code),
    numberOfRequests,
    recordRequests,
    stubs: stubs?.map((stub) => JSON.stringify({ ...stub, _links: undefined }, withoutBehaviors)),
    requests: requests?.map(({ method, path, query, body }) => ({ method, path, query, body })),
  };
}
