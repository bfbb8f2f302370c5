/**
 * Content that nobody should trust: what authors of rules and mocks write, and what clients of mocks send.
 *
 * Each is answered in bounded time with an answer that is expected, while a bystander, another owner with a mock of its own, is served;
 * at the end neither process has been replaced.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { askMock, type MockReply } from '../../support/ask-mock.ts';
import { TestServer, type Answer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { BOMBS, HEADER_BREAKS, HOSTILE_BODIES, INHERITED, SLOW_PATTERNS } from './untrusted-corpus.ts';

/** Far above what any of them takes on a busy machine, far below what any takes without its bound. */
const ANSWER_MS = 8_000;
const BYSTANDER_MS = 4_000;

export const proof: Proof = {
  name: 'untrusted',
  promise: 'What authors and clients send is answered in bounded time, breaks no header, and reaches nobody else.',
  async run(tally: Tally, effort: Effort) {
    const server = await TestServer.start(['--no-bootstrap', '--log-level', 'error']);
    const attack = new Attack(server, tally, await server.key('mallory'));
    const bystander = await Bystander.start(server, tally);
    await attack.slowPatterns(effort === 'full' ? 100_000 : 20_000);
    await attack.bombs();
    await attack.bodies();
    await attack.inherited();
    await attack.headers();
    await attack.addresses(bystander.mock);
    await bystander.stop();
    const { stderr } = server;
    const status = await server.end();
    tally.check('neither process was replaced', status === 0, () => `it ended with ${status}: ${stderr}`);
  },
};

class Attack {
  readonly #server: TestServer;
  readonly #tally: Tally;
  readonly #key: string;

  constructor(server: TestServer, tally: Tally, key: string) {
    this.#server = server;
    this.#tally = tally;
    this.#key = key;
  }

  async slowPatterns(chars: number): Promise<void> {
    const routes = SLOW_PATTERNS.map(([value], index) => ({
      method: 'POST',
      path: `/${index}`,
      responses: [{ body: 'held', rules: [{ target: 'body', operator: 'regex', value }] }, { body: 'not' }],
    }));
    const taken: typeof routes = [];
    for (const [index, route] of routes.entries()) {
      const [pattern] = SLOW_PATTERNS[index] as (typeof SLOW_PATTERNS)[number];
      const pairs = [{ source: { key: 'Url', operator: 'Matches', value: pattern } }];
      const body = { name: 'slow', ruleType: 'Cancel', pairs };
      await this.#answers('slow patterns in rules', pattern, [200, 400], this.#ask('POST', '/rules', body));
      const mock = { name: 'slow', routes: [route] };
      const answer = await this.#answers(
        'slow patterns in mocks',
        pattern,
        [200, 400],
        this.#ask('POST', '/mocks', mock),
      );
      if (answer?.status === 200) taken.push(route);
    }
    const mock = await this.#start(taken);
    for (const { path } of taken) {
      const [pattern, attack] = SLOW_PATTERNS[Number(path.slice(1))] as (typeof SLOW_PATTERNS)[number];
      const body = `${attack.repeat(chars / attack.length)}!`;
      const answer = askMock(this.#server.mockPort, path, { mock, method: 'POST', body });
      await this.#answers('slow patterns against the text they fear', pattern, [200, 500], answer);
    }
  }

