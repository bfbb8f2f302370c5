/**
 * The process's limit of open files, 128, with more clients than that on both planes: who is connected is served, keys, rules, saves and
 * checks in threads still work, neither process spins, and others are taken when some leave.
 *
 * 128 is less than what Node opens at once to start: modules that are opened one after the other are a part of this.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { Running } from '../../support/process.ts';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';
import { CLI, temporaryDirectory } from '../../support/server.ts';
import { cpuSeconds, dataPlanePid, descriptorCount } from '../../support/vital-signs.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const OPEN_FILES = 128;
const CLIENTS = 400;
/** Of a second of one core; a loop that spins takes all of it. */
const BUSY_SHARE_MAX = 0.5;

export const proof: Proof = {
  name: 'descriptors',
  promise:
    'More clients than the process has descriptors for are turned away; it neither spins nor fails, and takes others again.',
  unavailable: () => (process.platform === 'linux' ? undefined : 'it reads /proc'),
  async run(tally: Tally, effort: Effort) {
    // One thread takes connections by itself, two are dealt them.
    const rounds = effort === 'full' ? 3 : 1;
    for (const workers of ['1', '2']) await withFewDescriptors(tally, effort, workers, rounds);
  },
};

async function withFewDescriptors(tally: Tally, effort: Effort, workers: string, rounds: number): Promise<void> {
  const data = temporaryDirectory();
  const key = await createKey(data, { ownerId: 'acme', userId: 'ann', role: 'editor' });
  const args = [
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--no-gateway',
    '--workers',
    workers,
    '--log-level',
    'warn',
    '--data',
    data,
  ];
  const limited = ['-c', `ulimit -n ${OPEN_FILES}; exec "$@"`, 'bash', process.execPath, CLI, ...args];
  const server = new Running('bash', limited);
  const port = await server.ready();
  const started = tally.check('it starts with 128 descriptors', port !== undefined, () => server.stderr);
  if (!started || port === undefined) return;
  const mockPort = Number(/mocks .*:(\d+)/.exec(server.stdout)?.[1]);
  const ask = askWith(port, key);
  const made = await ask('POST', '/v1/mocks', { name: 'm', start: true });
  const mockId = (made.json as { data: { id: string } }).data.id;
  const pids = [server.child.pid as number, dataPlanePid(server.child.pid as number)];
  const idle = pids.map(descriptorCount);
  const planes = [
    { plane: 'API', at: port, request: rawRequest('GET /healthz HTTP/1.1', ['Host: 127.0.0.1']) },
    { plane: 'mocks', at: mockPort, request: rawRequest(`GET /__mock/${mockId}/ HTTP/1.1`, ['Host: 127.0.0.1']) },
  ];

  for (let round = 0; round < rounds; round++) {
    const kept: RawConnection[] = [];
    for (const { plane, at, request } of planes) {
      const connections: RawConnection[] = [];
      for (let count = 0; count < CLIENTS; count++) connections.push(await RawConnection.open(at));
      await sleep(300);
      const open = connections.filter(({ closed }) => !closed);
      // reaches CONNECTIONS_MIN
      const isCapped = open.length >= 8 && open.length < OPEN_FILES;
      tally.check(`${plane}: clients beyond the limit are turned away`, isCapped, () => `${open.length} are connected`);
      for (const connection of open) {
        await connection.write(request);
        const { status } = await connection.answer();
        tally.check(`${plane}: who is connected is served`, status === 200, () => `status ${status}`);
      }
      // One is left to whoever checks below.
      await open.pop()?.close();
      kept.push(...open);
    }

    const before = pids.map(cpuSeconds);
    await sleep(2_000);
    for (const [index, pid] of pids.entries()) {
      const share = (cpuSeconds(pid) - (before[index] as number)) / 2;
      tally.check('neither process spins', share < BUSY_SHARE_MAX, () => `${pid} used ${share} of a core`);
    }
    await checkWork(tally, ask, mockId, data);

    await Promise.all(kept.map((connection) => connection.close()));
    await sleep(300);
    for (const { plane, at, request } of planes) {
      for (let count = 0; count < 8; count++) {
        const again = await RawConnection.open(at);
        await again.write(request);
        const { status } = await again.answer();
        tally.check(`${plane}: others are taken when some leave`, status === 200, () => `status ${status}`);
        await again.close();
      }
    }
  }
  await sleep(12_000 * (effort === 'full' ? 1 : 0));
  const left = pids.map(descriptorCount);
  // What the pools of threads and the connections that still linger need.
  const isBack = left.every((count, index) => count < (idle[index] as number) + 24);
  tally.check('descriptors are given back', isBack, () => `${idle.join()} before, ${left.join()} after`);
  server.child.kill('SIGTERM');
  const { status } = await server.ended;
  tally.check('it ends as it should', status === 0, () => `it ended with ${status}`);
}

type Ask = (method: string, path: string, body?: object) => Promise<{ status: number; json: unknown }>;

/** Everything that needs a descriptor, a file or a thread, while no more clients are taken. */
async function checkWork(tally: Tally, ask: Ask, mockId: string, data: string): Promise<void> {
  const what = 'work goes on while no more clients are taken';
  const pattern = { key: 'Url', operator: 'Matches', value: String.raw`/^\p{Lu}+$/u` };
  const tries: [string, string, object?][] = [
    ['POST', '/v1/groups', { name: 'g' }],
    // Two of these run in threads that are made for them, and load their modules now.
    ['POST', '/v1/rules', { name: 'r', ruleType: 'Cancel', pairs: [{ source: pattern }] }],
    ['POST', `/v1/mocks/${mockId}/try`, { method: 'GET', path: '/', against: 'saved' }],
    ['POST', `/v1/mocks/${mockId}/save`],
    ['GET', `/v1/mocks/${mockId}/requests`],
    ['GET', '/v1/rules'],
  ];
  for (const [method, path, body] of tries) {
    const { status, json } = await ask(method, path, body);
    tally.check(what, status === 200, () => `${method} ${path}: ${status} ${JSON.stringify(json)}`);
  }
  const made = await createKey(data, { ownerId: 'other', userId: 'bob', role: 'editor' });
  tally.check(what, made.startsWith('sy_'), () => 'no key could be made');
}

function askWith(port: number, key: string): Ask {
  return async (method, path, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  };
}
