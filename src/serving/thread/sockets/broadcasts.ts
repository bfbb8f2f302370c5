/** Messages to many WebSockets: all threads get them by way of the main thread, so all sockets in one order. */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import { MOCK_BROADCAST_BYTES_MAX } from '../../../limits.ts';
import type { StreamAction, StreamSelection } from '../../../model/mocks/streams/open-stream.ts';
import type { SocketBroadcast } from '../../shared/socket-messages.ts';
import type { OpenStreams, StreamSource } from '../streams/open-streams.ts';

/** Has all threads do something with sockets. @returns false where too much of the owner is under way; then nothing is done. */
export type Broadcast = (source: StreamSource, of: StreamSelection, action: StreamAction) => boolean;

export class Broadcasts {
  readonly #index: number;
  readonly #turns: OwnerTurns;
  readonly #sockets: OpenStreams;
  readonly #send: (message: SocketBroadcast) => void;
  /** Bytes of an owner that this thread has sent and not yet delivered itself. */
  readonly #sent = new Map<Account, number>();
  /** Bytes of an owner that wait here. */
  readonly #waiting = new Map<Account, number>();

  /** @param index Of the thread. */
  constructor(index: number, turns: OwnerTurns, sockets: OpenStreams, send: (message: SocketBroadcast) => void) {
    this.#index = index;
    this.#turns = turns;
    this.#sockets = sockets;
    this.#send = send;
  }

  readonly send: Broadcast = ({ mockId, account }, of, action) => {
    const sender = account as Account;
    const bytes = bytesOf(action);
    const sent = this.#sent.get(sender) ?? 0;
    if (sent > 0 && sent + bytes > MOCK_BROADCAST_BYTES_MAX) {
      sender.refused++;
      return false;
    }
    change(this.#sent, sender, bytes);
    this.#send({ kind: 'broadcast', from: this.#index, ownerId: sender.ownerId, mockId, of, action });
    return true;
  };

  /** A thread that is slower than the one that sends cuts its receivers, as it does readers that are too slow. */
  receive({ from, ownerId, mockId, of, action }: SocketBroadcast): void {
    const account = this.#turns.account(ownerId);
    const bytes = bytesOf(action);
    const isTooMuch = (this.#waiting.get(account) ?? 0) + bytes > 2 * MOCK_BROADCAST_BYTES_MAX;
    change(this.#waiting, account, bytes);
    this.#sockets.answer({ mockId, of, action: isTooMuch ? { end: 'cut', why: 'slowReader' } : action }, () => {
      change(this.#waiting, account, -bytes);
      if (from === this.#index) change(this.#sent, account, -bytes);
    });
  }
}

function change(amounts: Map<Account, number>, account: Account, by: number): void {
  const amount = (amounts.get(account) ?? 0) + by;
  if (amount === 0) amounts.delete(account);
  else amounts.set(account, amount);
}

/** With the memory that an empty one takes while it waits. */
function bytesOf({ events = [] }: StreamAction): number {
  return events.reduce((sum, { data = '' }) => sum + data.length, 800);
}
