/**
 * Edits of rules and groups under load, of two owners, while the process of the gateway is killed now and then: after the answer to each
 * edit, requests over kept and over new connections see it, and no request sees the rules of the other owner.
 */
import { readFileSync } from 'node:fs';
import { Agent, createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const ROUNDS: Record<Effort, number> = { short: 15, full: 2_000 };
const SECONDS: Record<Effort, number> = { short: 20, full: 120 };
const FLOOD = 6;
/** In one round of so many the process is killed about the time of the edit. */
const KILL_EVERY = 15;
const OWNERS = ['acme', 'globex'] as const;

interface Owner {
  readonly key: string;
  readonly group: string;
  readonly rule: string;
  isBlocked: boolean;
}

export const proof: Proof = {
  name: 'gateway-publish',
  onEveryStore: true,
  promise: 'Every request to the gateway that begins after the answer to an edit of a rule sees that edit.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'finds the process of the gateway in /proc'),
  async run(tally: Tally, effort: Effort) {
    const upstream = createServer((_req, res) => void res.end('real'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const server = await TestServer.start(['--gateway-port', '0', '--log-level', 'silent', '--workers', '1']);
    const port = Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)?.[1]);
    const owners = await Promise.all(OWNERS.map((name) => makeOwner(server, name)));
    const kept = new Agent({ keepAlive: true, maxSockets: FLOOD });
    const flooding = new AbortController();
    const flood = Array.from({ length: FLOOD }, async (_, index) => {
      while (!flooding.signal.aborted) {
        await through(port, `${url}/flood`, owners[index % owners.length] as Owner, kept);
        await sleep(1);
      }
    });
    const rounds = Array.from({ length: ROUNDS[effort] }, (_, round) => round);
    for (const round of tally.within(SECONDS[effort], 'edits', rounds)) {
      const isKilled = round % KILL_EVERY === KILL_EVERY - 1;
      const fault = isKilled ? 'an edit while the gateway is killed' : 'an edit under load';
      const owner = owners[round % owners.length] as Owner;
      if (isKilled) setTimeout(() => kill(server), Math.random() * 20);
      await edit(server, owner, round);
      const all = await Promise.all(
        owners.flatMap((each) =>
          [kept, false as const, kept].map(
            async (agent) => [each, await through(port, `${url}/x`, each, agent)] as const,
          ),
        ),
      );
      for (const [each, status] of all) {
        const expected = each.isBlocked ? 418 : 200;
        // Nobody listens for a moment: what is not answered sees nothing.
        const isUnanswered = status === undefined && isKilled;
        tally.check(fault, isUnanswered || status === expected, () => `round ${round}: ${status}, not ${expected}`);
      }
      if (isKilled) while ((await through(port, `${url}/x`, owner, false)) === undefined) await sleep(20);
    }
    flooding.abort();
    await Promise.all(flood);
    kept.destroy();
    await server.end();
    upstream.closeAllConnections();
    upstream.close();
  },
};

async function makeOwner(server: TestServer, name: string): Promise<Owner> {
  const key = await server.key(name);
  const made = async (path: string, body: object): Promise<string> =>
    (await server.request('POST', path, { key, body })).json.data.id;
  const group = await made('/v1/groups', { name });
  const pairs = [{ source: { key: 'Path', operator: 'Equals', value: '/x' } }];
  const rule = await made('/v1/rules', { name, ruleType: 'Cancel', groupId: group, pairs });
  return { key, group, rule, isBlocked: true };
}

/** Turns the rule over: alone, or as a batch. */
async function edit(server: TestServer, owner: Owner, round: number): Promise<void> {
  const status = owner.isBlocked ? 'Inactive' : 'Active';
  const [path, method, body] =
    round % 4 < 2
      ? ([`/v1/rules/${owner.rule}`, 'PATCH', { status }] as const)
      : (['/v1/rules/batch', 'POST', { ids: [owner.rule], set: { status } }] as const);
  const { status: answered, json } = await server.request(method, path, { key: owner.key, body });
  if (answered !== 200) throw new Error(`${path}: ${answered} ${JSON.stringify(json)}`);
  owner.isBlocked = !owner.isBlocked;
}

/** @returns Undefined without an answer. */
function through(port: number, url: string, { key }: Owner, agent: Agent | false): Promise<number | undefined> {
  const headers = { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
  return new Promise((resolve) => {
    const sent = ask({ host: '127.0.0.1', port, path: url, headers, agent }, (reply) => {
      reply.resume().on('close', () => resolve(reply.complete ? reply.statusCode : undefined));
    });
    sent.on('error', () => resolve(undefined)).end();
  });
}

function kill({ pid }: TestServer): void {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  for (const child of children) {
    if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/egress.js')) process.kill(Number(child), 'SIGKILL');
  }
}