  async bombs(): Promise<void> {
    const deep = JSON.stringify(
      Array.from({ length: 20_000 }, (_, index) => ({ a: 'a'.repeat(index % 40), b: [index] })),
    );
    for (const [name, response] of Object.entries(BOMBS)) {
      const definition = { name, routes: [{ method: 'POST', path: '/', responses: [response, { body: 'not' }] }] };
      const made = this.#ask('POST', '/mocks', { ...definition, start: true });
      const answer = await this.#answers('bombs in definitions', name, [200, 400, 403, 413], made);
      const id = answer?.json.data?.id as string | undefined;
      if (id === undefined) continue;
      for (const body of [deep, '[]', '{"a":1}', '']) {
        const asked = askMock(this.#server.mockPort, '/', { mock: id, method: 'POST', body });
        await this.#answers('bombs that were taken, when they are asked', name, [200, 500], asked);
      }
    }
  }

  async bodies(): Promise<void> {
    const rule = { target: 'body', property: 'a.b', operator: 'exists' };
    const responses = [
      { body: 'held', rules: [rule] },
      { templated: true, body: "{{body 'name'}}" },
    ];
    const mock = await this.#start([{ method: 'ANY', path: '/', responses }]);
    for (const [name, body] of Object.entries(HOSTILE_BODIES)) {
      for (const path of ['/rules', '/groups', '/mocks']) {
        const answer = this.#ask('POST', path, body);
        await this.#answers('hostile bodies to the API', `${path}: ${name}`, [200, 400, 413], answer);
      }
      for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
        const asked = { mock, method: 'POST', body, headers: { 'content-type': type } };
        const answer = askMock(this.#server.mockPort, '/', asked);
        await this.#answers('hostile bodies to a mock', `${type}: ${name}`, [200, 500], answer);
      }
    }
    const polluted = ({} as Record<string, unknown>).polluted;
    this.#tally.check('hostile bodies to the API', polluted === undefined, () => 'the proof itself is polluted');
  }

  /** A name that objects inherit is a name like any other: never found where nothing was put. */
  async inherited(): Promise<void> {
    for (const name of INHERITED) {
      const found = (target: string): object => ({ target, property: name, operator: 'exists' });
      const targets = ['query', 'header', 'cookie', 'body', 'urlParam'];
      const responses = [
        { body: 'found', rules: targets.map(found), rulesOperator: 'OR' },
        {
          templated: true,
          body: `[{{queryParam '${name}'}}{{header '${name}'}}{{cookie '${name}'}}{{body '${name}'}}{{urlParam '${name}'}}]`,
        },
      ];
      const mock = await this.#start([{ method: 'ANY', path: `/:id`, responses }]);
      const asked = { mock, method: 'POST', body: '{"a":1}', headers: { cookie: 'a=1' } };
      const reply = await askMock(this.#server.mockPort, '/1?a=1', asked);
      this.#tally.check('names that objects inherit', reply.text === '[]', () => `${name}: ${reply.text}`);
      const sent = { ...asked, body: `{"${name}":"v"}` };
      const given = (await askMock(this.#server.mockPort, '/1', sent)).text;
      this.#tally.check('names that objects inherit', given === 'found', () => `${name} was sent: ${given}`);

      for (const [method, path] of [
        ['GET', `/rules/${name}`],
        ['GET', `/mocks/${name}`],
        ['GET', `/rules?ruleType=${name}`],
        ['GET', `/${name}`],
      ] as const) {
        await this.#answers('names that objects inherit', `${method} ${path}`, [400, 404], this.#ask(method, path));
      }
      for (const body of [
        { name, ruleType: name, pairs: [] },
        { name, ruleType: 'Cancel', pairs: [{ source: { key: name, operator: name, value: name } }] },
        { name, ruleType: 'Cancel', pairs: [{ [name]: name }] },
      ]) {
        await this.#answers(
          'names that objects inherit',
          JSON.stringify(body),
          [400],
          this.#ask('POST', '/rules', body),
        );
      }
    }
  }

  async headers(): Promise<void> {
    for (const [name, value] of HEADER_BREAKS) {
      for (const header of [
        { name: 'x-a', value },
        { name: `x-a${value}`, value: 'a' },
      ]) {
        const routes = [{ method: 'GET', path: '/', responses: [{ headers: [header] }] }];
        const answer = this.#ask('POST', '/mocks', { name: 'broken', routes });
        await this.#answers('headers broken by a definition', name, [400], answer);
      }
    }
    const helpers = {
      urlParam: "{{urlParam 'id'}}",
      queryParam: "{{queryParam 'q'}}",
      body: "{{body 'q'}}",
      path: '{{path}}',
    };
    const routes = Object.entries(helpers).map(([helper, value]) => ({
      method: 'POST',
      path: `/${helper}/:id`,
      responses: [{ templated: true, body: 'body', headers: [{ name: 'x-a', value }] }],
    }));
    const mock = await this.#start(routes);
    for (const [name, value] of HEADER_BREAKS) {
      for (const helper of Object.keys(helpers)) {
        const path = `/${helper}/${encodeURIComponent(value)}?q=${encodeURIComponent(value)}`;
        const asked = { mock, method: 'POST', body: JSON.stringify({ q: value }) };
        const reply = await askMock(this.#server.mockPort, path, asked);
        const isWhole = reply.headers['set-cookie'] === undefined && !reply.text.includes('<script>');
        // A path is as it was received, encoded: there is nothing in it that could break a line.
        const isExpected = helper === 'path' ? reply.status === 200 : reply.status === 500;
        this.#tally.check(
          'headers broken by a template',
          isWhole && isExpected,
          () => `${helper}, ${name}: ${reply.status} ${JSON.stringify(reply.rawHeaders)}`,
        );
      }
    }
  }

  /** Addresses that name two mocks, or half of one. The one in the Host is asked, and nobody is twice. */
  async addresses(other: string): Promise<void> {
    const own = await this.#start([{ method: 'ANY', path: '/*', responses: [{ body: 'own' }] }]);
    const port = this.#server.mockPort;
    const host = (id: string): string => `${id}.localhost:${port}`;
    const rows: [string, string, Record<string, string>, string][] = [
      ['a path of another mock', `/__mock/${other}/`, { host: host(own) }, 'own'],
      ['a header of another mock', '/', { host: host(own), 'x-mock-id': other }, 'own'],
      ['a header and a path', `/__mock/${own}/x`, { host: `127.0.0.1:${port}`, 'x-mock-id': other }, 'own'],
      ['upper case', '/', { host: host(own.toUpperCase()) }, 'own'],
      ['a label before it', '/', { host: host(`${other}.${own}`) }, 'nobody'],
      ['a label behind it', '/', { host: `${own}.localhost.example.com:${port}` }, 'nobody'],
      ['another domain', '/', { host: `${own}.example.com:${port}` }, 'nobody'],
      ['a dot at the end', '/', { host: `${own}.localhost.:${port}` }, 'either'],
      ['climbing out of the path', `/__mock/${own}/../${other}/`, { host: `127.0.0.1:${port}` }, 'own'],
      ['climbing, encoded', `/__mock/${own}/%2e%2e/${other}/`, { host: `127.0.0.1:${port}` }, 'own'],
      ['an encoded id', `/__mock/%6d${own.slice(1)}/`, { host: `127.0.0.1:${port}` }, 'nobody'],
      ['an encoded prefix', `/%5f_mock/${own}/`, { host: `127.0.0.1:${port}` }, 'nobody'],
      ['an empty id', '/__mock//', { host: `127.0.0.1:${port}` }, 'nobody'],
      ['a prefix alone', '/__mock', { host: `127.0.0.1:${port}` }, 'nobody'],
    ];
    for (const [name, path, headers, expected] of rows) {
      const reply = await askMock(port, path, { headers });
      const answered = reply.text === 'own' ? 'own' : reply.status === 404 ? 'nobody' : reply.text;
      const isSo = answered === expected || (expected === 'either' && (answered === 'own' || answered === 'nobody'));
      this.#tally.check('addresses of two mocks', isSo, () => `${name}: ${reply.status} ${reply.text}`);
    }
  }

  #ask(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#server.request(method, `/v1${path}`, {
      key: this.#key,
      body,
      headers: { 'content-type': 'application/json' },
    });
  }

