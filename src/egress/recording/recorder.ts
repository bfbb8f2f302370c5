/**
 * Records exchanges with upstreams. What is over waits for its turn, off the way of answers: the values of its credentials are replaced,
 * and it is kept in the ring.
 */
import { isUtf8 } from 'node:buffer';
import { bodyMembers } from '../../base/body-members.ts';
import { pack, unpack } from '../../forward/envelope.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import type { BodyOmitted, RecordedExchange, RecordingPage } from '../../model/mocks/upstream/recording.ts';
import type { AskedRecording, ClearedRecording } from '../process/questions.ts';
import { Capture } from './capture.ts';
import { RecordingRing, type MockRecording, type RecordedEntry } from './ring.ts';
import { WaitingBytes } from './waiting-bytes.ts';

/** An exchange as it is kept, without its bodies: they follow it. */
interface KeptHead {
  readonly number: number;
  readonly session: string;
  readonly time: number;
  readonly headMs: number | undefined;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly url: string;
  readonly request: KeptPart;
  readonly response: (KeptPart & { readonly status: number; readonly reason: string }) | undefined;
  readonly isOpen: boolean;
  readonly failed: Capture['failed'];
}

interface KeptPart {
  /** Names and values, alternating. */
  readonly lines: readonly string[];
  readonly bodyBytes: number;
  readonly omitted: BodyOmitted | undefined;
}

export class Recorder {
  readonly #ring: RecordingRing;
  readonly #waiting = new WaitingBytes();
  /** Over, and not kept yet. */
  readonly #ended = new Set<Capture>();
  readonly #underWay = new Set<Capture>();
  #isDraining = false;

  constructor(bytesMax: number) {
    this.#ring = new RecordingRing(bytesMax);
  }

  get figures(): { readonly recordingBytes: number; readonly recordingDropped: number } {
    return { recordingBytes: this.#ring.bytes, recordingDropped: this.#ring.dropped };
  }

  /** @returns Undefined for a call that is not to be recorded. */
  begin(call: UpstreamCall, body: Buffer): Capture | undefined {
    if (call.recording === undefined) return undefined;
    const capture = new Capture(call, call.recording, body, {
      recording: this.#ring.of(call.recording.mockId),
      waiting: this.#waiting,
      finish: (ended) => this.#onEnd(ended),
    });
    this.#underWay.add(capture);
    return capture;
  }

  async read(asked: AskedRecording): Promise<RecordingPage> {
    const { mockId, before = Infinity, limit, bytesMax, ...filter } = asked;
    const { epoch } = this.#ring;
    const recording = this.#ring.find(mockId);
    if (recording === undefined) {
      return { exchanges: [], total: 0, truncated: false, dropped: 0, bytes: 0, nextBefore: null, epoch };
    }
    await this.#settle(recording);
    const open = [...this.#underWay].filter((each) => each.recording === recording && each.head !== undefined);
    const begun = open.map((capture) => entryOf(capture, true));
    const all = this.#ring.entriesOf(recording, filter, begun);
    const { dropped, bytes } = recording;
    const exchanges: RecordedExchange[] = [];
    let taken = 0;
    let last: number | undefined;
    let hasMore = false;
    for (const entry of all) {
      if (entry.number >= before) continue;
      taken += entry.packed.length;
      hasMore = exchanges.length >= limit || (exchanges.length > 0 && taken > bytesMax);
      if (hasMore) break;
      exchanges.push(exchangeOf(entry));
      last = entry.number;
    }
    const nextBefore = hasMore ? (last ?? null) : null;
    return { exchanges, total: all.length, truncated: dropped > 0, dropped, bytes, nextBefore, epoch };
  }

  async clear({ mockId, session }: ClearedRecording): Promise<null> {
    const recording = this.#ring.find(mockId);
    if (recording === undefined) return null;
    await this.#settle(recording);
    this.#ring.clear(recording, session);
    return null;
  }

  remove(mockId: string): null {
    this.#ring.remove(mockId);
    return null;
  }

  /** Resolves when all is kept that was over before. */
  async #settle(recording: MockRecording): Promise<void> {
    const waits = [...this.#ended]
      .filter((each) => each.recording === recording)
      .map((each) => new Promise<void>((resolve) => (each.whenKept ??= []).push(resolve)));
    await Promise.all(waits);
  }

  #onEnd(capture: Capture): void {
    this.#underWay.delete(capture);
    this.#ended.add(capture);
    if (this.#isDraining) return;
    this.#isDraining = true;
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    for (const capture of this.#ended) {
      this.#ring.add(capture.recording, entryOf(capture, capture.isOpen));
      capture.requestBody.release();
      capture.responseBody.release();
      this.#ended.delete(capture);
      for (const resolve of capture.whenKept ?? []) resolve();
    }
    this.#isDraining = false;
  }
}

function entryOf(capture: Capture, isOpen: boolean): RecordedEntry {
  const { number, time, call, of, head, headMs, ms, failed, url, requestLines } = capture;
  const [request, response] = [capture.requestBody.read(), capture.responseBody.read()];
  const kept: KeptHead = {
    number,
    session: of.session,
    time,
    headMs,
    durationMs: ms,
    method: call.method,
    path: of.path,
    query: of.query,
    url,
    request: { lines: requestLines, bodyBytes: request.length, omitted: capture.requestBody.omitted },
    response: head && {
      status: head.status,
      reason: head.reason,
      lines: head.headers,
      bodyBytes: response.length,
      omitted: capture.responseBody.omitted,
    },
    isOpen,
    failed,
  };
  const packed = pack(kept, request, response);
  return { number, session: of.session, time, status: head?.status ?? 0, packed };
}

function exchangeOf({ packed }: RecordedEntry): RecordedExchange {
  const { head, body } = unpack(packed) as { head: KeptHead; body: Buffer };
  const { number, session, time, headMs, durationMs, method, path, query, url, request, response, isOpen, failed } =
    head;
  const isPartial = request.omitted !== undefined || response?.omitted !== undefined;
  return {
    id: String(number),
    ...(session === '' ? {} : { session }),
    time,
    ...(headMs === undefined ? {} : { headMs: rounded(headMs) }),
    durationMs: rounded(durationMs),
    method,
    path,
    query,
    url,
    request: partOf(request, body.subarray(0, request.bodyBytes)),
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            reason: response.reason,
            ...partOf(response, body.subarray(request.bodyBytes), isOpen),
          },
        }),
    ...(isPartial ? { partial: true } : {}),
    ...(isOpen ? { open: true } : {}),
    ...(failed === undefined ? {} : { failed }),
  };
}

function partOf({ lines, omitted }: KeptPart, body: Buffer, isCut = false): RecordedExchange['request'] {
  const headers: { name: string; value: string }[] = [];
  for (let at = 0; at < lines.length; at += 2)
    headers.push({ name: lines[at] as string, value: readable(lines[at + 1] as string) });
  return { headers, ...bodyMembers(body, isCut), ...(omitted === undefined ? {} : { bodyOmitted: omitted }) };
}

/** Bytes above 127 are as one character each. */
function readable(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;
