/** A thread may be busy for longer than the time of a hang, with requests that are each within their limit. */
import { expect, test } from 'vitest';
import { BEAT_MS, BEATS_MISSED_MAX } from '../../src/limits.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';

const HANG_MS = BEAT_MS * BEATS_MISSED_MAX;
const SAMPLE = 200;

test('a thread that takes many slow requests on one turn is not taken for one that hangs', async () => {
  // Each ends at its work limit. The body is small, so that all requests have arrived when the thread returns to the
  // event loop, which then handles them before any timer.
  const body = `{{#repeat 50}}{{#repeat 950}}{{body '${'0.'.repeat(9_000)}0'}}{{/repeat}}{{/repeat}}`;
  const deep = [route('/', [response({ body, templated: true })], { method: 'POST' })];
  const data = await TestPlane.start({ workers: 1 }, [mock('deep', deep)]);
  const { epoch } = data.plane;
  const asked = { mock: 'deep', method: 'POST', body: `${'['.repeat(9_001)}1${']'.repeat(9_001)}` };
  const timed = async (requests: number) => {
    const since = performance.now();
    const replies = await Promise.all(Array.from({ length: requests }, () => data.ask('/', asked)));
    return {
      status: [...new Set(replies.map(({ status }) => status))],
      milliseconds: performance.now() - since,
    };
  };
  const { status: sampled, milliseconds } = await timed(SAMPLE);
  expect(sampled).toEqual([500]);
  // By the time of a sample, so that the turn lasts for long enough on a fast machine, too.
  const turn = await timed(Math.ceil((SAMPLE * HANG_MS * 1.5) / milliseconds));
  // Else it proves nothing.
  expect(turn.milliseconds).toBeGreaterThan(HANG_MS);
  expect(turn.status).toEqual([500]);
  expect(data.plane.epoch).toBe(epoch);
  expect(data.plane.restarts).toBe(0);
  await data.plane.close();
});
