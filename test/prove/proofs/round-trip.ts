/**
 * A random mock A, recorded through a mock B and promoted: B then answers what was recorded as A does, the check names exactly the exchanges
 * that it does not, and each of these is one that the report calls less than exact.
 *
 * A near miss, a request of the same names and values that was not recorded, gets no answer that A never gave on its route.
 */
import { draws } from '../../../src/base/seeded-draw.ts';
import type { Report } from '../../../src/interchange/report/report.ts';
import type { ReplayCheck } from '../../../src/model/mocks/upstream/replay-check.ts';
import { TestServer } from '../../support/server.ts';
import { ask } from '../oracles/both-sides.ts';
import { mockoon } from '../oracles/mockoon.ts';
import { mountebank } from '../oracles/mountebank.ts';
import type { Answered, Asked, Oracle } from '../oracles/oracle.ts';
import { wiremock } from '../oracles/wiremock.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

export const proof: Proof = {
  name: 'round-trip',
  promise: 'A recording that is promoted answers as it was recorded, and the check names exactly what it does not.',
  async run(tally: Tally, effort: Effort) {
    const { mocks, seconds } = effort === 'full' ? { mocks: 1_000, seconds: 180 } : { mocks: 9, seconds: 8 };
    const server = await TestServer.start();
    try {
      const trip = new RoundTrip(server, await server.key('round-trip'), tally);
      const numbers = Array.from({ length: mocks }, (_, number) => number);
      for (const number of tally.within(seconds, 'random mocks', numbers)) await trip.take(number);
    } finally {
      await server.end();
    }
  },
};

/** Their files are made of what our readers take. */
const SOURCES: readonly Oracle[] = [wiremock, mountebank, mockoon];
const SEED = 20_261_127;
const REQUESTS = 20;
const NEAR_MISSES = 10;

const EQUAL = 'recorded requests, asked again';
const NAMED = 'differences, named by the check';
const REPORTED = 'differences, less than exact in the report';
const INVENTED = 'near misses, with an answer of their route';

class RoundTrip {
  readonly #server: TestServer;
  readonly #key: string;
  readonly #tally: Tally;

  constructor(server: TestServer, key: string, tally: Tally) {
    this.#server = server;
    this.#key = key;
    this.#tally = tally;
  }

  async take(number: number): Promise<void> {
    const random = draws(SEED, ROUND_TRIP_STREAM, number);
    const oracle = SOURCES[number % SOURCES.length] as Oracle;
    const source = oracle.source(random);
    const { mocks } = await this.#api('POST', '/import?start=true', source);
    const a = mocks[0].id as string;
    const proxy = { upstream: this.#address(a), when: 'always', record: true };
    const b = (await this.#api('POST', '', { name: 'b', start: true, routes: [], settings: { proxy } })).id as string;

    // Values that a recording replaces would make requests that nobody can send again.
    const asked = Array.from({ length: REQUESTS }, () => withoutCredentials(oracle.request(random, source)));
    const answers: Answered[] = [];
    for (const each of asked) answers.push(await ask(this.#server.mockPort, `/__mock/${b}`, each));

    const staged = await this.#api('POST', `/${b}/recording/stage`, { paths: 'exact' });
    await this.#api('POST', `/${b}/save`);
    await this.#server.request('DELETE', `/v1/mocks/${b}/requests`, { key: this.#key });
    await this.#compare(`mock ${number}`, b, asked, answers, staged);
    await this.#askNearMisses(
      `mock ${number}`,
      b,
      asked,
      answers,
      Array.from({ length: NEAR_MISSES }, () => oracle.request(random, source)),
    );
    for (const { id } of [...mocks, { id: b }])
      await this.#server.request('DELETE', `/v1/mocks/${id}`, { key: this.#key });
  }

  async #compare(
    name: string,
    b: string,
    asked: readonly Asked[],
    recorded: readonly Answered[],
    { report, check }: { readonly report: Report; readonly check: ReplayCheck },
  ): Promise<void> {
    const named = new Set(check.different.map(({ number }) => number));
    const lossy = new Set(report.entries.map(({ source }) => source.line));
    for (const [index, each] of asked.entries()) {
      const [before, now] = [recorded[index] as Answered, await ask(this.#server.mockPort, `/__mock/${b}`, each)];
      const isSame = isEqual(before, now);
      const shown = (): string => `${name}, ${index + 1}: ${JSON.stringify([each, before, now])}`;
      this.#tally.check(EQUAL, isSame || named.has(index + 1), shown);
      if (isSame && !named.has(index + 1)) continue;
      this.#tally.check(NAMED, !isSame && named.has(index + 1), shown);
      // An entry is a line of the archive.
      this.#tally.check(REPORTED, lossy.has(index + 1), shown);
    }
    const { checked, same, notChecked } = check;
    const left = Object.values(notChecked).reduce((sum, count) => sum + count, 0);
    const isCounted = checked + left === asked.length && checked - same === named.size;
    this.#tally.check('checks, counted', isCounted, () => `${name}: ${check.summary}`);
  }

  async #askNearMisses(
    name: string,
    b: string,
    asked: readonly Asked[],
    recorded: readonly Answered[],
    near: readonly Asked[],
  ): Promise<void> {
    for (const each of near) {
      const { method } = each;
      const path = pathOf(each);
      const known = recorded.filter((_, index) => {
        const other = asked[index] as Asked;
        return other.method === method && pathOf(other) === path;
      });
      const answer = await ask(this.#server.mockPort, `/__mock/${b}`, each);
      const isKnown = known.length === 0 ? answer.status === 404 : known.some((one) => isEqual(one, answer));
      this.#tally.check(INVENTED, isKnown, () => `${name}: ${JSON.stringify([each, answer])}`);
    }
  }

  #address(mockId: string): string {
    return `http://127.0.0.1:${this.#server.mockPort}/__mock/${mockId}`;
  }

  async #api(method: string, path: string, body?: unknown) {
    const options = { key: this.#key, ...(body === undefined ? {} : { body }) };
    const { status, json } = await this.#server.request(method, `/v1/mocks${path}`, options);
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${JSON.stringify(json)}`);
    return json.data;
  }
}

const ROUND_TRIP_STREAM = 7;

/** A slash at its end makes no difference to a route. */
function pathOf({ target }: Asked): string {
  return (target.split('?', 1)[0] as string).replace(/\/$/, '');
}

function withoutCredentials({ headers, ...asked }: Asked): Asked {
  return {
    ...asked,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie)$/i.test(name))),
  };
}

function isEqual(one: Answered, other: Answered): boolean {
  const essence = ({ contentType }: Answered): string | undefined => contentType?.split(';', 1)[0];
  return one.status === other.status && essence(one) === essence(other) && one.body === other.body;
}
