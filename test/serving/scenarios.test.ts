/** Scenarios in two threads that answer requests as fast as they can, with the states in memory that they share. */
import { Worker } from 'node:worker_threads';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { newState, stateLayoutOf } from '../../src/serving/shared/mock-state.ts';
import { define, response, route } from '../support/mocks.ts';

const RING = ['a', 'b', 'c'];
/** Each state answers once, and moves to the next. */
const ring = RING.map((state, index) =>
  response({
    body: state,
    scenario: { name: 'ring', requires: state, moveTo: RING[(index + 1) % RING.length] as string },
  }),
);

const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads');
const { definition, state, count, started, modules } = workerData;
(async () => {
  (await import(workerData.loader)).register();
  const [{ compileMock }, { answerRequest }, { findRoute }] = await Promise.all(modules.map((each) => import(each)));
  const mock = compileMock({ mockId: 'm', state: 'running', version: 1, definition }, []);
  const counter = { seed: null, state: { words: new Int32Array(state) }, next: () => 1, upcoming: () => 1 };
  const found = findRoute(mock, 'GET', '/');
  const request = { method: 'GET', path: '/', query: '', headers: [], body: undefined };
  const begun = new Int32Array(started);
  Atomics.add(begun, 0, 1);
  while (Atomics.load(begun, 0) < 2);
  const answered = {};
  for (let each = 0; each < count; each++) {
    const { status, body, problem } = answerRequest(found, request, counter);
    const text = problem ?? status + ' ' + Buffer.from(body).toString();
    answered[text] = (answered[text] ?? 0) + 1;
  }
  parentPort.postMessage(answered);
})();`;

const MODULES = ['compile/compile', 'answer-request', 'routing/find-route'].map(
  (name) => new URL(`../../src/serving/matching/${name}.ts`, import.meta.url).href,
);

/** @returns How often each thread answered what. */
async function inTwoThreads(definition: MockDefinition, count: number): Promise<Record<string, number>[]> {
  const state = newState(stateLayoutOf(definition.settings));
  const started = new SharedArrayBuffer(4);
  const workerData = {
    loader: import.meta.resolve('tsx/esm/api'),
    definition,
    count,
    state,
    started,
    modules: MODULES,
  };
  const threads = [1, 2].map(() => new Worker(SCRIPT, { eval: true, workerData }));
  try {
    const answers = threads.map(async (thread) => (await once(thread, 'message'))[0] as Record<string, number>);
    return await Promise.all(answers);
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
}

test('each move is made once, and each answer is that of the state that it moves from', async () => {
  const definition = define([route('GET /', ring)], { scenarios: [{ name: 'ring', states: RING }] });
  const count = 90_000;
  const answers = await inTwoThreads(definition, count);
  const sums = RING.map((state) => answers.reduce((sum, each) => sum + (each[`200 ${state}`] ?? 0), 0));
  expect(sums).toEqual(RING.map(() => (2 * count) / RING.length));
});
