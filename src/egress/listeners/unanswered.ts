/**
 * The requests of a connection that are not answered yet. One read holds a thousand heads, and node:http begins with all of them in the
 * same turn. So it gets a read in parts, and with some requests unanswered nothing: the work of a connection is bounded before its key is known.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from './gateway-replies.ts';

/** Unanswered requests of one connection: more of them would not be answered sooner. */
const UNANSWERED_MAX = 16;
const HEAD_END = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

interface Paced {
  readonly all: Set<ServerResponse>;
  /** The remainder of a read while a part of it is parsed. */
  rest: Buffer;
  feed: (chunk: Buffer) => void;
  isHeld: boolean;
  isEnding: boolean;
}

export class UnansweredRequests {
  readonly #paced = new WeakMap<Socket, Paced>();
  readonly #onAnswered: (socket: Socket) => void;

  /** @param onAnswered Called when a connection has no unanswered request any more. */
  constructor(onAnswered: (socket: Socket) => void) {
    this.#onAnswered = onAnswered;
  }

  /** Takes what comes over a connection before node:http, which has just begun to listen. */
  pace(socket: Socket): void {
    const [parse] = socket.listeners('data') as [(chunk: Buffer) => void];
    const paced = this.#paced.get(socket) ?? newPaced(socket);
    this.#paced.set(socket, paced);
    paced.feed = (chunk) => {
      paced.rest = chunk;
      while (paced.rest.length > 0 && !paced.isEnding) {
        // node:http does not parse while much is to be written, and resumes the connection then.
        if (!socket.isPaused() && paced.all.size >= UNANSWERED_MAX) {
          paced.isHeld = true;
          socket.pause();
        }
        // It stays with the connection, which then takes no more from its client.
        if (socket.isPaused()) return socket.unshift(paced.rest);
        const end = endOfHeads(paced.rest, UNANSWERED_MAX - paced.all.size);
        const isAll = end === paced.rest.length;
        const part = isAll ? paced.rest : paced.rest.subarray(0, end);
        paced.rest = isAll ? NOTHING : paced.rest.subarray(end);
        parse.call(socket, part);
      }
    };
    socket.off('data', parse).on('data', paced.feed);
  }

  /** node:http has left the connection. @returns What it has not parsed. */
  leave(socket: Socket, head: Buffer): Buffer {
    const paced = this.#paced.get(socket);
    if (paced === undefined) return head;
    socket.off('data', paced.feed);
    const rest = Buffer.concat([head, paced.rest]);
    paced.rest = NOTHING;
    return rest;
  }

  has(socket: Socket): boolean {
    return (this.#paced.get(socket)?.all.size ?? 0) > 0;
  }

  add(socket: Socket, res: ServerResponse): void {
    const paced = this.#paced.get(socket) as Paced;
    paced.all.add(res);
    res.on('close', () => {
      // It may be said twice.
      if (!paced.all.delete(res)) return;
      if (paced.all.size === 0) this.#onAnswered(socket);
      if (!paced.isHeld) return;
      paced.isHeld = false;
      // Not in this turn, in which all that was read would follow.
      setImmediate(() => socket.writable && socket.resume());
    });
  }

  /** Behind its last request comes no HTTP: the connection ends with the answers. @returns Whether there is anything to answer. */
  end(socket: Socket): boolean {
    const paced = this.#paced.get(socket);
    const last = [...(paced?.all ?? [])].at(-1);
    if (paced === undefined || last === undefined || paced.isEnding) return paced?.isEnding === true;
    paced.isEnding = true;
    if (last.req.complete) {
      last.shouldKeepAlive = false;
      last.once('close', () => socket.destroySoon());
    } else if (last.headersSent) socket.destroy();
    else {
      // For who acts on it, its client has left.
      last.req.emit('close');
      last.emit('close');
      refuse(last, 'malformed', 'the body is not HTTP/1.1');
    }
    return true;
  }
}

function newPaced(socket: Socket): Paced {
  const all = new Set<ServerResponse>();
  // To answers that wait for another one node:http does not say that their client has left.
  socket.once('close', () => {
    for (const each of all) each.emit('close');
  });
  return { all, rest: NOTHING, feed: () => undefined, isHeld: false, isEnding: false };
}

/** Behind so many heads, or what may be one in a body. */
function endOfHeads(bytes: Buffer, count: number): number {
  let end = 0;
  for (let left = count; left > 0; left--) {
    const at = bytes.indexOf(HEAD_END, end, 'latin1');
    if (at === -1) return bytes.length;
    end = at + HEAD_END.length;
  }
  return end;
}
