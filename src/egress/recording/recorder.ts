/**
 * Records exchanges with upstreams. What is over waits for a turn of its owner, off the way of answers: its credentials are replaced, and it
 * is kept in the ring. What has to be decoded, or is large, waits in a lane of the owner, one after the other and in slices.
 */
import { Bag } from '../../base/bag.ts';
import { Fifo } from '../../base/fifo.ts';
import { FairShares } from '../../base/fair-shares.ts';
import { atOnce } from '../../base/slices.ts';
import { RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_OWNER, RECORDING_WAITING_MAX } from '../../limits.ts';
import type { RecordedExchange, RecordingPage } from '../../model/mocks/upstream/recording.ts';
import type { RecordingQuestion, RecordingScope } from '../process/questions.ts';
import type { UpstreamSink } from '../forward/upstreams.ts';
import { Capture, type RecordedCall } from './capture.ts';
import { decodedParts, exchangeOf, isEncoded, keep, keepNow } from './kept-exchange.ts';
import { RecordingRing, type MockRecording, type RecordedEntry } from './ring.ts';
import { SecretKey, type Secrets } from './secrets.ts';
import { WaitingBytes } from '../../base/waiting-bytes.ts';

/** Bodies up to so many bytes are searched at once. */
const SMALL_BYTES = 16_384;
/** They are gathered for so long: a turn of the event loop for each of them costs more than the rest. */
const GATHERED_MS = 20;

export class Recorder {
  readonly #ring: RecordingRing;
  readonly #key: SecretKey;
  readonly #waiting = new WaitingBytes(RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_OWNER);
  readonly #underWay = new Bag<Capture>();
  /** Over, and not kept yet: all of them, and those of either lane. */
  readonly #ended = new Bag<Capture>();
  readonly #small: Capture[] = [];
  /** By owner. */
  readonly #large = new Map<string, Fifo<Capture>>();
  /** How many wait there. */
  readonly #inLarge = new WaitingBytes(2 * RECORDING_WAITING_MAX, RECORDING_WAITING_MAX);
  readonly #shares: FairShares;

  /** @param key That of all that this process keeps: equal secrets are then replaced by equal digits. @param shares The event loop of this process. */
  constructor(bytesMax: number, key = new SecretKey(), shares = new FairShares()) {
    this.#key = key;
    this.#shares = shares;
    this.#ring = new RecordingRing(bytesMax);
  }

