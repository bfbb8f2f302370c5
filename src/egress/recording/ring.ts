/**
 * Recorded exchanges, in memory alone, each as one buffer. The oldest of a mock are dropped when it has too many; when all have, those of
 * the owner that has most, of its mock that has most. A new process has none, and another epoch.
 */
import { Fifo } from '../../base/fifo.ts';
import { LargestPartFirst } from '../../base/largest-first.ts';
import { randomId } from '../../base/random-id.ts';
import { RECORDING_BYTES_PER_MOCK } from '../../limits.ts';
import { hostSet } from '../live-rules/host-table.ts';
import { isOfHost } from '../live-rules/match-exchange.ts';
import type { RecordingFilter } from '../../model/mocks/upstream/recording.ts';

export interface RecordedEntry {
  readonly number: number;
  readonly session: string;
  readonly time: number;
  /** 0 without an answer. */
  readonly status: number;
  /** The origin that was asked, and a base path. */
  readonly upstream: string;
  readonly packed: Buffer;
}

/** The recording of a mock. */
export interface MockRecording {
  readonly ownerId: string;
  entries: Fifo<RecordedEntry>;
  bytes: number;
  dropped: number;
  /** The number of the last exchange that has begun. */
  newest: number;
  /** The mock was deleted: what is still under way is not kept. */
  isRemoved: boolean;
}

/** Bytes of an entry beside its content. */
const ENTRY_BYTES = 200;
const EPOCH_CHARS = 12;
const NONE: ReadonlySet<number> = new Set();

const bytesOf = ({ packed }: RecordedEntry): number => packed.length + ENTRY_BYTES;

export class RecordingRing {
  readonly epoch = randomId(EPOCH_CHARS);
  readonly #bytesMax: number;
  readonly #recordings = new Map<string, MockRecording>();
  readonly #shares = new LargestPartFirst<MockRecording>();
  #dropped = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#shares.total;
  }

  /** Exchanges of all mocks that were dropped to stay within the bounds. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Makes it with the first exchange. */
  of(mockId: string, ownerId: string): MockRecording {
    let recording = this.#recordings.get(mockId);
    if (recording === undefined) {
      recording = { ownerId, entries: new Fifo(), bytes: 0, dropped: 0, newest: 0, isRemoved: false };
      this.#recordings.set(mockId, recording);
    }
    return recording;
  }

  find(mockId: string): MockRecording | undefined {
    return this.#recordings.get(mockId);
  }

  /** @param entry Undefined for one that is dropped at once. */
  add(recording: MockRecording, entry: RecordedEntry | undefined): void {
    if (recording.isRemoved) return;
    if (entry === undefined) return this.#countDrop(recording);
    recording.entries.push(entry);
    this.#count(recording, bytesOf(entry));
    const ownMax = Math.min(RECORDING_BYTES_PER_MOCK, this.#bytesMax);
    while (recording.bytes > ownMax) this.#drop(recording);
    while (this.bytes > this.#bytesMax) this.#drop(this.#shares.largest() as MockRecording);
  }

  /** Those that fit, newest first, with others that do. */
  entriesOf(
    { entries }: MockRecording,
    { session, since, status, host }: RecordingFilter,
    others: readonly RecordedEntry[],
  ): RecordedEntry[] {
    const kept = entries.values();
    const hosts = host === undefined ? undefined : hostSet([host]);
    // One may have ended since it was read.
    const further = others.filter(({ number }) => kept.every((each) => each.number !== number));
    return [...kept, ...further]
      .filter(
        (entry) =>
          (session === undefined || entry.session === session) &&
          (since === undefined || entry.time >= since) &&
          (status === undefined || entry.status === status) &&
          (hosts === undefined || isOfHost(hosts, entry.upstream)),
      )
      .toSorted((one, other) => other.number - one.number);
  }

  /** @param session All where it is undefined. @param staying Numbers of those that stay. */
  clear(recording: MockRecording, session: string | undefined, staying: ReadonlySet<number> = NONE): void {
    const kept = new Fifo<RecordedEntry>();
    let bytes = 0;
    for (const entry of recording.entries.values()) {
      if ((session === undefined || entry.session === session) && !staying.has(entry.number)) continue;
      kept.push(entry);
      bytes += bytesOf(entry);
    }
    recording.entries = kept;
    this.#count(recording, bytes - recording.bytes);
    if (session === undefined) recording.dropped = 0;
  }

  /** A mock that is made with its id has nothing of it. */
  remove(mockId: string): void {
    const recording = this.#recordings.get(mockId);
    if (recording === undefined) return;
    this.clear(recording, undefined);
    recording.isRemoved = true;
    this.#recordings.delete(mockId);
  }

  #drop(recording: MockRecording): void {
    const entry = recording.entries.shift();
    if (entry === undefined) return;
    this.#count(recording, -bytesOf(entry));
    this.#countDrop(recording);
  }

  #countDrop(recording: MockRecording): void {
    recording.dropped++;
    this.#dropped++;
  }

  #count(recording: MockRecording, bytes: number): void {
    recording.bytes += bytes;
    this.#shares.change(recording.ownerId, recording, bytes);
  }
}
