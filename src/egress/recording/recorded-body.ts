/** A body as it is received, up to what is kept of one. */
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { BodyOmitted } from '../../model/mocks/upstream/recording.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';

/** Parts that are joined then: many small ones would take more than their bytes. */
const PARTS_MAX = 1_000;

const NOTHING = Buffer.alloc(0);

export class RecordedBody {
  /** Whether what is beyond the bound is left out, rather than the whole. */
  keepsBeginning = false;
  readonly #waiting: WaitingBytes;
  readonly #mockId: string;
  #parts: Buffer[] = [];
  #bytes = 0;
  #omitted: BodyOmitted | undefined;
  #isFull = false;

  constructor(waiting: WaitingBytes, mockId: string) {
    this.#waiting = waiting;
    this.#mockId = mockId;
  }

  /** Why nothing is kept. */
  get omitted(): BodyOmitted | undefined {
    return this.#omitted;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the beginning was kept, and the rest left out. */
  get isFull(): boolean {
    return this.#isFull;
  }

  push(part: Buffer): void {
    if (this.#omitted !== undefined || this.#isFull || part.length === 0) return;
    const space = RECORDED_BODY_BYTES_MAX - this.#bytes;
    if (part.length > space && !this.keepsBeginning) return this.omit('tooLarge');
    const kept = part.length > space ? part.subarray(0, space) : part;
    if (!this.#waiting.take(this.#mockId, kept.length)) return this.omit('busy');
    this.#bytes += kept.length;
    this.#parts.push(kept);
    this.#isFull = kept.length < part.length;
    if (this.#parts.length > PARTS_MAX) this.#parts = [Buffer.concat(this.#parts)];
  }

  omit(why: BodyOmitted): void {
    this.release();
    this.#omitted = why;
  }

  /** Reads the bytes received so far. */
  read(): Buffer {
    if (this.#parts.length > 1) this.#parts = [Buffer.concat(this.#parts)];
    return this.#parts[0] ?? NOTHING;
  }

  release(): void {
    if (this.#bytes === 0) return;
    this.#waiting.release(this.#mockId, this.#bytes);
    this.#bytes = 0;
    this.#parts = [];
  }
}
