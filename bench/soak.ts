/**
 * A soak: ten million mocked requests of every kind, and what memory the service takes meanwhile.
 *
 * `npm run bench:soak [requests]`. Traffic is recorded all along, so what is measured first holds its bounded record already.
 */
import autocannon from 'autocannon';
import { startFresh } from './contenders/switchyard.ts';
import { residentBytes } from './load/cpu-time.ts';
import { mockHost } from './processes.ts';

const ROUND_REQUESTS = 1_000_000;
const CONNECTIONS = 64;
const PIPELINED = 8;

const requestsMax = Number(process.argv[2] ?? 10_000_000);
const { service, client } = await startFresh();
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
const host = mockHost(mock.id, service);

console.log('requests      requests/s   data plane, MB   API, MB');
for (let sent = 0; sent < requestsMax;) {
  const amount = Math.min(ROUND_REQUESTS, requestsMax - sent);
  const run = await autocannon({
    url: `http://127.0.0.1:${service.mocks.port}`,
    connections: CONNECTIONS,
    pipelining: PIPELINED,
    amount,
    headers: { host },
    requests: [
      { path: '/static' },
      { path: '/users/42' },
      { path: '/nowhere' },
      { path: '/orders', method: 'POST', body: '{"n":7}', headers: { 'content-type': 'application/json', host } },
    ],
  });
  if (run.errors > 0) throw new Error(`${run.errors} connections failed`);
  sent += amount;
  const mocksBytes = residentBytes(service.mocks.pid);
  const bytes = [mocksBytes, residentBytes(service.pid) - mocksBytes];
  const figures = [sent, Math.round(run.requests.average), ...bytes.map((each) => Math.round(each / 1e6))];
  console.log(figures.map((figure) => String(figure).padEnd(14)).join(''));
}
process.exit();
