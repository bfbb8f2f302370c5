/** The account of one owner in one thread: what it has used lately, and what of it waits. owner-turns.ts decides by it. */
import { Fifo } from './fifo.ts';

/** Begins the names of accounts of clients without an owner: no id of one has it. They keep to their share even where nobody seems to wait, and never are whom an owner waits for. */
export const STRANGER = '/';

/** Does its work, or a part of it. @param until When to stop, by `performance.now()`. @returns Whether something is left. */
export type Task = (until: number) => boolean | void;

/** Queues of one owner, which take turns: what is in one does not wait for what is in another. Each keeps its order. */
export type Lane = 'requests' | 'messages' | 'steps' | 'loads' | 'reads';

const FOLLOWER: Readonly<Record<Lane, Lane>> = {
  requests: 'messages',
  messages: 'steps',
  steps: 'loads',
  loads: 'reads',
  reads: 'requests',
};
const LANES = Object.values(FOLLOWER);

/** Tracks how much one owner uses of a thread, and queues its work. */
export class Account {
  readonly ownerId: string;
  readonly isStranger: boolean;
  /** Since the last end of an iteration that was noticed. */
  usedMs = 0;
  debtMs = 0;
  debtAt = 0;
  /** Time that the rotation owes it; negative after work that was longer than its credit. */
  creditMs = 0;
  isQueued = false;
  /** Short requests after which it is light; undefined before its first. */
  shortsToLight: number | undefined;
  /** Requests and messages that wait, steps of replies and loops over receivers, mocks that are compiled, and pages of recorded requests. */
  readonly lanes: Readonly<Record<Lane, Fifo<Task>>> = {
    requests: new Fifo(),
    messages: new Fifo(),
    steps: new Fifo(),
    loads: new Fifo(),
    reads: new Fifo(),
  };
  /** The lane of the next task. */
  lane: Lane = 'requests';
  /** Counted since the thread began. */
  waited = 0;
  refused = 0;
  longestWaitMs = 0;

  constructor(ownerId: string) {
    this.ownerId = ownerId;
    this.isStranger = ownerId.startsWith(STRANGER);
  }

  get waiting(): number {
    return this.lanes.requests.count;
  }

  get hasWork(): boolean {
    return LANES.some((lane) => this.lanes[lane].count > 0);
  }

  /** Takes the next lane that has work. Call it to run a task alone: another look would pass one by. */
  nextLane(): Lane {
    do this.lane = FOLLOWER[this.lane];
    while (this.lanes[this.lane].count === 0);
    return this.lane;
  }
}
