/**
 * WireMock's admin interface here and there: the same changes, requests and questions in the same order, one history after the other. What is
 * refused here as not exact is not sent there; everything else has the same answer.
 */
import { randomUUID } from 'node:crypto';
import { draws, type Random } from '../../../src/base/seeded-draw.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import { ask } from './both-sides.ts';
import { pick } from './oracle.ts';
import { wiremock } from './wiremock.ts';

const ROW = 'wiremock: histories of its admin interface';
const STREAM = 2;
const SETTINGS = { precedence: 'listed', cors: false, sessions: 'auto' };

interface Mapping {
  readonly request: object;
  readonly response: { readonly headers: object };
}

/** What an admin interface answered, as far as both must agree. */
interface Answer {
  readonly status: number;
  readonly said: unknown;
}

type Admin = (method: string, path: string, body?: object) => Promise<Answer>;

export async function askBothLive(
  tally: Tally,
  extent: { readonly histories: number; readonly steps: number; readonly seed: number },
): Promise<void> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  await server.request('POST', '/v1/mocks', {
    key,
    body: { id: 'base', name: 'base', start: true, settings: SETTINGS, routes: [] },
  });
  const original = await wiremock.start();
  for (let number = 0; number < extent.histories; number++) {
    const port = await original.serve({ mappings: [] });
    await admin(`http://127.0.0.1:${port}/__admin`)('POST', '/reset');
    const world = `w${number}`;
    const ours = admin(`http://127.0.0.1:${server.port}/compat/wiremock/base/${world}/__admin`, { 'x-api-key': key });
    const theirs = admin(`http://127.0.0.1:${port}/__admin`);
    const prefix = `/__mock/base/__session/${world}`;
    const history: string[] = [];
    const random = draws(extent.seed, STREAM, number);
    const ids: string[] = [];
    const isSame = (what: string, here: unknown, there: unknown): void => {
      tally.check(ROW, JSON.stringify(here) === JSON.stringify(there), () =>
        [`history ${number}: ${what}: ours ${shown(here)}, theirs ${shown(there)}`, ...history.slice(-8)].join('\n  '),
      );
    };
    const both = async (method: string, path: string, body?: object): Promise<boolean> => {
      const here = await ours(method, path, body);
      if (here.status === 422 && !path.startsWith('/scenarios')) {
        tally.tried('wiremock: refused as not exact');
        return false;
      }
      history.push(`${method} ${path} ${JSON.stringify(body)}`);
      isSame(`${method} ${path} ${JSON.stringify(body)}`, here, await theirs(method, path, body));
      return true;
    };
    for (let step = 0; step < extent.steps; step++) {
      const kind = random();
      if (kind < 0.25 || (kind < 0.3 && ids.length === 0)) {
        const id = randomUUID();
        if (await both('POST', '/mappings', { ...mapping(random, step), id })) ids.push(id);
      } else if (kind < 0.3) await both('PUT', `/mappings/${pick(random, ids)}`, mapping(random, step));
      else if (kind < 0.34 && ids.length > 0) {
        const id = pick(random, ids);
        await both('DELETE', `/mappings/${id}`);
        ids.splice(ids.indexOf(id), 1);
      } else if (kind < 0.36) {
        await both('PUT', `/scenarios/${pick(random, ['s', 't'])}/state`, { state: pick(random, ['Started', 'two']) });
      } else if (kind < 0.37) await both('POST', '/scenarios/reset');
      else if (kind < 0.38) await both('DELETE', '/requests');
      else if (kind < 0.44) await both('POST', '/requests/count', mapping(random, step).request);
      else if (kind < 0.5) await both('POST', '/requests/find', mapping(random, step).request);
      else if (kind < 0.54)
        await both('GET', pick(random, ['/mappings', '/scenarios', '/requests/unmatched', '/requests']));
      else {
        const asked = wiremock.request(random, undefined);
        history.push(JSON.stringify(asked));
        const [here, there] = [await ask(server.mockPort, prefix, asked), await ask(port, '', asked)];
        if (!wiremock.areMisses(here, there)) isSame(JSON.stringify(asked), here, there);
      }
    }
    await server.request('DELETE', `/v1/mocks/base/sessions/${world}`, { key });
  }
  await server.end();
}

/** @param mark By which an answer names the stub. */
function mapping(random: Random, mark: number): Mapping {
  const [made] = (wiremock.source(random) as { readonly mappings: readonly Mapping[] }).mappings as [Mapping];
  return { ...made, response: { ...made.response, headers: { ...made.response.headers, 'x-marked': `${mark}` } } };
}

function admin(root: string, headers: Readonly<Record<string, string>> = {}): Admin {
  return async (method, path, body) => {
    const response = await fetch(root + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, said: text === '' ? '' : saidIn(JSON.parse(text)) };
  };
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
function saidIn({ errors, id, count, mappings, scenarios, requests }: Said): unknown {
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

const SHOWN_CHARS = 600;

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, SHOWN_CHARS);
}
