/**
 * The server in a memory cgroup, where the kernel kills what takes more than it may: beside readers of the largest answers that there
 * are, and a writer whose acknowledged writes are counted afterwards.
 *
 * Clients run outside of it: what they take is not the server's.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../../src/cli/keys.ts';
import { memoryCgroupsUnavailable, MemoryCgroup } from '../../support/memory-cgroup.ts';
import type { Running } from '../../support/process.ts';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';
import { CLI, temporaryDirectory } from '../../support/server.ts';
import type { FloodOrder, FloodReport } from '../flood.ts';
import { forkFlood } from '../fork-flood.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

/** The least that the README names. */
const MEMORY_MIB = 384;
const READERS = 8;
const READ_MS = { short: 1_500, full: 20_000 };
const WRITE_EVERY_MS = 20;
/** Every so many writes one has the largest body. */
const LARGE_EVERY = 25;

export const proof: Proof = {
  name: 'memory',
  runsBeside: 'through-node',
  promise: `In ${MEMORY_MIB} MB of memory readers of the largest answers end neither the server nor what it has acknowledged.`,
  unavailable: memoryCgroupsUnavailable,
  async run(tally: Tally, effort: Effort) {
    for (const kind of ['largest pages', 'largest definitions', 'largest traffic'] as const) {
      await readLargest(tally, kind, READ_MS[effort]);
    }
  },
};

async function readLargest(tally: Tally, kind: FloodOrder['kind'], ms: number): Promise<void> {
  const cgroup = new MemoryCgroup(MEMORY_MIB);
  const data = temporaryDirectory();
  const reader = await createKey(data, { ownerId: 'reader', userId: 'r', role: 'editor' });
  const writer = await createKey(data, { ownerId: 'writer', userId: 'w', role: 'editor' });
  const args = [CLI, 'serve', '--port', '0', '--mock-port', '0', '--data', data, '--log-level', 'warn'];
  const server = cgroup.run(process.execPath, args);
  const ports = await portsOf(server);
  if (!tally.check('it starts', ports !== undefined, () => server.stderr + server.stdout) || ports === undefined)
    return;

  const flood = forkFlood();
  const running = once(flood, 'message');
  flood.send({ ...ports, key: reader, connections: READERS, kind } satisfies FloodOrder);
  await running;
  const written = await write(ports.port, writer, performance.now() + ms);
  const reported = once(flood, 'message');
  flood.send('stop');
  const [{ statuses }] = (await reported) as [FloodReport];
  flood.kill('SIGKILL');

  const told = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  const peak = ((cgroup.peakBytes ?? 0) / 1_048_576).toFixed(0);
  process.stdout.write(
    `  ${kind}: ${told.join(', ')}; ${written.ids.size} written, ${written.refused} refused; at most ${peak} MB\n`,
  );
  tally.tried(`readers of the ${kind}`, statuses['200'] ?? 0);
  // reaches MEMORY_BYTES_LEAST, THREAD_MEMORY_BYTES
  tally.check('the kernel kills nothing', cgroup.kills === 0, () => `${kind}: ${cgroup.kills} killed`);
  tally.check('what is refused is 503', Object.keys(statuses).every(isExpected), () => `${kind}: ${told.join()}`);
  tally.check('another owner can write', written.ids.size > 0, () => `${kind}: ${written.refused} refused`);
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

/** A connection that was closed with `Connection: close`, or by a stop, counts as 0. */
function isExpected(status: string): boolean {
  return ['200', '503', '0'].includes(status);
}

async function portsOf(server: Running): Promise<{ port: number; mockPort: number } | undefined> {
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
