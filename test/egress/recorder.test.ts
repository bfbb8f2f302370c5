/** How exchanges are kept in the egress process: bounds of a mock, of all, of what waits; what is under way. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Recorder } from '../../src/egress/recording/recorder.ts';
import { WaitingBytes } from '../../src/base/waiting-bytes.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import {
  RECORDING_BYTES_MAX,
  RECORDING_BYTES_PER_MOCK,
  RECORDING_WAITING_BYTES_MAX,
  RECORDING_WAITING_BYTES_PER_OWNER,
  RECORDING_WAITING_MAX,
} from '../../src/limits.ts';
import { upstreamCall } from '../support/upstream-call.ts';

const MIB = 1_048_576;
const NOTHING = Buffer.alloc(0);
const megabyte = Buffer.alloc(1_000_000, 0xff);

const callOf = (mockId: string, session = '', ownerId = 'acme'): UpstreamCall =>
  upstreamCall('http://127.0.0.1:9', { ownerId, recording: { mockId, session, path: '/', query: '', redact: {} } });

const IGNORED = { onHead() {}, onData() {}, onEnd() {}, onCut() {}, onFailure() {} };

/** Begins an exchange whose answer has a head. */
function begin(recorder: Recorder, mockId: string, headers: readonly string[] = [], session = '', ownerId = 'acme') {
  const capture = recorder.begin(callOf(mockId, session, ownerId), NOTHING, IGNORED);
  capture?.onHead({ status: 200, reason: 'OK', headers });
  return { capture, sink: capture };
}

function exchange(
  recorder: Recorder,
  mockId: string,
  body: Buffer,
  headers: readonly string[] = [],
  ownerId = 'acme',
): void {
  const { sink } = begin(recorder, mockId, headers, '', ownerId);
  sink?.onData(body);
  sink?.onEnd();
}

const read = (recorder: Recorder, mockId: string, more: object = {}) =>
  recorder.read({ mockId, limit: 1_000, bytesMax: 100 * MIB, ...more });

test('the oldest of a mock are dropped, and of all mocks those of the one that has most', async () => {
  // reaches RECORDING_BYTES_PER_MOCK, RECORDING_BYTES_MAX
  const recorder = new Recorder(RECORDING_BYTES_MAX);
  exchange(recorder, 'small', megabyte);
  await read(recorder, 'small');
  const perMock = Math.floor(RECORDING_BYTES_PER_MOCK / megabyte.length);
  const mocks = Math.ceil(RECORDING_BYTES_MAX / RECORDING_BYTES_PER_MOCK) + 1;
  for (let mock = 0; mock < mocks; mock++) {
    for (let count = 0; count <= perMock; count++) {
      exchange(recorder, `m${mock}`, megabyte);
      await recorder.read({ mockId: `m${mock}`, limit: 1, bytesMax: 1 });
    }
    const page = await recorder.read({ mockId: `m${mock}`, limit: 1, bytesMax: 1 });
    expect(page.bytes).toBeLessThanOrEqual(RECORDING_BYTES_PER_MOCK);
    expect(page).toMatchObject({ truncated: true, nextBefore: perMock + 1, exchanges: [{ id: String(perMock + 1) }] });
    expect(page.dropped + page.total).toBe(perMock + 1);
  }
  expect(recorder.figures.recordingBytes).toBeLessThanOrEqual(RECORDING_BYTES_MAX);
  expect(recorder.figures.recordingDropped).toBeGreaterThan(mocks);
  expect(await recorder.read({ mockId: 'small', limit: 1, bytesMax: 1 })).toMatchObject({ total: 1, truncated: false });
  await recorder.clear({ mockId: 'm0' });
  expect(await read(recorder, 'm0')).toMatchObject({ total: 0, bytes: 0, dropped: 0, truncated: false });
});

test('bodies that wait are bounded, of one owner and of all', () => {
  // reaches RECORDING_WAITING_BYTES_PER_OWNER, RECORDING_WAITING_BYTES_MAX
  const waiting = new WaitingBytes(RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_OWNER);
  expect(waiting.take('a', RECORDING_WAITING_BYTES_PER_OWNER)).toBe(true);
  expect(waiting.take('a', 1)).toBe(false);
  const half = (RECORDING_WAITING_BYTES_MAX - RECORDING_WAITING_BYTES_PER_OWNER) / 2;
  expect(waiting.take('b', half + 1)).toBe(false);
  expect(waiting.take('b', half)).toBe(true);
  waiting.release('a', RECORDING_WAITING_BYTES_PER_OWNER);
  expect(waiting.take('c', 1)).toBe(true);
  expect(waiting.take('a', 1)).toBe(true);
});

