/**
 * Calls between two processes of this server, many at once over one socket. What is sent in one turn of the event loop leaves in one
 * write: a socket for each call, with HTTP on it, took four times the processor time.
 *
 * A frame is the length of its content, the number of its call, its kind, and the content.
 */
import type { Socket } from 'node:net';

/** Bound of the bytes that one process of this server has written to another that has not read them: what comes next waits where it comes from. */
const FRAMES_WAITING_BYTES_MAX = 262_144;

/** The first five go to the process that answers, the others come back. */
export const FRAME = {
  /** The token, which that process knows too: the first frame. */
  hello: 0,
  /** In an envelope. */
  call: 1,
  cancel: 2,
  /** Whether the answer may go on: 1 or 0 in place of a content. */
  flow: 3,
  /** Those of one answer, to be sent: JSON. Nothing comes back. */
  callbacks: 4,
  /** JSON. */
  head: 5,
  data: 6,
  end: 7,
  /** The rest of the answer does not come. */
  cut: 8,
  /** No answer comes: JSON. */
  failure: 9,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

const HEAD_BYTES = 9;
/** Frames of one turn are joined up to here; copying more costs more than another write. */
const JOINED_BYTES_MAX = 65_536;
const NOTHING: Buffer = Buffer.alloc(0);

export class Frames {
  readonly #socket: Socket;
  readonly #take: (call: number, kind: number, content: Buffer) => void;
  /** To be sent at the end of this turn. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  /** The beginning of a frame, and how much is needed to go on. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #neededBytes = 0;

  /** @param take Gets each frame; its content is not written to again. */
  constructor(socket: Socket, take: (call: number, kind: number, content: Buffer) => void) {
    this.#socket = socket;
    this.#take = take;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
  }

  /** Bytes that the other process has not taken. */
  get waitingBytes(): number {
    return this.#socket.writableLength + this.#waitingBytes;
  }

  /** @returns Whether more may be sent at once; else wait for the socket's `drain`. */
  send(call: number, kind: FrameKind, content: Buffer = NOTHING, more: Buffer = NOTHING): boolean {
    const { length } = content;
    const isSmall = length <= JOINED_BYTES_MAX;
    const frame = Buffer.allocUnsafe(isSmall ? HEAD_BYTES + length : HEAD_BYTES);
    this.#begin(frame, call, kind, length + more.length);
    if (isSmall) content.copy(frame, HEAD_BYTES);
    this.#add(frame);
    if (!isSmall) this.#add(content);
    if (more.length > 0) this.#add(more);
    return this.waitingBytes < FRAMES_WAITING_BYTES_MAX;
  }

  sendText(call: number, kind: FrameKind, text: string): void {
    const length = Buffer.byteLength(text);
    const frame = Buffer.allocUnsafe(HEAD_BYTES + length);
    this.#begin(frame, call, kind, length);
    frame.write(text, HEAD_BYTES);
    this.#add(frame);
  }

  #begin(frame: Buffer, call: number, kind: FrameKind, length: number): void {
    frame.writeUInt32LE(length, 0);
    frame.writeUInt32LE(call, 4);
    frame[8] = kind;
  }

  #add(bytes: Buffer): void {
    if (this.#waiting.push(bytes) === 1) setImmediate(() => this.#flush());
    this.#waitingBytes += bytes.length;
  }

  #flush(): void {
    const waiting = this.#waiting;
    const bytes = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const [first] = waiting;
    if (waiting.length === 1) return void this.#socket.write(first as Buffer);
    if (bytes <= JOINED_BYTES_MAX) return void this.#socket.write(Buffer.concat(waiting, bytes));
    this.#socket.cork();
    for (const each of waiting) this.#socket.write(each);
    return this.#socket.uncork();
  }

  #receive(chunk: Buffer): void {
    let bytes = chunk;
    if (this.#parts.length > 0) {
      this.#parts.push(chunk);
      this.#partBytes += chunk.length;
      if (this.#partBytes < this.#neededBytes) return;
      bytes = Buffer.concat(this.#parts, this.#partBytes);
      this.#parts = [];
    }
    let at = 0;
    let needed = HEAD_BYTES;
    while (bytes.length - at >= HEAD_BYTES) {
      needed = HEAD_BYTES + bytes.readUInt32LE(at);
      if (bytes.length - at < needed) break;
      this.#take(bytes.readUInt32LE(at + 4), bytes[at + 8] as number, bytes.subarray(at + HEAD_BYTES, at + needed));
      at += needed;
      needed = HEAD_BYTES;
    }
    if (at === bytes.length) return;
    this.#parts = [at === 0 ? bytes : bytes.subarray(at)];
    this.#partBytes = bytes.length - at;
    this.#neededBytes = needed;
  }
}
