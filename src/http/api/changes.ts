/**
 * The changes of an owner's records as server-sent events, for editors and viewers: who did what to which records, and
 * nothing of their content; docs/api.md, "Changes".
 *
 * Each stream reads the durable history from where it is. So a client that does not keep up still gets everything later,
 * and no memory is held for it in the meantime.
 */
import type { Later } from '../../base/later.ts';
import { isRefusal, refuse, type Refusal, StoreUnavailableError } from '../../errors.ts';
import { STREAM_POLL_MS } from '../../limits.ts';
import { changesQuerySchema, type HistoryEntry } from '../../model/history.ts';
import { readVersion } from '../../model/query-history.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import type { Call } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { operations } from './operation.ts';
import { admitStream, EVENT_STREAM, EventStream } from '../event-stream.ts';
import { readDeclaredQuery, unexpected } from './declared-query.ts';

const operation = operations('History');

/** Changes that a stream of them reads at once: fifty streams that read on from far back take a fifth of the time. */
const CHANGES_PER_POLL_MAX = 100;

/** Reads an owner's durable history above a version, oldest first. */
export type HistoryAfter = (ownerId: string, version: number, countMax: number) => Later<readonly HistoryEntry[]>;

/** @param mayContinue Whether a stream's key is still valid, and the service is not stopping. */
export function changesApi(
  owners: OwnerDirectory,
  historyAfter: HistoryAfter,
  mayContinue: (call: Call) => boolean,
): Endpoint[] {
  return [
    operation('streamChanges', 'GET /v1/changes', {
      summary: 'Follow changes as server-sent events: `start`, `change`, and `gap` when some are no longer kept',
      query: changesQuerySchema,
      events: true,
      refuses: ['draining'],
      handle(call) {
        const after = resumedAfter(call);
        if (isRefusal(after)) return call.refuse(after);
        owners.query(readVersion, undefined, call.caller, (version) => {
          if (isRefusal(version)) return call.refuse(version);
          if (!admitStream(call, mayContinue)) return;
          const changes = new ChangeReader(call.caller.ownerId, historyAfter);
          return void call.later(changes.begin(after ?? version, version), (begun) => {
            if (call.aborted) return;
            void follow(call, changes, begun, () => mayContinue(call));
          });
        });
      },
    }),
  ];
}

/** Runs until the client disconnects, its access ends, or the service stops. */
async function follow(call: Call, changes: ChangeReader, begun: string, isAllowed: () => boolean): Promise<void> {
  const stream = new EventStream(call);
  call.startStream(EVENT_STREAM);
  stream.write(begun);
  let isReading = false;
  const polling = setInterval(async () => {
    if (isReading || !call.isStream || !stream.keepsUp) return;
    isReading = true;
    try {
      const events = await changes.next();
      if (events !== '' && call.isStream) stream.write(events);
    } catch (error) {
      // The next poll may find the store again.
      if (error instanceof StoreUnavailableError) return;
      // The history is damaged: what follows cannot be read either.
      call.fail(error);
      call.endStream();
    } finally {
      isReading = false;
    }
  }, STREAM_POLL_MS);
  try {
    await stream.hold(isAllowed, () => undefined);
  } finally {
    clearInterval(polling);
  }
}

/** Reads one owner's history on from where it is, as events. */
class ChangeReader {
  readonly #ownerId: string;
  readonly #historyAfter: HistoryAfter;
  /** The version of the last entry that was written. */
  #last = 0;

  constructor(ownerId: string, historyAfter: HistoryAfter) {
    this.#ownerId = ownerId;
    this.#historyAfter = historyAfter;
  }

  /**
   * @param after   The last version that the client knows.
   * @param version The owner's version.
   */
  async begin(after: number, version: number): Promise<string> {
    const kept = after < version ? (await this.#historyAfter(this.#ownerId, after, 1))[0] : undefined;
    // What a client knows of another store, or of one before a restore, may be above everything here.
    this.#last = kept === undefined ? version : kept.version - 1;
    const start = event('start', this.#last, { version: this.#last });
    return after === this.#last ? start : start + gap(after, this.#last);
  }

  /** @returns The next events; empty when there are none. */
  async next(): Promise<string> {
    let events = '';
    for (const entry of await this.#historyAfter(this.#ownerId, this.#last, CHANGES_PER_POLL_MAX)) {
      const { version, date, userId, command, recordIds, recordCount } = entry;
      // Pruned while the client did not keep up.
      if (version > this.#last + 1) events += gap(this.#last, version - 1);
      events += event('change', version, { version, date, user: userId, command, recordIds, recordCount });
      this.#last = version;
    }
    return events;
  }
}

function gap(after: number, version: number): string {
  return event('gap', version, { after, version });
}

function event(type: 'start' | 'change' | 'gap', id: number, data: object): string {
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** A client that connects again repeats its query, and sends the id of the last event that it got. */
function resumedAfter({ head }: Call): number | undefined | Refusal {
  const given = readDeclaredQuery(head.query, changesQuerySchema);
  const { lastEventId } = head;
  if (isRefusal(given) || lastEventId === undefined) return isRefusal(given) ? given : given.after;
  return /^\d{1,15}$/.test(lastEventId)
    ? Number(lastEventId)
    : refuse('badRequest', [unexpected('Last-Event-ID', 'the id of an event', lastEventId)]);
}
