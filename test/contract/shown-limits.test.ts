/**
 * Limits of what a mock shows and of its headers, with two threads: just within is shown whole, just beyond is cut or
 * refused. docs/api.md, "Limits".
 */
import { RESPONSE_HEADERS_CHARS_MAX } from '../../src/model/mocks/definition/definition-payload.ts';
import { METRICS_MOCKS_MAX } from '../../src/app/metrics.ts';
import { expect, test } from 'vitest';
import {
  EXPLAINED_CHARS_MAX,
  NEAREST_ROUTES_MAX,
  RENDERED_HEADER_CHARS_MAX,
  RULE_VALUE_CHARS_MAX,
  WARNINGS_MAX,
} from '../../src/limits.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();

// reaches RESPONSE_HEADERS_CHARS_MAX
test('header names and values of one response have at most 65,536 characters together', async () => {
  const headers = (chars: number): object[] => {
    const value = 'v'.repeat(chars / 64 - 4);
    return Array.from({ length: 64 }, (_, index) => ({ name: `x-${String(index).padStart(2, '0')}`, value }));
  };
  const routes = (chars: number) => ({ name: 'm', routes: [route('GET /', [{ headers: headers(chars) }])] });
  expect((await two.api('POST', '', routes(RESPONSE_HEADERS_CHARS_MAX))).status).toBe(200);
  const more = await two.api('POST', '', routes(RESPONSE_HEADERS_CHARS_MAX + 64));
  expect(more.status).toBe(403);
  expect(more.json.message).toMatch(/^Limit reached: /);
});

// reaches RULE_VALUE_CHARS_MAX
test('a rule compares with at most 65,536 characters', async () => {
  const value = (chars: number): object[] => [{ target: 'body', operator: 'contains', value: 'v'.repeat(chars) }];
  const id = await two.mock([route('POST /', [{ rules: value(RULE_VALUE_CHARS_MAX), body: 'held' }, {}])]);
  const asked = { method: 'POST', body: `-${'v'.repeat(RULE_VALUE_CHARS_MAX)}-` };
  expect((await two.both(id, '/', asked)).text).toBe('held');
  const routes = [route('POST /', [{ rules: value(RULE_VALUE_CHARS_MAX + 1) }])];
  expect((await two.api('POST', '', { name: 'm', routes })).status).toBe(403);
});

// reaches RENDERED_HEADER_CHARS_MAX
test('a rendered header value has at most 8,192 characters, else the reply is 500', async () => {
  const headers = [{ name: 'x-a', value: "{{body 'q'}}" }];
  const id = await two.mock([route('POST /', [{ templated: true, headers, body: 'sent' }])]);
  const asked = (chars: number) => ({ method: 'POST', body: JSON.stringify({ q: 'v'.repeat(chars) }) });
  expect((await two.both(id, '/', asked(RENDERED_HEADER_CHARS_MAX))).text).toBe('sent');
  expect((await two.both(id, '/', asked(RENDERED_HEADER_CHARS_MAX + 1))).status).toBe(500);
});

// reaches NEAREST_ROUTES_MAX
test('a miss names at most five of the nearest routes', async () => {
  const id = await two.mock(Array.from({ length: 20 }, (_, index) => route(`GET /payments/${index}`)));
  const { status, text } = await two.both(id, '/payments/x');
  expect(status).toBe(404);
  expect(text.match(/\/payments\/\d+/g)).toHaveLength(NEAREST_ROUTES_MAX);
});

// reaches WARNINGS_MAX
test('a diff has at most a hundred warnings, and a change with more is saved all the same', async () => {
  const id = await two.mock([route('GET /')]);
  // The second response of each is never reached.
  const routes = Array.from({ length: WARNINGS_MAX + 20 }, (_, index) =>
    route(`GET /${index}`, [{}, { body: 'never' }]),
  );
  await two.save(id, []);
  await two.data('PUT', `/${id}/staged`, { routes });
  expect((await two.data('GET', `/${id}/staged/diff`)).warnings).toHaveLength(WARNINGS_MAX);
  await two.data('POST', `/${id}/save`);
  expect((await two.both(id, `/${WARNINGS_MAX + 19}`)).status).toBe(200);
});

// reaches EXPLAINED_CHARS_MAX
test('an explanation shows at most 200 characters of a value', async () => {
  const rules = [{ target: 'header', property: 'x-a', operator: 'equals', value: 'w' }];
  const id = await two.mock([route('GET /', [{ rules }, {}])]);
  const asked = { method: 'GET', path: '/', headers: { 'x-a': 'v'.repeat(1_000) }, against: 'saved' };
  const { explanation } = await two.data('POST', `/${id}/try`, asked);
  const longest = Math.max(...(JSON.stringify(explanation).match(/v+/g) ?? []).map((text) => text.length));
  expect(longest).toBeGreaterThan(EXPLAINED_CHARS_MAX - 10);
  expect(longest).toBeLessThanOrEqual(EXPLAINED_CHARS_MAX);
});

// reaches METRICS_MOCKS_MAX
test('the metrics name the twenty mocks with the most requests', async () => {
  const ids = await Promise.all(Array.from({ length: METRICS_MOCKS_MAX + 5 }, () => two.mock([route('GET /')])));
  for (const id of ids) await two.both(id, '/');
  const metrics = await two.server.metrics();
  const named = new Set([...metrics.matchAll(/^switchyard_mock_requests\{mock="(\w+)"/gm)].map(([, id]) => id));
  expect(named.delete('_others')).toBe(true);
  expect(named.size).toBe(METRICS_MOCKS_MAX);
  for (const name of ['responses', 'request_duration_seconds_count']) {
    const labels = [...metrics.matchAll(new RegExp(`^switchyard_mock_${name}\\{mock="(\\w+)"`, 'gm'))].map(
      ([, id]) => id,
    );
    expect(new Set(labels)).toEqual(new Set([...named, '_others']));
  }
});
