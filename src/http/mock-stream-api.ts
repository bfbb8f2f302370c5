/**
 * The live stream of a mock's requests, as server-sent events; mocks.md, `GET /mocks/:id/requests/stream`.
 *
 * The data plane is asked now and then for what is new, whatever the number of followers and their speed: a stream never holds it up.
 * A follower who does not keep up misses requests, and is told how many.
 */
import { Type } from 'typebox';
import { isRefusal } from '../errors.ts';
import {
  STREAM_ALLOWED_MS,
  STREAM_EVENTS_PER_LOOK_MAX,
  STREAM_LOOK_MS,
  STREAM_SILENCE_MS,
  STREAMS_MAX,
} from '../limits.ts';
import { readMock } from '../model/mocks/query-mock.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { representRequest, type MockTraffic } from './mock-traffic-api.ts';

const EVENT_STREAM = 'text/event-stream; charset=utf-8';

let streams = 0;

/** @param mayGoOn Whether a stream's key is still valid, and the service does not stop. */
export function mockStreamApi(
  owners: OwnerDirectory,
  traffic: MockTraffic,
  mayGoOn: (call: Call) => boolean,
): Endpoint[] {
  return [
    {
      method: 'GET',
      path: '/v1/mocks/:id/requests/stream',
      access: 'read',
      doc: {
        operationId: 'streamRequests',
        tag: 'Traffic',
        summary: 'Follow recorded requests as server-sent events: `request`, `dropped` with a count, `reset`',
        answer: Type.Object({}),
        contentType: 'text/event-stream',
        refusals: ['mockNotFound', 'overloaded'],
      },
      handle: (call) =>
        owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) => {
          if (isRefusal(mock)) return call.refuse(mock);
          if (call.head.method === 'HEAD') return call.send(200, EVENT_STREAM, '');
          if (streams >= STREAMS_MAX) return call.refuse('overloaded');
          if (!mayGoOn(call)) return call.refuse('draining');
          const isThere = (): Promise<boolean> =>
            new Promise((resolve) => {
              owners.query(readMock, { mockId: mock.id }, call.caller, (found) => resolve(!isRefusal(found)));
            });
          return void follow(call, mock.id, traffic, async () => mayGoOn(call) && (await isThere()));
        }),
    },
  ];
}

/** Runs until the client leaves or the service stops. */
async function follow(
  call: Call,
  mockId: string,
  traffic: MockTraffic,
  isAllowed: () => Promise<boolean>,
): Promise<void> {
  streams++;
  call.startStream(EVENT_STREAM);
  try {
    let { last, epoch, resets } = await newest(mockId, traffic);
    let isKeepingUp = true;
    let silentSince = performance.now();
    let allowedAt = performance.now();
    const write = (text: string): void => {
      silentSince = performance.now();
      if (call.writeStream(text)) return;
      isKeepingUp = false;
      if (call.isStream && !call.aborted) call.onceWritable(() => (isKeepingUp = true));
    };
    while (call.isStream && !call.aborted) {
      await new Promise((resolve) => setTimeout(resolve, STREAM_LOOK_MS));
      if (performance.now() - allowedAt > STREAM_ALLOWED_MS) {
        // A key that was revoked meanwhile, or a mock that was deleted, ends the stream.
        if (!(await isAllowed())) return;
        allowedAt = performance.now();
      }
      if (!isKeepingUp || !call.isStream || call.aborted) continue;
      const page = await traffic.requests(mockId, { afterNumber: last, limit: STREAM_EVENTS_PER_LOOK_MAX });
      if (page === undefined) continue;
      if (page.epoch !== epoch || page.resets !== resets) {
        ({ epoch, resets } = page);
        last = 0;
        write('event: reset\ndata: {}\n\n');
        continue;
      }
      const records = page.records.toReversed();
      const first = records[0];
      if (first !== undefined && first.number > last + 1) {
        write(`event: dropped\ndata: {"count":${first.number - last - 1}}\n\n`);
      }
      for (const record of records) {
        write(`id: ${record.number}\nevent: request\ndata: ${JSON.stringify(representRequest(record))}\n\n`);
        last = record.number;
      }
      if (performance.now() - silentSince > STREAM_SILENCE_MS) write(':\n\n');
    }
  } finally {
    streams--;
    call.endStream();
  }
}

async function newest(mockId: string, traffic: MockTraffic): Promise<{ last: number; epoch: string; resets: number }> {
  const { records = [], epoch = '', resets = 0 } = (await traffic.requests(mockId, { limit: 1 })) ?? {};
  return { last: records[0]?.number ?? 0, epoch, resets };
}
