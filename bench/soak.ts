/**
 * A soak: ten million mocked requests of every kind, and what memory the service takes meanwhile.
 *
 * `npm run bench:soak [requests]`. Traffic is recorded all along, so what is measured first holds its bounded record already.
 */
import autocannon from 'autocannon';
import { readFileSync } from 'node:fs';
import { createClient } from '../src/client/index.ts';
import { createKey } from '../src/cli/keys.ts';
import { startService, temporaryDirectory } from './processes.ts';

const ROUND_REQUESTS = 1_000_000;
const CONNECTIONS = 64;
const PIPELINED = 8;

const requestsMax = Number(process.argv[2] ?? 10_000_000);
const data = temporaryDirectory();
const key = await createKey(data, { ownerId: 'bench', userId: 'bench', role: 'editor' });
const service = await startService(data, ['--workers', '1', '--log-level', 'warn']);
const client = createClient({ apiUrl: `http://127.0.0.1:${service.port}/v1`, key });
const mock = await client.mocks.create({
  name: 'soak',
  start: true,
  routes: [
    { method: 'GET', path: '/static', responses: [{ body: 'hello' }] },
    { method: 'GET', path: '/users/:id', responses: [{ body: "user {{urlParam 'id'}}", templated: true }] },
    {
      method: 'POST',
      path: '/orders',
      responses: [
        { status: 201, rules: [{ target: 'body', property: 'n', operator: 'gt', value: '5' }] },
        { status: 400 },
      ],
    },
  ],
});

console.log('requests      requests/s   data plane, MB   API, MB');
for (let sent = 0; sent < requestsMax;) {
  const amount = Math.min(ROUND_REQUESTS, requestsMax - sent);
  const run = await autocannon({
    url: `http://127.0.0.1:${service.mocks.port}`,
    connections: CONNECTIONS,
    pipelining: PIPELINED,
    amount,
    headers: { host: `${mock.id}.localhost:${service.mocks.port}` },
    requests: [
      { path: '/static' },
      { path: '/users/42' },
      { path: '/nowhere' },
      {
        path: '/orders',
        method: 'POST',
        body: '{"n":7}',
        headers: { 'content-type': 'application/json', host: `${mock.id}.localhost` },
      },
    ],
  });
  if (run.errors > 0) throw new Error(`${run.errors} connections failed`);
  sent += amount;
  const figures = [sent, Math.round(run.requests.average), residentMb(service.mocks.pid), residentMb(service.pid)];
  console.log(figures.map((figure) => String(figure).padEnd(14)).join(''));
}
process.exit();

function residentMb(pid: number): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kb) / 1024);
}