  /** @returns Its id. */
  async #start(routes: unknown): Promise<string> {
    const { status, json } = await this.#ask('POST', '/mocks', { name: 'attacked', routes, start: true });
    if (status !== 200) throw new Error(`a mock was refused: ${JSON.stringify(json)}`);
    return json.data.id;
  }

  /** Checks that an answer comes in time, with one of the statuses that are expected. */
  async #answers<Reply extends Answer | MockReply>(
    fault: string,
    name: string,
    statuses: readonly number[],
    answer: Promise<Reply>,
  ): Promise<Reply | undefined> {
    const started = performance.now();
    const reply = await answer.catch(() => undefined);
    const ms = performance.now() - started;
    const isExpected = reply !== undefined && statuses.includes(reply.status);
    this.#tally.check(fault, isExpected && ms < ANSWER_MS, () => `${name}: ${reply?.status} in ${ms.toFixed()} ms`);
    return reply;
  }
}

/** Another owner, who reads a rule and asks a mock all the while. */
class Bystander {
  readonly mock: string;
  readonly #tally: Tally;
  readonly #epoch: () => Promise<string>;
  readonly #first: string;
  readonly #asking: Promise<void>;
  #isOver = false;

  private constructor(
    mock: string,
    tally: Tally,
    ask: () => Promise<boolean>,
    epoch: () => Promise<string>,
    first: string,
  ) {
    this.mock = mock;
    this.#tally = tally;
    this.#epoch = epoch;
    this.#first = first;
    this.#asking = this.#keepAsking(ask);
  }

  static async start(server: TestServer, tally: Tally): Promise<Bystander> {
    const key = await server.key('bystander');
    const routes = [{ method: 'GET', path: '/', responses: [{ body: 'here' }] }];
    const { json } = await server.request('POST', '/v1/mocks', {
      key,
      body: { name: 'bystander', routes, start: true },
    });
    const mock = json.data.id as string;
    const epoch = async (): Promise<string> =>
      (await server.request('GET', `/v1/mocks/${mock}/counts`, { key })).json.data.epoch as string;
    const ask = async (): Promise<boolean> => {
      const [reply, list] = await Promise.all([
        askMock(server.mockPort, '/', { mock }),
        server.request('GET', '/v1/mocks', { key }),
      ]);
      return reply.text === 'here' && list.json.total === 1;
    };
    return new Bystander(mock, tally, ask, epoch, await epoch());
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#asking;
    const last = await this.#epoch();
    this.#tally.check('neither process was replaced', last === this.#first, () => `${this.#first} became ${last}`);
  }

  async #keepAsking(ask: () => Promise<boolean>): Promise<void> {
    while (!this.#isOver) {
      const started = performance.now();
      const isServed = await ask().catch(() => false);
      const ms = performance.now() - started;
      this.#tally.check('a bystander is served meanwhile', isServed && ms < BYSTANDER_MS, () =>
        isServed ? `after ${ms.toFixed()} ms` : 'it was not',
      );
      await sleep(20);
    }
  }
}
