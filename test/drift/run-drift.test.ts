/** A run and the book of runs, with a sandbox and a service that answer at once: what is bounded, and how a run ends. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Answer } from '../../src/drift/answer.ts';
import { compareAnswers } from '../../src/drift/compare-answers.ts';
import type { Check, Drafted } from '../../src/drift/draft-checks.ts';
import { DriftBook } from '../../src/drift/drift-book.ts';
import type { DriftReport } from '../../src/drift/report.ts';
import { DriftRun, type DriftQuery, type DriftPorts } from '../../src/drift/run-drift.ts';
import { isRefusal, refuse } from '../../src/errors.ts';
import {
  DRIFT_CHANGES_MAX,
  DRIFT_CHANGES_PER_RESULT_MAX,
  DRIFT_MS,
  DRIFT_REPORTS_BYTES_MAX,
  DRIFT_REQUESTS_AT_ONCE,
  DRIFT_REQUESTS_MAX,
  DRIFT_RESULTS_MAX,
  DRIFTS_RUNNING_MAX,
} from '../../src/limits.ts';

afterEach(() => void vi.useRealTimers());

const ASKED: DriftQuery = {
  id: 'run',
  mockId: 'm',
  version: 1,
  upstream: 'http://service',
  compare: 'shape',
  ignore: [],
  repeat: 1,
};

const json = (value: unknown): Answer => ({
  status: 200,
  headers: [{ name: 'content-type', value: 'application/json' }],
  body: Buffer.from(JSON.stringify(value)),
});

/** A mock of so many responses, and a service that answers as it. */
function means(count: number, more: Partial<DriftPorts> = {}): DriftPorts {
  const checkOf = (index: number): Check => ({
    index,
    routeId: 'r',
    responseId: `p${index}`,
    route: 'GET /',
    label: '',
    status: 200,
    request: { method: 'GET', path: `/${index}`, query: '', headers: [], body: new Uint8Array() },
    answers: [json({ a: 1 })],
  });
  return {
    async draft(from, atOnce, skipped): Promise<Drafted> {
      const end = Math.min(count, from + atOnce);
      const checks = Array.from({ length: end - from }, (_, at) => checkOf(from + at)).map((check) =>
        skipped === undefined ? check : { ...check, skipped },
      );
      return end === count ? { checks } : { checks, next: end };
    },
    compare: async (...given) => compareAnswers(...given),
    send: async () => json({ a: 1 }),
    ...more,
  };
}

async function reportOf(given: DriftPorts, asked: Partial<DriftQuery> = {}): Promise<DriftReport> {
  const run = new DriftRun({ ...ASKED, ...asked }, given, () => 1);
  await run.finished;
  return run.report;
}

test('so many requests are sent, and no more at a time; the rest is skipped and counted', async () => {
  let most = 0;
  let underWay = 0;
  const report = await reportOf(
    means(DRIFT_REQUESTS_MAX + DRIFT_RESULTS_MAX, {
      async send() {
        most = Math.max(most, ++underWay);
        await new Promise(setImmediate);
        underWay--;
        return json({ a: 1 });
      },
    }),
  );
  // reaches DRIFT_REQUESTS_MAX, DRIFT_REQUESTS_AT_ONCE
  expect(most).toBe(DRIFT_REQUESTS_AT_ONCE);
  expect(report).toMatchObject({
    state: 'finished',
    verdict: 'same',
    requests: DRIFT_REQUESTS_MAX,
    counts: { same: DRIFT_REQUESTS_MAX, skipped: DRIFT_RESULTS_MAX },
  });
  // reaches DRIFT_RESULTS_MAX
  expect(report.results).toHaveLength(DRIFT_RESULTS_MAX);
  expect(report.results.at(-1)).toMatchObject({ verdict: 'skipped', reason: 'tooMany' });
  expect(report.results.map(({ responseId }) => responseId)).toEqual(report.results.map((_, index) => `p${index}`));
});

test('a report lists some changes of each result, fewer once it has many, and counts all', async () => {
  const wide = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, 1]));
  const { results } = await reportOf(means(200, { send: async () => json({ a: 1, ...wide }) }));
  // reaches DRIFT_CHANGES_PER_RESULT_MAX
  expect(results[0]).toMatchObject({ changeCount: 60, breaking: false });
  expect(results[0]?.changes).toHaveLength(DRIFT_CHANGES_PER_RESULT_MAX);
  // reaches DRIFT_CHANGES_MAX
  const listed = results.map(({ changes }) => changes.length);
  expect(listed.slice(0, 100)).toEqual(Array(100).fill(DRIFT_CHANGES_PER_RESULT_MAX));
  expect(100 * DRIFT_CHANGES_PER_RESULT_MAX).toBe(DRIFT_CHANGES_MAX);
  expect(listed.slice(100)).toEqual(Array(100).fill(1));
});

