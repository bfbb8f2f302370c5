/** A thread may be busy for longer than the time of a hang, with requests that are each within their limit. */
import { expect, test } from 'vitest';
import { BEAT_MS, BEATS_MISSED_MAX } from '../../src/limits.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';

const REQUESTS = 1_500;

test('a thread that takes many slow requests on one turn is not taken for one that hangs', async () => {
  // Each ends at its work limit. The body is small, so that all requests have arrived when the thread returns to the
  // event loop, which then handles them before any timer.
  const body = `{{#repeat 50}}{{#repeat 950}}{{body '${'0.'.repeat(9_000)}0'}}{{/repeat}}{{/repeat}}`;
  const deep = [route('/', [response({ body, templated: true })], { method: 'POST' })];
  const data = await TestPlane.start({ workers: 1 }, [mock('deep', deep)]);
  const { epoch } = data.plane;
  const asked = { mock: 'deep', method: 'POST', body: `${'['.repeat(9_001)}1${']'.repeat(9_001)}` };
  const since = performance.now();
  const replies = await Promise.all(Array.from({ length: REQUESTS }, () => data.ask('/', asked)));
  // Else it proves nothing.
  expect(performance.now() - since).toBeGreaterThan(BEAT_MS * BEATS_MISSED_MAX);
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([500]));
  expect(data.plane.epoch).toBe(epoch);
  expect(data.plane.restarts).toBe(0);
  await data.plane.close();
});
