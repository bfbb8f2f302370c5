/**
 * Random edits of an API: mocks of drawn bodies, a real service that answers with the same bodies, edited ones, or ones that change each
 * time, and drift runs over HTTP. What is found is compared with what was edited.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { DRIFT_BODY, editsOf, sameShape, volatileTwin, type Body } from '../../support/drift-edits.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const SEED = 20_261_127;
const ROUTES = 60;
const ROUNDS = { short: 2, full: 60 };
const SECONDS = { short: 20, full: 60 };

interface Served {
  readonly status: number;
  readonly type: string;
  /** One after the other, again and again. */
  readonly bodies: readonly string[];
}

interface Case {
  /** What the mock answers. */
  readonly body: Body;
  readonly what: string;
  readonly served: Served;
  /** "kind at" of each change, and what is volatile. */
  readonly changes: readonly string[];
  readonly volatile: readonly string[];
}

export const proof: Proof = {
  name: 'drift',
  promise: 'A drift run finds each breaking change of an API where it was made, and invents none.',
  async run(tally: Tally, effort: Effort) {
    const server = await TestServer.start(['--log-level', 'warn']);
    const key = await server.key('acme', 'ann');
    let served: readonly Served[] = [];
    const asked = new Map<number, number>();
    const service = createServer((request, response) => {
      const at = Number(/\d+/.exec(request.url ?? '')?.[0]);
      const { status, type, bodies } = served[at] as Served;
      const count = asked.get(at) ?? 0;
      asked.set(at, count + 1);
      response.writeHead(status, { 'content-type': type }).end(bodies[count % bodies.length]);
    });
    await new Promise<void>((resolve) => {
      service.listen(0, '127.0.0.1', resolve);
    });
    const upstream = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const api = async (method: string, path: string, body?: unknown) => {
      const answer = await server.request(method, `/v1/mocks${path}`, { key, ...(body === undefined ? {} : { body }) });
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
      return answer.json.data;
    };
    const rounds = Array.from({ length: ROUNDS[effort] }, (_, round) => SEED + round);
    for (const seed of tally.within(SECONDS[effort], 'rounds', rounds)) {
      const cases = casesOf(seed);
      served = cases.map((each) => each.served);
      asked.clear();
      const { id } = await api('POST', '', { name: 'drift', routes: cases.map(({ body }, at) => routeOf(body, at)) });
      const { id: run } = await api('POST', `/${id}/drifts`, { upstream });
      const { results } = await api('GET', `/${id}/drifts/${run}?waitMs=30000`);
      for (const [at, { what, changes, volatile }] of cases.entries()) {
        const { verdict, ...found } = results[at] ?? {};
        const had = (found.changes ?? []).map((each: { kind: string; at: string }) => `${each.kind} ${each.at}`);
        const expected = changes.length === 0 ? 'same' : 'changed';
        const holds =
          verdict === expected && isSame(had, changes) && (what !== VOLATILE || isSame(found.volatile, volatile));
        tally.check(
          what,
          holds,
          () => `seed ${seed}, route ${at}: ${JSON.stringify({ verdict, had, changes, ...found })}`,
        );
      }
      await api('DELETE', `/${id}`);
    }
    service.closeAllConnections();
    service.close();
    await server.end();
  },
};

const VOLATILE = 'values that differ each time';

function casesOf(seed: number): Case[] {
  const bodies = fc.sample(DRIFT_BODY, { numRuns: ROUTES, seed });
  return bodies.map((body, at) => caseOf(body, seed + at));
}

function caseOf(body: Body, seed: number): Case {
  const json = (...each: Body[]): Served => ({
    status: 200,
    type: 'application/json; charset=utf-8',
    bodies: each.map((one) => JSON.stringify(one)),
  });
  const same = { body, changes: [], volatile: [] };
  const edits = editsOf(body);
  switch (seed % 6) {
    case 0:
      return { ...same, what: 'other values of the same shape', served: json(sameShape(body, seed)) };
    case 1: {
      const { twin, places } = volatileTwin(body);
      return { ...same, what: VOLATILE, served: json(body, twin), volatile: places };
    }
    case 2: {
      const served = { ...json(body), status: 404 };
      return { ...same, what: 'another status', served, changes: ['status status'] };
    }
    case 3: {
      const served = { ...json(body), type: 'text/html' };
      return { ...same, what: 'another media type', served, changes: ['mediaType content-type'] };
    }
    default: {
      const edit = edits[seed % edits.length];
      if (edit === undefined) return { ...same, what: 'the same', served: json(body) };
      const { kind, at, edited } = edit;
      return { ...same, what: `an edit: ${kind}`, served: json(sameShape(edited, seed)), changes: [`${kind} ${at}`] };
    }
  }
}

function routeOf(body: Body, at: number): object {
  const headers = [{ name: 'content-type', value: 'application/json' }];
  return { method: 'GET', path: `/${at}`, responses: [{ headers, body: JSON.stringify(body) }] };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted());
}
