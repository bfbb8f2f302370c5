/** Reads the host that a client asks for in the first message of TLS (RFC 8446, 4.1.2; RFC 6066, 3). What is no such message names none. */

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const RECORD_HEAD_BYTES = 5;
/** Those with keys for after quantum computers have some 2 kB. */
const HELLO_BYTES_MAX = 16_384;

/** @param bytes That a client has sent so far. */
export function serverNameIn(bytes: Buffer): 'incomplete' | { readonly host: string } {
  const none = { host: '' };
  if (bytes.length > HELLO_BYTES_MAX) return none;
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) return none;
    if (bytes.length < at + RECORD_HEAD_BYTES) break;
    const begin = at + RECORD_HEAD_BYTES;
    at = begin + bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(begin, at));
  }
  const message = Buffer.concat(parts);
  if (message.length > 0 && message[0] !== CLIENT_HELLO) return none;
  if (message.length < 4 || message.length < 4 + message.readUIntBE(1, 3)) return 'incomplete';
  const hello = new Cursor(message.subarray(4, 4 + message.readUIntBE(1, 3)));
  // Version and random; session; cipher suites; compression.
  hello.take(34);
  hello.list(1);
  hello.list(2);
  hello.list(1);
  const extensions = hello.list(2);
  while (extensions.isMore) {
    const type = extensions.number(2);
    const content = extensions.list(2);
    if (type !== SERVER_NAME) continue;
    const names = content.list(2);
    // The only kind of name is that of a host.
    names.take(1);
    return { host: names.list(2).rest.toString('latin1').toLowerCase() };
  }
  return none;
}

/** Reads within bounds: what is cut off is empty. */
class Cursor {
  rest: Buffer;

  constructor(bytes: Buffer) {
    this.rest = bytes;
  }

  get isMore(): boolean {
    return this.rest.length > 0;
  }

  take(count: number): Buffer {
    const taken = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return taken;
  }

  number(bytes: number): number {
    return this.take(bytes).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  /** Takes a list that begins with its length, a number of so many bytes. */
  list(bytes: number): Cursor {
    return new Cursor(this.take(this.number(bytes)));
  }
}
