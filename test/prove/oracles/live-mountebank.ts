/**
 * Random histories of calls of mountebank's admin API, sent to a space and to mountebank: whatever the space takes is answered the same, and
 * so are the requests in between. Counts and recorded requests are the same as well.
 */
import { freePort } from '../../../bench/contenders/ports.ts';
import { draws, type Random } from '../../../src/base/seeded-draw.ts';
import { TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';
import { ask, type Extent } from './both-sides.ts';
import { mountebank } from './mountebank.ts';
import { chance, pick } from './oracle.ts';

interface Side {
  readonly admin: string;
  readonly key: string;
}

interface Told {
  readonly status: number;
  readonly json: Imposter & { readonly errors?: readonly { readonly code: string }[] };
}

interface Imposter {
  readonly url?: string;
  readonly numberOfRequests: number;
  readonly stubs?: readonly object[];
  readonly requests?: readonly Recorded[];
}

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: object;
  readonly body: string;
}

const LIVE_STREAM = 2;
const ROW = 'mountebank: histories of its admin API';

export async function askLive(tally: Tally, { sources, requests, seed }: Extent): Promise<void> {
  const server = await TestServer.start();
  const key = await server.key('oracle');
  const { admin = '' } = await mountebank.start();
  const ours: Side = { admin: `http://127.0.0.1:${server.port}/compat/mountebank/live`, key };
  const theirs: Side = { admin, key: '' };
  const port = await freePort();
  for (let number = 0; number < sources; number++) {
    const random = draws(seed, LIVE_STREAM, number);
    const check = (isSame: boolean, what: () => unknown): boolean =>
      tally.check(ROW, isSame, () => `history ${number}: ${JSON.stringify(what())}`);
    const both = async (method: string, path: string, body?: unknown): Promise<readonly [Told, Told] | undefined> => {
      const own = await tell(ours, method, path, body);
      if (own.status === 400) {
        tally.tried(`${ROW}, refused`);
        return undefined;
      }
      return [own, await tell(theirs, method, path, body)];
    };
    const { stubs, ...header } = mountebank.source(random) as { stubs: object[] };
    const made = await both('POST', '/imposters', { ...header, port, recordRequests: chance(random, 0.5) });
    if (made === undefined) continue;
    const url = new URL(made[0].json.url ?? '');
    const at = `/imposters/${port}`;
    for (const stub of stubs) await both('POST', `${at}/stubs`, { stub });
    for (let step = 0; step < requests; step++) {
      if (chance(random, 0.1)) {
        const [method, path, body] = change(random);
        const told = await both(method, `${at}${path}`, body);
        if (told !== undefined) check(isSameTold(...told), () => ({ method, path, body, told }));
      }
      const asked = mountebank.request(random, undefined);
      const [own, other] = await Promise.all([ask(server.mockPort, url.pathname, asked), ask(port, '', asked)]);
      check(JSON.stringify(own) === JSON.stringify(other), () => ({ step, asked, own, other }));
    }
    const ended = await both('DELETE', at);
    if (ended !== undefined) check(isSameTold(...ended), () => ended);
  }
  await server.end();
}

/** Any that both take, and some that both refuse. */
function change(random: Random): [method: string, path: string, body?: unknown] {
  const { stubs } = mountebank.source(random) as { stubs: object[] };
  const [stub] = stubs;
  const index = Math.floor(random() * 6);
  return pick<[string, string, unknown?]>(random, [
    ['POST', '/stubs', { stub }],
    ['POST', '/stubs', { stub, index: 0 }],
    ['PUT', `/stubs/${index}`, stub],
    ['DELETE', `/stubs/${index}`],
    ['PUT', '/stubs', { stubs }],
    ['DELETE', '/savedRequests'],
    ['GET', ''],
  ]);
}

async function tell({ admin, key }: Side, method: string, path: string, body?: unknown): Promise<Told> {
  const answer = await fetch(`${admin}${path}`, {
    method,
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, json: (await answer.json()) as Told['json'] };
}

function isSameTold(ours: Told, theirs: Told): boolean {
  return JSON.stringify(essence(ours)) === JSON.stringify(essence(theirs));
}

/** Without addresses, times and the case of headers. mountebank rewrites behaviors of an older form: stubs are counted. */
function essence({ status, json }: Told): object {
  const { numberOfRequests, stubs, requests = [], errors } = json;
  const recorded = requests.map(({ method, path, query, body }) => ({ method, path, query, body }));
  return { status, numberOfRequests, stubs: stubs?.length, recorded, codes: errors?.map(({ code }) => code) };
}
