/** Large replies and definitions in the data plane. */
import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';

let data: TestPlane;
beforeAll(async () => {
  data = await TestPlane.start();
});
afterAll(() => data.plane.close());

test('large static answers that are delayed need no copies', async () => {
  const responses = [response({ body: 'x'.repeat(1_000_000), latency: { min: 900, max: 1_000 } })];
  await data.publish(mock('delayed', [route('/', responses)]));
  const agent = new Agent({ keepAlive: true, maxSockets: 600 });
  const replies = await Promise.all(Array.from({ length: 600 }, () => data.ask('/', { mock: 'delayed', agent })));
  agent.destroy();
  expect(new Set(replies.map(({ status, text }) => `${status} ${text.length}`))).toEqual(new Set(['200 1000000']));
});

test('a mock of 8 MB is published to every thread in time, and answers', async () => {
  const rule = { target: 'query', property: 'q', operator: 'regex', invert: false } as const;
  const routes = Array.from({ length: 5_000 }, (_, index) =>
    route(`/r${index}/:id`, [
      response({ body: 'x'.repeat(1_100), rules: [{ ...rule, value: `^a${index}[b-y]+z$` }] }),
      response({ body: `${index}` }),
    ]),
  );
  const large = mock('large', routes);
  expect(JSON.stringify(large).length).toBeGreaterThan(8_000_000);
  expect(await data.publish(large)).toBe(true);
  expect(await data.text('/r4999/1', { mock: 'large' })).toBe('4999');
  expect((await data.text('/r4999/1?q=a4999cz', { mock: 'large' })).length).toBe(1_100);
});
