/**
 * The server in a memory cgroup, where the kernel kills what takes more than it may: beside readers of the largest answers that there
 * are, and a writer whose acknowledged writes are counted afterwards.
 *
 * Clients run outside of it: what they take is not the server's.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createKey } from '../../../src/cli/keys.ts';
import { memoryCgroupsUnavailable, MemoryCgroup } from '../../support/memory-cgroup.ts';
import { eventually, type Running } from '../../support/process.ts';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';
import { CLI, temporaryDirectory } from '../../support/server.ts';
import type { FloodOrder, FloodReport } from '../flood.ts';
import { forkFlood } from '../fork-flood.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

/** The least that the README names. */
const MEMORY_MIB = 384;
const READERS = 8;
/** Uploads and sockets that are open at once. */
const UPLOADS = 200;
const UNREAD_MOCKS = 6;
const UNREAD = 60;
const READ_MS = { short: 1_500, full: 20_000 };
const FILL_MS = { short: 6_000, full: 30_000 };
const WRITE_EVERY_MS = 20;
/** Every so many writes one has the largest body. */
const LARGE_EVERY = 25;

export const proof: Proof = {
  name: 'memory',
  runsBeside: 'through-node',
  promise: `In ${MEMORY_MIB} MB of memory neither readers of the largest answers nor owners that fill all they may end the server, or what it has acknowledged.`,
  unavailable: memoryCgroupsUnavailable,
  async run(tally: Tally, effort: Effort) {
    for (const kind of ['largest pages', 'largest definitions', 'largest traffic'] as const) {
      await besideWriter(tally, kind, READ_MS[effort], ['200', '503', '0'], (ports, [key = '']) =>
        readLargest(ports, key, kind),
      );
    }
    await besideWriter(tally, 'answers that nobody reads', READ_MS[effort], ['200', '503', '0'], readNothing, true);
    const refused = ['200', '201', '503', '507', '0'];
    await besideWriter(tally, 'everything full', FILL_MS[effort], refused, fillAll);
  },
};

interface Ports {
  readonly port: number;
  readonly mockPort: number;
}

/** Counts of answers by status; of connections that were closed as "0". */
type Statuses = Readonly<Record<string, number>>;

/** @param load Resolves when it runs, with what ends it. @param isSpared Whether nothing of the writer may be refused. */
async function besideWriter(
  tally: Tally,
  kind: string,
  ms: number,
  expected: readonly string[],
  load: (ports: Ports, keys: readonly string[]) => Promise<() => Promise<Statuses>>,
  isSpared = false,
): Promise<void> {
  const cgroup = new MemoryCgroup(MEMORY_MIB);
  const data = temporaryDirectory();
  const readers: string[] = [];
  for (const ownerId of ['one', 'two', 'three'])
    readers.push(await createKey(data, { ownerId, userId: 'r', role: 'editor' }));
  const writer = await createKey(data, { ownerId: 'writer', userId: 'w', role: 'editor' });
  const args = [CLI, 'serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', data, '--log-level', 'warn'];
  const server = cgroup.run(process.execPath, args);
  const ports = await portsOf(server);
  if (!tally.check('it starts', ports !== undefined, () => server.stderr + server.stdout) || ports === undefined)
    return;

  const end = await load(ports, readers);
  const written = await write(ports.port, writer, performance.now() + ms);
  const statuses = await end();

  const told = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const peak = ((cgroup.peakBytes ?? 0) / 1_048_576).toFixed(0);
  process.stdout.write(
    `  ${kind}: ${told.join(', ')}; ${written.ids.size} written, ${written.refused} refused; at most ${peak} MB\n`,
  );
  tally.tried(`answers beside: ${kind}`, statuses['200'] ?? 0);
  // reaches MEMORY_BYTES_LEAST, THREAD_MEMORY_BYTES
  tally.check('the kernel kills nothing', cgroup.kills === 0, () => `${kind}: ${cgroup.kills} killed`);
  tally.check(
    'what is refused says so',
    Object.keys(statuses).every((status) => expected.includes(status)),
    () => `${kind}: ${told.join()}`,
  );
  const isServed = written.ids.size > 0 && !(isSpared && written.refused > 0);
  tally.check('another owner can write', isServed, () => `${kind}: ${written.refused} refused`);
  const isUp = server.child.exitCode === null && server.child.signalCode === null;
  if (tally.check('the server stays up', isUp, () => `${kind}: ${server.stdout.slice(-2_000)}${server.stderr}`)) {
    const restarts = await metric(ports.port, 'switchyard_data_plane_restarts_total');
    tally.check('the data plane stays up', restarts === 0, () => `${kind}: ${restarts} restarts`);
    const found = await idsOf(ports.port, writer);
    const lost = [...written.ids].filter((id) => !found.has(id));
    tally.tried('acknowledged writes', written.ids.size);
    if (lost.length > 0) tally.failed('acknowledged writes', `${kind}: ${lost.length} are not there`);
    server.child.kill('SIGTERM');
  } else server.child.kill('SIGKILL');
  const { status } = await server.ended;
  tally.check('it ends as it should', status === 0, () => `${kind}: it ended with ${status}`);
  await sleep(200);
  cgroup.remove();
}

