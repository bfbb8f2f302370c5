/** Callbacks whose attempts fail at once, and those that are mostly header lines: neither ends the process, nor fills it. */
import { expect, test } from 'vitest';
import { Callbacks } from '../../src/egress/callbacks/callbacks.ts';
import type { Upstreams, UpstreamSink } from '../../src/egress/forward/upstreams.ts';
import type { CallbackSent } from '../../src/forward/callbacks-sent.ts';
import { CALLBACKS_RUNNING_MAX, CALLBACKS_WAITING_MAX } from '../../src/limits.ts';

const FLOW = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };

/** @param forward Takes each attempt. */
function callbacksOver(forward: (sink: UpstreamSink) => void): (callback: Partial<CallbackSent>) => Callbacks {
  const upstreams = {
    forward: (_call: unknown, _body: unknown, sink: UpstreamSink) => (forward(sink), FLOW),
  } as unknown as Upstreams;
  const callbacks = new Callbacks({ upstreams, allow: [], allowsLoopback: true });
  const from = { ownerId: 'ann', mockId: 'shop', sessionId: '', sessionCreatedAt: 0, requestNumber: 1, depth: 0 };
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
  return (callback) => (callbacks.take({ ...from, callbacks: [{ ...usual, ...callback }] }), callbacks);
}

test('attempts that fail at once, one after the other, end as others do', async () => {
  const held: UpstreamSink[] = [];
  const take = callbacksOver((sink) => {
    if (held.length < CALLBACKS_RUNNING_MAX) held.push(sink);
    else sink.onFailure('busy', 'too many');
  });
  const all = CALLBACKS_RUNNING_MAX + CALLBACKS_WAITING_MAX;
  let callbacks = take({});
  for (let count = 1; count < all; count++) callbacks = take({});
  for (const sink of held) sink.onFailure('busy', 'too many');
  await expect.poll(() => callbacks.figures, { timeout: 5_000 }).toMatchObject({ counts: { failed: all }, waiting: 0 });
});
