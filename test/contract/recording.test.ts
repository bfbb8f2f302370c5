/** Recorded exchanges of mocks with a real service, over HTTP with two threads: what is kept, and for whom; docs/mocks.md. */
import { expect, test } from 'vitest';
import { realService } from '../support/real-service.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const echo = await realService(({ method, url, body, headers }, response) => {
  response.writeHead(url === '/none' ? 204 : 200, 'Fine', {
    'content-type': 'application/json',
    'x-one': Buffer.from('é').toString('latin1'),
  });
  response.end(url === '/none' ? undefined : JSON.stringify({ method, url, body, of: headers['x-of']?.[0] }));
});

const recorded = (upstream: string, settings: Fields = {}, routes: readonly Fields[] = [route('GET /own')]) =>
  two.mock(routes, { proxy: { upstream, record: true, ...settings } });
const page = async (mock: string, query = '') => (await two.api('GET', `/${mock}/recording?${query}`)).json;

test('exchanges are listed, newest first, and page by page', async () => {
  const mock = await recorded(`${echo.url}/v1`);
  await two.both(mock, '/own');
  await two.ask(mock, '/a?x=1', { method: 'POST', body: 'hello', headers: { 'x-of': 'one' } });
  await two.ask(mock, '/b');
  const { data, ...rest } = await page(mock);
  expect(rest).toMatchObject({ success: true, total: 2, truncated: false, dropped: 0, nextBefore: null });
  expect(rest.epoch).toMatch(/^\w+$/);
  expect(rest.bytes).toBeGreaterThan(0);
  expect(data.map(({ id, path }: Fields) => `${id} ${path}`)).toEqual(['2 /b', '1 /a']);
  expect(data[1]).toMatchObject({
    method: 'POST',
    query: 'x=1',
    url: `${echo.url}/v1/a?x=1`,
    request: { body: 'hello' },
    response: { status: 200, reason: 'Fine', body: expect.stringContaining('"url":"/v1/a?x=1"') },
  });
  expect(data[1].request.headers).toContainEqual({ name: 'x-of', value: 'one' });
  expect(data[1].response.headers).toContainEqual({ name: 'x-one', value: 'é' });
  const first = await page(mock, 'limit=1');
  expect(first).toMatchObject({ data: [{ id: '2' }], nextBefore: 2 });
  expect(await page(mock, 'limit=1&before=2')).toMatchObject({ data: [{ id: '1' }], nextBefore: null });
});