test('a body that finds no space is left out, and its exchange kept', async () => {
  const recorder = new Recorder(RECORDING_BYTES_MAX);
  const open = Array.from(
    { length: Math.ceil(RECORDING_WAITING_BYTES_PER_OWNER / megabyte.length) + 1 },
    (_, index) => {
      const { sink } = begin(recorder, index === 0 ? 'another of the owner' : 'm');
      sink?.onData(megabyte);
      return sink;
    },
  );
  for (const sink of open) sink?.onEnd();
  const { exchanges } = await read(recorder, 'm');
  expect(exchanges).toHaveLength(open.length - 1);
  expect(exchanges[0]).toMatchObject({ partial: true, response: { body: '', bodyOmitted: 'busy' } });
  expect(exchanges.at(-1)).not.toHaveProperty('partial');
  // Nothing waits any more.
  exchange(recorder, 'm', megabyte);
  expect((await read(recorder, 'm')).exchanges[0]).not.toHaveProperty('partial');
});

test('what has to be decoded waits in a lane of bounded length', async () => {
  // reaches RECORDING_WAITING_MAX
  const recorder = new Recorder(RECORDING_BYTES_MAX);
  const zipped = gzipSync('{}');
  for (let count = 0; count < RECORDING_WAITING_MAX + 2; count++)
    exchange(recorder, `m${count % 2}`, zipped, ['content-encoding', 'gzip']);
  exchange(recorder, 'other', zipped, ['content-encoding', 'gzip'], 'bob');
  const [other] = (await read(recorder, 'other')).exchanges;
  expect(other?.response).toMatchObject({ body: '{}' });
  const { exchanges } = await read(recorder, 'm1', { limit: 2_000 });
  expect(exchanges).toHaveLength(RECORDING_WAITING_MAX / 2 + 1);
  expect(exchanges[0]).toMatchObject({ response: { bodyOmitted: 'busy' } });
  expect(exchanges.at(-1)?.response).toMatchObject({ body: '{}', headers: [] });
});

test('a stream is kept from its beginning, without credentials, and while it goes on', async () => {
  const recorder = new Recorder(RECORDING_BYTES_MAX);
  const { capture, sink } = begin(recorder, 'm', ['Content-Type', 'text/event-stream; charset=utf-8'], 'one');
  sink?.onData(Buffer.from('data: {"token":"abc"}\n\ndata: \xe2', 'latin1'));
  const begun = {
    open: true,
    session: 'one',
    response: { body: expect.stringMatching(/"redacted-\w+"\}\n\ndata: $/) },
  };
  expect(await read(recorder, 'm')).toMatchObject({ total: 1, exchanges: [begun] });
  for (let count = 0; count < 3; count++) sink?.onData(megabyte);
  sink?.onEnd();
  capture?.abort();
  const { exchanges } = await read(recorder, 'm', { session: 'one' });
  expect(exchanges).toMatchObject([{ open: true }]);
  expect(Buffer.from(exchanges[0]?.response?.body ?? '', 'base64').length).toBeGreaterThan(MIB - 100);
  expect(exchanges[0]).not.toHaveProperty('partial');
});

test('a mock that is deleted leaves nothing, also of what is under way', async () => {
  const recorder = new Recorder(RECORDING_BYTES_MAX);
  exchange(recorder, 'm', megabyte);
  await read(recorder, 'm');
  const { sink } = begin(recorder, 'm');
  recorder.remove('m');
  sink?.onEnd();
  expect(await read(recorder, 'm')).toMatchObject({ total: 0, bytes: 0 });
  expect(recorder.figures.recordingBytes).toBe(0);
});

test('no credential is in the reason of an answer, or of a failure', async () => {
  const recorder = new Recorder(MIB);
  const { capture } = begin(recorder, 'shop');
  capture?.onHead({ status: 302, reason: 'See ?token=hunter2', headers: [] });
  capture?.onEnd();
  const failing = recorder.begin(callOf('shop'), NOTHING, IGNORED);
  failing?.onFailure('outsideBase', '/..%2f;token=hunter2/x is outside /v1');
  const { exchanges } = await read(recorder, 'shop');
  expect(exchanges).toHaveLength(2);
  expect(JSON.stringify(exchanges)).not.toContain('hunter2');
});

test('what has not ended is read in slices: other calls go on meanwhile', async () => {
  const recorder = new Recorder(MIB);
  const text = Buffer.from('data: {"token":"hunter2","a":[1,2,3]}\n\n'.repeat(20_000));
  for (let count = 0; count < 6; count++)
    begin(recorder, 'shop', ['content-type', 'text/event-stream']).sink?.onData(text);
  let turns = 0;
  const reading = read(recorder, 'shop');
  const ended = reading.then(() => true);
  const turn = () => new Promise<boolean>((next) => setImmediate(() => next(false)));
  while (!(await Promise.race([ended, turn()]))) turns++;
  expect((await reading).exchanges).toHaveLength(6);
  expect(turns).toBeGreaterThan(6);
});
