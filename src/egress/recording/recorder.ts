/**
 * Records exchanges with upstreams. What is over waits for its turn, off the way of answers: its credentials are replaced, and it is kept
 * in the ring. What has to be decoded, or is large, waits in a lane of its own, one after the other and in slices.
 */
import { Bag } from '../../base/bag.ts';
import { Fifo } from '../../base/fifo.ts';
import { atOnce, inSlices, Slices } from '../../base/slices.ts';
import { RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_OWNER, RECORDING_WAITING_MAX } from '../../limits.ts';
import type { RecordedExchange, RecordingPage } from '../../model/mocks/upstream/recording.ts';
import type { AskedRecording, ClearedRecording } from '../process/questions.ts';
import type { UpstreamSink } from '../forward/upstreams.ts';
import { Capture, type RecordedCall } from './capture.ts';
import { decodedParts, exchangeOf, isEncoded, keep, keepNow } from './kept-exchange.ts';
import { RecordingRing, type MockRecording, type RecordedEntry } from './ring.ts';
import { SecretKey, type Secrets } from './secrets.ts';
import { WaitingBytes } from '../../base/waiting-bytes.ts';

/** Bodies up to so many bytes are searched at once. */
const SMALL_BYTES = 65_536;
/** They are gathered for so long: a turn of the event loop for each of them costs more than the rest. */
const GATHERED_MS = 20;

export class Recorder {
  readonly #ring: RecordingRing;
  readonly #key: SecretKey;
  readonly #waiting = new WaitingBytes(RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_OWNER);
  readonly #underWay = new Bag<Capture>();
  /** Over, and not kept yet: all of them, and those of either lane. */
  readonly #ended = new Bag<Capture>();
  readonly #small = new Fifo<Capture>();
  readonly #large = new Fifo<Capture>();
  /** How many wait there. */
  readonly #inLarge = new WaitingBytes(2 * RECORDING_WAITING_MAX, RECORDING_WAITING_MAX);
  #gathers = false;
  #keepsLarge = false;

  /** @param key That of all that this process keeps: equal secrets are then replaced by equal digits. */
  constructor(bytesMax: number, key = new SecretKey()) {
    this.#key = key;
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

  async read({ mockId, before = Infinity, limit, bytesMax, ...filter }: AskedRecording): Promise<RecordingPage> {
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
  async clear({ mockId, session }: ClearedRecording, kept?: ReadonlySet<number>): Promise<null> {
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

  /** What has begun to be answered. */
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
    if (!isSmall && this.#inLarge.take(capture.call.ownerId, 1)) {
      this.#large.push(capture);
      if (!this.#keepsLarge) void this.#keepLarge();
      return;
    }
    if (!isSmall) for (const body of [requestBody, responseBody]) if (body.bytes > 0) body.omit('busy');
    this.#small.push(capture);
    if (!this.#gathers) setTimeout(() => this.#keepSmall(), GATHERED_MS);
    this.#gathers = true;
  };

  #keepSmall(): void {
    const slice = new Slices();
    let capture: Capture | undefined;
    do {
      capture = this.#small.shift();
      if (capture !== undefined) this.#keep(capture, smallEntry(capture, this.#key.of(capture.of.redact)));
    } while (capture !== undefined && !slice.due());
    this.#gathers = this.#small.count > 0;
    if (this.#gathers) setTimeout(() => this.#keepSmall(), 0);
  }

  async #keepLarge(): Promise<void> {
    this.#keepsLarge = true;
    for (let capture = this.#large.shift(); capture !== undefined; capture = this.#large.shift()) {
      this.#inLarge.release(capture.call.ownerId, 1);
      this.#keep(capture, await largeEntry(capture, this.#key.of(capture.of.redact)));
    }
    this.#keepsLarge = false;
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

async function largeEntry(capture: Capture, secrets: Secrets): Promise<RecordedEntry | undefined> {
  try {
    return await inSlices(keep(capture, secrets, capture.isOpen, await decodedParts(capture, capture.isOpen)));
  } catch (error) {
    return report(error);
  }
}

/** One exchange is lost: all others, and what is under way, are not. */
function report(error: unknown): undefined {
  process.stderr.write(`recording: ${(error as Error).stack ?? String(error)}\n`);
}
