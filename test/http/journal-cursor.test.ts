/** What a stream reads of one session on two threads, however much is dropped or unrecorded between its polls. */
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TrafficCursor } from '../../src/http/api/journal/cursor.ts';
import type { TrafficFilter } from '../../src/model/mocks/traffic.ts';
import { mergePages } from '../../src/serving/process/merge-pages.ts';
import { unpackRecords } from '../../src/serving/shared/packed-records.ts';
import { Traffic } from '../../src/serving/thread/traffic/traffic.ts';

const turns = new OwnerTurns((error) => expect.unreachable(String(error)));

const SESSION = 's';

/** Requests to one thread: of the session or of others. `late` ones come while the question is under way. */
const burst = fc.record({
  thread: fc.nat(1),
  isOwn: fc.boolean(),
  isRecorded: fc.boolean(),
  count: fc.nat(700),
  isLate: fc.boolean(),
});
type Burst = typeof burst extends fc.Arbitrary<infer T> ? T : never;

test('what it shows and what it missed are all requests of the session', async () => {
  const rounds = fc.array(fc.array(burst, { maxLength: 4 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(rounds, async (bursts) => {
      const mock = new TwoThreads();
      const cursor = new TrafficCursor(mock, 'm', { session: SESSION }, { position: 0, passed: 0 });
      let told = 0;
      const poll = async (): Promise<boolean> => {
        const found = await cursor.poll();
        if (found === undefined) throw new Error('there is an answer');
        expect(found.missed).toBeGreaterThanOrEqual(0);
        told += found.records.length + found.missed;
        cursor.accept(found);
        return cursor.position < mock.newest;
      };
      for (const round of bursts) {
        for (const each of round) if (!each.isLate) mock.receive(each);
        mock.late = round.filter(({ isLate }) => isLate);
        await poll();
      }
      while (await poll());
      await poll();
      expect(told).toBe(mock.own);
    }),
    { numRuns: 30 },
  );
});

/** Two threads and the main thread of their process, without messages. */
class TwoThreads {
  /** Enough for some 1,400 requests of the session in each. */
  readonly #threads = [new Traffic(2_000_000, 512_000, turns), new Traffic(2_000_000, 512_000, turns)];
  newest = 0;
  own = 0;
  late: readonly Burst[] = [];

  receive({ thread, isOwn, isRecorded, count }: Burst): void {
    const traffic = this.#threads[thread] as Traffic;
    const scope = traffic.of('m', 'acme', isOwn ? SESSION : '');
    if (isOwn) this.own += count;
    for (let index = 0; index < count; index++) {
      this.newest++;
      if (isRecorded) traffic.append(scope, { ...REQUEST, number: this.newest });
      else traffic.markIncomplete(scope, Date.now());
    }
  }

  async requests(mockId: string, asked: TrafficFilter) {
    const newestNumber = this.newest;
    const filter = { ...asked, upToNumber: asked.upToNumber ?? newestNumber };
    for (const each of this.late) this.receive(each);
    this.late = [];
    const page = mergePages(await Promise.all(this.#threads.map((each) => each.read(mockId, filter))), filter);
    return { ...page, records: unpackRecords(page.records), epoch: 'e', resets: 0, numbersFrom: 0, newestNumber };
  }
}

const REQUEST = {
  time: 1,
  method: 'GET',
  path: '/',
  query: '',
  routeId: 'r',
  responseId: 'p',
  problem: '',
  headers: [],
  body: undefined,
  bodyTruncated: false,
  version: 1,
  status: 200,
  durationMs: 0,
  faultCode: 0,
  isStreamed: false,
  message: undefined,
  place: 0,
};