async function readLargest(ports: Ports, key: string, kind: FloodOrder['kind']): Promise<() => Promise<Statuses>> {
  const flood = forkFlood();
  const running = once(flood, 'message');
  flood.send({ ...ports, key, connections: READERS, kind } satisfies FloodOrder);
  await running;
  return async () => {
    const reported = once(flood, 'message');
    flood.send('stop');
    const [{ statuses }] = (await reported) as [FloodReport];
    flood.kill('SIGKILL');
    return statuses;
  };
}

/** Reports of exports of one owner, over many connections that read no more than a head. */
async function readNothing({ port }: Ports, [key = '']: readonly string[]): Promise<() => Promise<Statuses>> {
  const statuses: Record<string, number> = {};
  const responses = [{ body: 'x'.repeat(46_000) }];
  const routes = Array.from({ length: 100 }, (_, index) => ({ method: 'GET', path: `/${index}`, responses }));
  const ids: string[] = [];
  for (let count = 0; count < UNREAD_MOCKS; count++) ids.push(await make(port, key, { name: 'unread', routes }));
  const opened = new Set<Socket>();
  let goesOn = true;
  const open = (id: string): void => {
    const socket = connect(port, '127.0.0.1');
    const headers = ['Host: 127.0.0.1', `x-api-key: ${key}`];
    socket.write(rawRequest(`GET /v1/mocks/${id}/export?report=true HTTP/1.1`, headers));
    socket.once('data', (head: Buffer) => {
      const status = head.toString('latin1', 9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
      socket.pause();
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        opened.delete(socket);
        if (goesOn) setTimeout(() => open(id), WRITE_EVERY_MS);
      });
    opened.add(socket);
  };
  for (let count = 0; count < UNREAD; count++) open(ids[count % ids.length] as string);
  await eventually(() => statuses['200'] !== undefined, READ_MS.full);
  return async () => {
    goesOn = false;
    for (const socket of opened) socket.destroy();
    return statuses;
  };
}

/** @returns Its id. */
async function make(port: number, key: string, definition: object): Promise<string> {
  const made = await fetch(`http://127.0.0.1:${port}/v1/mocks`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  });
  return ((await made.json()) as { data: { id: string } }).data.id;
}

/**
 * Three owners fill what has a share of the memory, all at once: stores with small things and values that are rendered for each session,
 * recorded requests, bodies that never end, and sockets that read nothing.
 */
async function fillAll(ports: Ports, keys: readonly string[]): Promise<() => Promise<Statuses>> {
  const statuses: Record<string, number> = {};
  const ends = await Promise.all(keys.map((key) => fill(ports, key, statuses)));
  return async () => {
    await Promise.all(ends.map((end) => end()));
    return statuses;
  };
}