test('a run ends when its time is up, without what is under way', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent: ((answer: Answer) => void)[] = [];
  const send = async (): Promise<Answer> =>
    sent.length < 3 ? new Promise((resolve) => sent.push(resolve)) : json({ a: 1 });
  const run = new DriftRun(ASKED, means(30, { send }), () => 1);
  while (run.report.counts.same < 27) await new Promise(setImmediate);
  // reaches DRIFT_MS
  vi.advanceTimersByTime(DRIFT_MS);
  await run.finished;
  const atEnd = run.report;
  expect(atEnd).toMatchObject({ state: 'outOfTime', verdict: 'same', counts: { same: 27, failed: 0, skipped: 3 } });
  expect(atEnd.results.filter(({ reason }) => reason === 'outOfTime')).toHaveLength(3);
  for (const end of sent) end(json({ a: 'late' }));
  await new Promise(setImmediate);
  expect(run.report).toEqual(atEnd);
});

test('a sandbox that is full is asked again; a task that takes too long is divided, and then skipped', async () => {
  let asked = 0;
  const usual = means(3);
  const draft: DriftPorts['draft'] = async (from, count, skipped) => {
    asked++;
    if (asked === 1) return refuse('overloaded');
    return from === 1 && skipped === undefined ? undefined : usual.draft(from, from === 0 ? 1 : count, skipped);
  };
  expect(await reportOf({ ...usual, draft })).toMatchObject({
    state: 'finished',
    counts: { same: 2, skipped: 1 },
    results: [{ verdict: 'same' }, { reason: 'mockProblem' }, { verdict: 'same' }],
  });
  expect(await reportOf({ ...usual, draft: async () => refuse('draining') })).toMatchObject({
    state: 'cancelled',
    problem: 'Service draining',
  });
});

test('answers are staged that break something and say how the service answers', async () => {
  const statuses = [200, 401, 503, 404];
  const staged: string[] = [];
  const report = await reportOf(
    means(4, {
      send: async ({ path }) => ({ ...json({}), status: statuses[Number(path.slice(1))] ?? 0 }),
      async stage(answers) {
        staged.push(...answers.map(({ responseId, answer }) => `${responseId} ${answer.status}`));
        return answers.length;
      },
    }),
  );
  expect(report).toMatchObject({ verdict: 'breaking', counts: { breaking: 4 }, staged: 2 });
  expect(staged).toEqual(['p0 200', 'p3 404']);
});

const MOCK = { id: 'm', creationDate: 1 };

test('the book bounds the runs of all owners, and the memory of their reports', async () => {
  const book = new DriftBook(() => 1);
  const never = means(1, { send: () => new Promise<Answer>(() => undefined) });
  const begin = (owner: string, given: DriftPorts) => {
    const run = book.begin(owner, MOCK, ASKED, given);
    return isRefusal(run) ? run : run.report.id;
  };
  for (let owner = 0; owner < DRIFTS_RUNNING_MAX; owner++) begin(`owner${owner}`, never);
  // reaches DRIFTS_RUNNING_MAX
  expect(begin('another', never)).toMatchObject({ kind: 'overloaded' });
  book.stop();
  await new Promise(setImmediate);
  expect([...book.counts]).toEqual([['cancelled', DRIFTS_RUNNING_MAX]]);
  const large = means(1, { send: async () => ({ failure: 'x', reason: 'x'.repeat(DRIFT_REPORTS_BYTES_MAX / 3) }) });
  const small = begin('small', means(1)) as string;
  const ids: unknown[] = [];
  for (let owner = 0; owner < 4; owner++) {
    ids.push(begin(`large${owner}`, large));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // reaches DRIFT_REPORTS_BYTES_MAX
  const found = ids.map((id, owner) => !isRefusal(book.find(`large${owner}`, MOCK, id as string)));
  expect(found).toEqual([false, false, true, true]);
  // The owner that has most loses its oldest; one with little loses nothing.
  expect(isRefusal(book.find('small', MOCK, small))).toBe(false);
});
