/**
 * A hundred agents of one owner call tools at once, some slow and some large: each of them gets on, what is refused says when to retry, and
 * the requests of another owner are answered in the meantime, on the API and on the mock port.
 */
import { askMock } from '../../support/ask-mock.ts';
import { postTool } from '../../support/mcp.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const AGENTS = 100;
const DURATION_MS: Record<Effort, number> = { short: 2_500, full: 20_000 };
/** For one request of the other owner: the process that asks is as busy as the server. */
const WAIT_MS_MAX = 2_000;
/** What the agent that did least may do less than the one that did most: they run in one process, in turn. */
const SPREAD_MAX = 5;
const ROUTES = 300;

export const proof: Proof = {
  name: 'agents',
  promise: "A hundred agents at once stay within their owner's share: all get on, and other owners are answered.",
  async run(tally: Tally, effort: Effort) {
    const server = await TestServer.start(['--log-level', 'warn', '--no-bootstrap']);
    const [agents, other] = [await server.key('acme', 'agent'), await server.key('globex', 'gus')];
    const routes = Array.from({ length: ROUTES }, (_, at) => ({
      method: 'GET',
      path: `/r${at}`,
      responses: [{ body: 'x' }],
    }));
    const made = await server.request('POST', '/v1/mocks', {
      key: agents,
      body: { name: 'shop', start: true, routes },
    });
    const mock = made.json.data.id as string;
    const theirs = await server.request('POST', '/v1/mocks', { key: other, body: { name: 'theirs', start: true } });
    const until = performance.now() + DURATION_MS[effort];

    const counts = Array.from({ length: AGENTS }, (_, number) =>
      runAgent(server, agents, { mock, number, until }, tally),
    );
    const [done] = await Promise.all([
      Promise.all(counts),
      runOther(server, other, theirs.json.data.id as string, until, tally),
    ]);
    const [least, most] = [Math.min(...done), Math.max(...done)];
    process.stdout.write(
      `  ${done.reduce((sum, count) => sum + count, 0)} calls of ${AGENTS} agents, ${least} to ${most} each\n`,
    );
    tally.check(
      'every agent gets on',
      least > 0 && most <= SPREAD_MAX * Math.max(1, least),
      () => `${least} to ${most} calls`,
    );
    const state = await server.request('GET', `/v1/mocks/${mock}`, { key: agents });
    tally.check('what is served is as before', state.json.data.version === 1, () => JSON.stringify(state.json.data));
    await server.end();
  },
};

interface Agent {
  readonly mock: string;
  readonly number: number;
  readonly until: number;
}

/** @returns How many calls were carried out. */
async function runAgent(
  server: TestServer,
  key: string,
  { mock, number, until }: Agent,
  tally: Tally,
): Promise<number> {
  const route = { method: 'GET', path: `/agent${number}/:id`, responses: [{ body: String(number) }] };
  const calls = [
    ['mocks_read', { mock }],
    ['mocks_try', { mock, method: 'GET', path: '/nothing' }],
    ['mocks_edit', { mock, routes: [route] }],
    ['mocks_read', { mock, what: 'diff' }],
    ['mocks_apply', { mock, action: 'save' }],
    ['mocks_read', { mock, what: 'file' }],
  ] as const;
  let done = 0;
  for (let turn = number; performance.now() < until; turn++) {
    const [name, input] = calls[turn % calls.length] as (typeof calls)[number];
    const { status, text, isError } = await postTool(server, key, name, input);
    // A file that is too large is an answer, too.
    const isRefused = status === 503 || /"status":(?:503|429|413)/.test(text);
    tally.check(
      'a call is carried out, or refused with what to do',
      status === 503 || !isError || isRefused,
      () => `${name}: ${status} ${text}`,
    );
    if (!isError && status === 200) done++;
  }
  return done;
}

async function runOther(server: TestServer, key: string, mock: string, until: number, tally: Tally): Promise<void> {
  while (performance.now() < until) {
    for (const [what, ask] of [
      ['a read', () => server.request('GET', '/v1/mocks', { key })],
      ['a write', () => server.request('POST', '/v1/groups', { key, body: { name: 'group' } })],
      ['a mock', () => askMock(server.mockPort, '/', { mock })],
    ] as const) {
      const began = performance.now();
      const { status } = await ask();
      const ms = performance.now() - began;
      tally.check(
        `another owner's request: ${what}`,
        status === 200 && ms < WAIT_MS_MAX,
        () => `${status} after ${ms.toFixed(0)} ms`,
      );
    }
  }
}
