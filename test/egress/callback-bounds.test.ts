/** Callbacks whose attempts fail at once, and those that are mostly header lines: neither ends the process, nor fills it. */
import { expect, test } from 'vitest';
import { Callbacks } from '../../src/egress/callbacks/callbacks.ts';
import type { Upstreams, UpstreamSink } from '../../src/egress/forward/upstreams.ts';
import type { CallbackSent } from '../../src/forward/callbacks-sent.ts';
import { CALLBACKS_RUNNING_MAX, CALLBACKS_WAITING_MAX } from '../../src/limits.ts';

const FLOW = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };

/** @param forward Takes each attempt. */
function callbacksOver(
  forward: (sink: UpstreamSink) => void,
): (callback: Partial<CallbackSent>, ownerId?: string) => Callbacks {
  const upstreams = {
    forward: (_call: unknown, _body: unknown, sink: UpstreamSink) => (forward(sink), FLOW),
  } as unknown as Upstreams;
  const callbacks = new Callbacks({ upstreams, allow: [], allowsLoopback: true });
  const from = { mockId: 'shop', sessionId: '', sessionCreatedAt: 0, requestNumber: 1, depth: 0 };
  const usual: CallbackSent = {
    name: '',
    url: 'http://127.0.0.1:9/',
    method: 'POST',
    headers: [],
    body: '',
    bodyEncoding: 'text',
    delaysMs: [0],
    timeoutMs: 1_000,
    retries: 10,
    backoffMs: [0],
    key: undefined,
    isHostChosen: false,
    problem: undefined,
  };
  return (callback, ownerId = 'ann') => {
    callbacks.take({ ...from, ownerId, callbacks: [{ ...usual, ...callback }] });
    return callbacks;
  };
}

test('attempts that fail at once, one after the other, end as others do', async () => {
  const held: UpstreamSink[] = [];
  const take = callbacksOver((sink) => {
    if (held.length < CALLBACKS_RUNNING_MAX) held.push(sink);
    else sink.onFailure('busy', 'too many');
  });
  const all = CALLBACKS_RUNNING_MAX + CALLBACKS_WAITING_MAX;
  let callbacks = take({ retries: 3 });
  for (let count = 1; count < all; count++) callbacks = take({ retries: 3 });
  for (const sink of held) sink.onFailure('busy', 'too many');
  await expect.poll(() => callbacks.figures, { timeout: 5_000 }).toMatchObject({ counts: { failed: all }, waiting: 0 });
});

// reaches CALLBACKS_WAITING_IN_ALL_BYTES_MAX
test('header lines count as bodies do, while they wait and in records', async () => {
  const take = callbacksOver(() => undefined);
  const headers = Array.from({ length: 100 }, (_, index) => [`x-${index}`, 'v'.repeat(8_000)]).flat();
  let callbacks = take({ headers });
  for (let count = 1; count < 60; count++) callbacks = take({ headers });
  expect(callbacks.figures).toMatchObject({ counts: { dropped: 60 - 20 }, waiting: 20 });
  for (let count = 0; count < 80; count++) callbacks = take({ headers }, `owner ${count % 4}`);
  // Five have all that they may: the next one finds a place.
  const { waiting } = callbacks.figures;
  expect(take({ headers }, 'late').figures.waiting).toBe(waiting + 1);
  const filter = {};
  const page = await callbacks.page({ mockId: 'shop', filter, limit: 100 });
  expect(page).toMatchObject({ total: 2, truncated: true });
});

test('a list that was emptied does not come to a revision that it has had', async () => {
  const take = callbacksOver((sink) => sink.onHead({ status: 200, reason: 'OK', headers: [] }));
  const question = { mockId: 'shop', filter: {}, limit: 10 };
  const before = await take({}).page(question);
  const callbacks = take({});
  callbacks.forget({ mockId: 'shop' });
  take({});
  const after = { revision: before.revision, waitMs: 2_000 };
  const begun = performance.now();
  expect((await callbacks.page({ ...question, after })).revision).not.toBe(before.revision);
  expect(performance.now() - begun).toBeLessThan(1_000);
});