async function fill(
  { port, mockPort }: Ports,
  key: string,
  statuses: Record<string, number>,
): Promise<() => Promise<void>> {
  const small = `[${Array(1_000).fill('{}').join()}]`;
  const rendered = `[{{#repeat 200}}{"id": {{@index}}, "a": ${small}},{{/repeat}} {"id": 99999}]`;
  const definition = {
    name: 'full',
    start: true,
    settings: {
      sessions: 'auto',
      stores: [
        { name: 'small', value: [] },
        { name: 'rendered', templated: 'json', value: rendered },
      ],
    },
    routes: [
      { kind: 'crud', path: '/small', store: 'small' },
      { method: 'ANY', path: '/body', responses: [{ templated: true, body: '{{len (body)}}' }] },
      { kind: 'ws', method: 'GET', path: '/ws', responses: [{ to: 'all', body: 'x'.repeat(900_000) }] },
    ],
  };
  const root = `/__mock/${await make(port, key, definition)}`;
  const ended = new AbortController();
  const repeat = async (ask: (count: number) => Promise<number>): Promise<void> => {
    for (let count = 0; !ended.signal.aborted; count++) {
      const status = await ask(count).catch(() => 0);
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (status >= 500) await sleep(5);
    }
  };
  const ask = async (path: string, init?: RequestInit): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${mockPort}${root}${path}`, init);
    await answer.arrayBuffer();
    return answer.status;
  };
  const post = (path: string, body: string): Promise<number> =>
    ask(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const item = `{"a":[${Array(100).fill(small).join()}]}`;
  const opened: { drop: () => void }[] = [];
  const loads = [
    repeat(() => post('/small', item)),
    repeat((count) => ask(`/__session/s${count}/small?limit=1`)),
    repeat(() => post('/body', 'q'.repeat(32_768))),
    repeat(async () => {
      const upload = await RawConnection.open(mockPort);
      opened.push(upload);
      const headers = ['Host: 127.0.0.1', 'Content-Length: 10000000'];
      void upload.write(rawRequest(`POST ${root}/body HTTP/1.1`, headers, 'x'.repeat(9_900_000)));
      await sleep(50);
      if (opened.length > UPLOADS) opened.shift()?.drop();
      return upload.closed ? 503 : 200;
    }),
    repeat(async (count) => {
      const socket = new WebSocket(`ws://127.0.0.1:${mockPort}${root}/ws`);
      socket.on('error', () => undefined);
      opened.push({ drop: () => socket.terminate() });
      await once(socket, 'open');
      socket.pause();
      if (count % 10 === 9) socket.send('go');
      await sleep(20);
      return 200;
    }),
  ];
  return async () => {
    ended.abort();
    await Promise.all(loads);
    for (const each of opened) each.drop();
  };
}

async function portsOf(server: Running): Promise<Ports | undefined> {
  const port = await server.ready();
  const mockPort = /ready: .*:(\d+)\n/.exec(server.stdout)?.[1];
  return port === undefined ? undefined : { port, mockPort: Number(mockPort) };
}

/** Rules of an owner that nobody else reads, one after the other. */
async function write(port: number, key: string, until: number): Promise<{ ids: Set<string>; refused: number }> {
  const ids = new Set<string>();
  let refused = 0;
  let connection: RawConnection | undefined;
  for (let count = 0; performance.now() < until; count++) {
    const description = 'd'.repeat(count % LARGE_EVERY === 0 ? 9_000 : 10);
    const value = 'v'.repeat(count % LARGE_EVERY === 0 ? 900_000 : 10);
    const body = JSON.stringify({ name: 'w', ruleType: 'Response', description, pairs: [{ type: 'static', value }] });
    const headers = ['Host: 127.0.0.1', `x-api-key: ${key}`, `Content-Length: ${body.length}`];
    try {
      if (connection === undefined || connection.closed) connection = await RawConnection.open(port);
      void connection.write(rawRequest('POST /v1/rules HTTP/1.1', headers, body));
      const { status, json } = await connection.answer();
      if (status === 200) ids.add((json as { data: { id: string } }).data.id);
      else refused++;
    } catch {
      refused++;
      connection = undefined;
    }
    await sleep(WRITE_EVERY_MS);
  }
  await connection?.close();
  return { ids, refused };
}

/** Of all rules, page by page. A server that was short of memory a moment ago is asked again. */
async function idsOf(port: number, key: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let offset: number | null = 0; offset !== null;) {
    const url = `http://127.0.0.1:${port}/v1/rules?pageSize=75&offset=${offset}`;
    const answer = await fetch(url, { headers: { 'x-api-key': key } }).catch(() => undefined);
    if (answer?.status !== 200) {
      await answer?.text();
      await sleep(500);
      continue;
    }
    const page = (await answer.json()) as { data: readonly { id: string }[]; nextOffset: number | null };
    for (const { id } of page.data) ids.add(id);
    offset = page.nextOffset;
  }
  return ids;
}

async function metric(port: number, name: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await answer.text())?.[1]);
}
