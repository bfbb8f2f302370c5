import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { createClient } from 'switchyard-server';
import { GenericContainer, Wait } from 'testcontainers';

let container;
let client;
let mocksUrl;

before(async () => {
  const key = execFileSync('npx', ['switchyard-server', 'keys', 'generate'], { encoding: 'utf8' }).trim();
  container = await new GenericContainer('switchyard')
    .withExposedPorts(8080, 8081)
    .withEnvironment({ SWITCHYARD_KEY_FILE: '/tmp/key' })
    .withCopyContentToContainer([{ content: key, target: '/tmp/key', mode: 0o644 }])
    .withWaitStrategy(Wait.forHttp('/readyz', 8080))
    .start();
  const host = container.getHost();
  client = createClient({ apiUrl: `http://${host}:${container.getMappedPort(8080)}/v1`, key });
  // The server does not know the port that its own is mapped to: `mocks.urlFor` would name another.
  mocksUrl = `http://${host}:${container.getMappedPort(8081)}/__mock`;
});
after(() => container?.stop());

/** The code under test. */
async function pay(providerUrl, cents) {
  const { status } = await fetch(`${providerUrl}/charges`, { method: 'POST', body: JSON.stringify({ amount: cents }) });
  return status === 201;
}

test('an order is charged once', async () => {
  const { mocks } = client;
  const mock = await mocks.create({
    name: 'Payments',
    start: true,
    routes: [{ method: 'POST', path: '/charges', responses: [{ status: 201 }] }],
  });
  assert.equal(await pay(`${mocksUrl}/${mock.id}`, 1_250), true);
  await mocks.assertVerified(mock.id, { match: { path: '/charges', bodyContains: '1250' }, exactly: 1 });
});