  get figures(): { readonly recordingBytes: number; readonly recordingDropped: number } {
    return { recordingBytes: this.#ring.bytes, recordingDropped: this.#ring.dropped };
  }

  /** @returns Undefined for a call that is not to be recorded. */
  begin(call: RecordedCall, body: Buffer, sink: UpstreamSink): Capture | undefined {
    if (call.recording === undefined) return undefined;
    const capture = new Capture(call, call.recording, body, {
      recording: this.#ring.of(call.recording.mockId, call.ownerId),
      waiting: this.#waiting,
      finish: this.#onEnd,
      sink,
    });
    this.#underWay.add(capture);
    return capture;
  }

  async read({ mockId, before = Infinity, limit, bytesMax, ...filter }: RecordingQuestion): Promise<RecordingPage> {
    const { epoch } = this.#ring;
    const recording = this.#ring.find(mockId);
    if (recording === undefined) {
      return { exchanges: [], total: 0, truncated: false, dropped: 0, bytes: 0, nextBefore: null, epoch };
    }
    await this.#settle(recording);
    const all = this.#ring.entriesOf(recording, filter, await this.#openOf(recording));
    const { dropped, bytes } = recording;
    const exchanges: RecordedExchange[] = [];
    let taken = 0;
    let nextBefore: number | null = null;
    for (const entry of all) {
      if (entry.number >= before) continue;
      taken += entry.packed.length;
      if (exchanges.length >= limit || (exchanges.length > 0 && taken > bytesMax)) {
        nextBefore = Number(exchanges.at(-1)?.id);
        break;
      }
      exchanges.push(exchangeOf(entry));
    }
    return { exchanges, total: all.length, truncated: dropped > 0, dropped, bytes, nextBefore, epoch };
  }

  /** All entries by number, of what is over. @param withOpen Also of what has begun to be answered. */
  async entriesOf(mockId: string, withOpen: boolean): Promise<ReadonlyMap<number, RecordedEntry>> {
    const recording = this.#ring.find(mockId);
    if (recording === undefined) return new Map();
    await this.#settle(recording);
    const open = withOpen ? await this.#openOf(recording) : [];
    return new Map(this.#ring.entriesOf(recording, {}, open).map((entry) => [entry.number, entry]));
  }

  /** @param kept Numbers of those that stay. */
  async clear({ mockId, session }: RecordingScope, kept?: ReadonlySet<number>): Promise<null> {
    const recording = this.#ring.find(mockId);
    if (recording === undefined) return null;
    await this.#settle(recording);
    this.#ring.clear(recording, session, kept);
    return null;
  }

  remove(mockId: string): null {
    this.#ring.remove(mockId);
    return null;
  }

  /** Entries of answers that have begun. */
  async #openOf(recording: MockRecording): Promise<RecordedEntry[]> {
    const entries: RecordedEntry[] = [];
    for (const each of this.#underWay.values()) {
      if (each.recording !== recording || each.head === undefined) continue;
      entries.push(await keepNow(each, this.#key.of(each.of.redact)));
    }
    return entries;
  }

  /** Resolves when all is kept that was over before. */
  async #settle(recording: MockRecording): Promise<void> {
    const waits = this.#ended
      .values()
      .filter((each) => each.recording === recording)
      .map((each) => new Promise<void>((resolve) => (each.whenKept ??= []).push(resolve)));
    await Promise.all(waits);
  }

  readonly #onEnd = (capture: Capture): void => {
    this.#underWay.delete(capture);
    this.#ended.add(capture);
    const { requestBody, responseBody } = capture;
    const isSmall = requestBody.bytes + responseBody.bytes <= SMALL_BYTES && !isEncoded(capture);
    const { ownerId } = capture.call;
    if (!isSmall && this.#inLarge.take(ownerId, 1)) {
      const waiting = this.#large.get(ownerId);
      if (waiting !== undefined) return waiting.push(capture);
      const lane = new Fifo<Capture>();
      lane.push(capture);
      this.#large.set(ownerId, lane);
      return void this.#keepLarge(ownerId, lane);
    }
    if (!isSmall) omitBodies(capture);
    if (this.#small.push(capture) === 1) setTimeout(() => this.#keepSmall(), GATHERED_MS);
  };

  #keepSmall(): void {
    for (const capture of this.#small.splice(0)) {
      const keepIt = (): void => this.#keep(capture, smallEntry(capture, this.#key.of(capture.of.redact)));
      if (this.#shares.run(capture.call.ownerId, 0, keepIt)) continue;
      omitBodies(capture);
      keepIt();
    }
  }

  async #keepLarge(ownerId: string, lane: Fifo<Capture>): Promise<void> {
    for (let capture = lane.shift(); capture !== undefined; capture = lane.shift()) {
      this.#inLarge.release(ownerId, 1);
      this.#keep(capture, await this.#largeEntry(capture, this.#key.of(capture.of.redact)));
    }
    this.#large.delete(ownerId);
  }

  async #largeEntry(capture: Capture, secrets: Secrets): Promise<RecordedEntry | undefined> {
    try {
      const steps = keep(capture, secrets, capture.isOpen, await decodedParts(capture, capture.isOpen));
      return await this.#shares.read(capture.call.ownerId, steps);
    } catch (error) {
      return report(error);
    }
  }

  /** @param entry Undefined where an error of the program has left nothing: then it counts as dropped. */
  #keep(capture: Capture, entry: RecordedEntry | undefined): void {
    this.#ring.add(capture.recording, entry);
    capture.requestBody.release();
    capture.responseBody.release();
    this.#ended.delete(capture);
    for (const resolve of capture.whenKept ?? []) resolve();
  }
}

function smallEntry(capture: Capture, secrets: Secrets): RecordedEntry | undefined {
  try {
    return atOnce(keep(capture, secrets, capture.isOpen));
  } catch (error) {
    return report(error);
  }
}

/** One exchange is lost: all others, and what is under way, are not. */
function report(error: unknown): undefined {
  process.stderr.write(`recording: ${(error as Error).stack ?? String(error)}\n`);
}

/** Too much waits for its owner. */
function omitBodies({ requestBody, responseBody }: Capture): void {
  for (const body of [requestBody, responseBody]) if (body.bytes > 0) body.omit('busy');
}
