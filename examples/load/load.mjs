/** Load on a mock, and its p99 as the server measured it: `node load.mjs [seconds]`. */
import { randomUUID } from 'node:crypto';
import autocannon from 'autocannon';
import { startSwitchyard } from 'switchyard-server';

const duration = Number(process.argv[2] ?? 10);
// Who has it gets the names of mocks in metrics.
const token = randomUUID();
const switchyard = await startSwitchyard({ args: ['--metrics-token', token] });
const { mocks } = switchyard.client;
const mock = await mocks.create({
  id: 'prices',
  name: 'Prices',
  start: true,
  settings: { traffic: false, latency: { median: 20, sigma: 0.65, max: 90 } }, // not recorded, but counted and timed
  routes: [{ method: 'GET', path: '/prices/:id', responses: [{ body: '{"cents":1250}' }] }],
});

const { requests, errors, non2xx } = await autocannon({
  url: mocks.urlFor(mock, '/prices/7'),
  connections: 10,
  duration,
});
const seconds = quantile(0.99, await buckets(mock.id));
console.log(`${requests.total} requests, ${errors + non2xx} failed, p99 ${Math.round(seconds * 1_000)} ms`);
await switchyard.stop();

/** Of a mock's histogram in /metrics: how many answers took at most so many seconds. */
async function buckets(id) {
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(new URL('/metrics', switchyard.apiUrl), { headers })).text();
  const name = `switchyard_mock_request_duration_seconds_bucket{mock="${id}"`;
  return [...text.matchAll(new RegExp(`^${name},le="(.+)"} (\\d+)$`, 'gm'))].map(([, le, count]) => ({
    le: le === '+Inf' ? Infinity : Number(le),
    count: Number(count),
  }));
}

/** As `histogram_quantile` of Prometheus: within a bucket the answers are taken to be spread evenly. */
function quantile(share, all) {
  const rank = share * all.at(-1).count;
  const index = all.findIndex(({ count }) => count >= rank);
  const below = all[index - 1] ?? { le: 0, count: 0 };
  const { le, count } = all[index];
  return le === Infinity ? below.le : below.le + ((le - below.le) * (rank - below.count)) / (count - below.count);
}
