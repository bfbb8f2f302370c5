/** The body of an answer that code reads: collected within bounds and decoded, or passed on from what has come. */
import { CODE_BODY_BYTES_MAX } from '../../limits.ts';
import { headerValue, setLine, type HeaderLines } from '../../rules-table/header-list.ts';
import type { UnreadReason } from '../../rules-table/outcome.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { decodedBody, isReadableCoding } from '../../base/content-coding.ts';

/** Answer in the form that rules read. */
interface ReadAnswer {
  readonly body: Buffer | undefined;
  readonly unread: UnreadReason | undefined;
}

export class AnswerBody {
  readonly #held: WaitingBytes;
  readonly #ownerId: string;
  readonly #coding: string;
  readonly #onRead: (read: ReadAnswer) => void;
  #chunks: Buffer[] = [];
  #bytes = 0;
  #decodedBytes = 0;
  #isFull: boolean;
  /** Whether all of it has come. */
  isWhole = false;

  #isReleased = false;

  /** @param onRead Called once: when all of it is here, or with the first byte too many. */
  constructor(headers: HeaderLines, held: WaitingBytes, ownerId: string, onRead: (read: ReadAnswer) => void) {
    this.#held = held;
    this.#ownerId = ownerId;
    this.#coding = headerValue(headers, 'content-encoding') ?? '';
    this.#onRead = onRead;
    // Events may never end.
    this.#isFull = /^text\/event-stream\b/i.test(headerValue(headers, 'content-type') ?? '');
  }

  begin(): void {
    if (this.#isFull) this.#onRead({ body: undefined, unread: 'bodyTooLarge' });
  }

  take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    if (this.#isFull) return;
    if (this.#bytes + chunk.length <= CODE_BODY_BYTES_MAX && this.#held.take(this.#ownerId, chunk.length)) {
      this.#bytes += chunk.length;
      return;
    }
    this.#isFull = true;
    this.#onRead({ body: undefined, unread: 'bodyTooLarge' });
  }

  end(): void {
    this.isWhole = true;
    if (!this.#isFull) void this.#read().then(this.#onRead);
  }

  /** @returns What has come, as it came; nothing is held any more. */
  release(): Buffer {
    this.#isReleased = true;
    this.#held.release(this.#ownerId, this.#bytes + this.#decodedBytes);
    const body = Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    this.#decodedBytes = 0;
    return body;
  }

  async #read(): Promise<ReadAnswer> {
    const raw = Buffer.concat(this.#chunks);
    const held = { by: this.#held, ownerId: this.#ownerId };
    const decoded = await decodedBody(raw, this.#coding, { bytesMax: CODE_BODY_BYTES_MAX, held });
    if (decoded === 'tooLarge') return { body: undefined, unread: 'bodyTooLarge' };
    if (decoded === 'undecodable') return { body: undefined, unread: 'bodyEncoded' };
    if (decoded !== raw) this.#decodedBytes = decoded.length;
    // The client has left in the meantime.
    if (this.#isReleased) this.release();
    return { body: decoded, unread: undefined };
  }
}

/** Asks for no coding that code could not read. */
export function withReadableCodings(lines: HeaderLines): HeaderLines {
  const given = headerValue(lines, 'accept-encoding');
  if (given === undefined) return lines;
  const codings = given.split(',').map((coding) => coding.trim());
  const kept = codings.filter((coding) => isReadableCoding(coding.split(';')[0] ?? ''));
  return kept.length === codings.length ? lines : setLine(lines, 'accept-encoding', kept.join(', ') || 'identity');
}
