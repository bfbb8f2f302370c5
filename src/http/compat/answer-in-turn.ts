/** Answers calls of WireMock's interface: in which order, and within which memory. */
import { isRefusal, type Refusal } from '../../errors.ts';
import type { Call } from '../call.ts';

interface OutgoingAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  /** Header lines with CRLF before each. */
  readonly headers?: string | undefined;
}

/** A character of a text is at most so many bytes. */
const BYTES_OF_CHARACTER = 3;

/**
 * Answers a call. Changes of one world come one after the other: what one has answered, no other undoes.
 *
 * @param changed Names the world that is changed; undefined for what changes nothing. A change is refused before it is tried, where there is
 *                no memory for answers, and never for the size of its own.
 */
export async function answerInTurn(
  call: Call,
  changed: string | undefined,
  answer: () => Promise<OutgoingAnswer | Refusal>,
): Promise<void> {
  if (changed !== undefined && call.areAnswersFull) return call.refuse('overloaded');
  const send = (sent: OutgoingAnswer | Refusal): void =>
    isRefusal(sent) ? call.refuse(sent) : call.send(sent.status, sent.type, sent.body, sent.headers);
  const sent = await (changed === undefined ? answer() : afterOthers(changed, answer));
  if (changed !== undefined || isRefusal(sent)) return send(sent);
  const { body } = sent;
  return call.answer(typeof body === 'string' ? body.length * BYTES_OF_CHARACTER : body.length, () => send(sent));
}

const waiting = new Map<string, Promise<unknown>>();

async function afterOthers<Value>(world: string, change: () => Promise<Value>): Promise<Value> {
  const before = waiting.get(world);
  const own = before === undefined ? change() : before.then(change, change);
  waiting.set(world, own);
  try {
    return await own;
  } finally {
    if (waiting.get(world) === own) waiting.delete(world);
  }
}
