/**
 * One simulated run: clients of a few owners, the real directory, actors and mailboxes, the real group commit in some of the runs, and
 * a disk; in others two nodes over a disk that they share. The seed decides everything: what is asked and when, what is slow, what fails, when the process dies, where the clock jumps.
 *
 * What must hold is in witness.ts. Here is the order of events, and that every run comes to an end at which every request has had its
 * one reply.
 */
import { MAILBOX_TURNS_MAX } from '../../../src/owners/owner-actor.ts';
import type { Command } from '../../../src/model/command.ts';
import { OwnerActor } from '../../../src/owners/owner-actor.ts';
import { OwnerDirectory } from '../../../src/owners/owner-directory.ts';
import { Draws } from './draws.ts';
import type { Operation } from './oracle.ts';
import { ask, Known, LIMITS, type Outcome } from './requests.ts';
import { Disk, SimulatedStore, type Flaw, type Rates, type StoreForm } from './simulated-store.ts';
import { VirtualLoop } from './virtual-loop.ts';
import { bodyOf, nameOf, OWNERS, Witness, type Request } from './witness.ts';

const HOUR_MS = 3_600_000;
/** Far more than any run takes: one that is not over by then never will be. */
const STEPS_MAX = 5_000;
/** Time in which a hung write is given up, several times over. */
const PATIENCE_MS = 60_000;
/** Time that passes at once. Where nothing fails, no write may be taken for hung. */
const SHORT_MS = [1, 10, 60];
const LONG_MS = [1, 10, 60, 600, 3_000];
const JUMPS_MS = [-1, 500, -HOUR_MS, HOUR_MS, 25 * HOUR_MS, -25 * HOUR_MS];

export interface RunOptions {
  readonly flaw?: Flaw;
  /** Called with each step, in words. */
  readonly trace?: (line: string) => void;
}

export interface RunResult {
  /** What went wrong; empty when all held. */
  readonly violations: readonly string[];
  readonly requestCount: number;
  readonly commitCount: number;
  readonly faultCount: number;
  readonly killCount: number;
}

export async function runSeed(seed: number, options: RunOptions = {}): Promise<RunResult> {
  const run = new Run(seed, options);
  return run.all();
}

/** A process: it dies, and what it had in memory with it. */
interface Process {
  readonly store: SimulatedStore;
  readonly owners: OwnerDirectory;
  /** Requests that it has not answered. */
  readonly waiting: Set<Request>;
  alive: boolean;
}

class Run {
  readonly #draws: Draws;
  readonly #loop: VirtualLoop;
  readonly #witness: Witness;
  readonly #disk: Disk;
  readonly #flaw: Flaw | undefined;
  readonly #trace: ((line: string) => void) | undefined;
  readonly #known = new Map(OWNERS.map((ownerId) => [ownerId as string, new Known()]));
  readonly #faults: boolean;
  readonly #rates: Rates;
  readonly #form: StoreForm;
  readonly #residentOwnersMax: number;
  readonly #ownerIdleMs: number;
  readonly #discarded = new WeakSet<object>();
  /** One, or several over a shared store. */
  readonly #nodes: Process[] = [];
  readonly #nodesCount: number;
  #wallClock = 1_700_000_000_000;
  #opCount = 0;
  #killCount = 0;
  #faultCount = 0;
  #throwing = 0;
  #faultless = false;

  constructor(seed: number, { flaw, trace }: RunOptions) {
    this.#draws = new Draws(seed);
    this.#loop = new VirtualLoop(this.#draws);
    this.#flaw = flaw;
    this.#trace = trace;
    this.#disk = new Disk((commit) => {
      this.#trace?.(`  the disk takes ${commit.principal.keyId.replace('k', '#')}`);
      this.#witness.onLanded(commit);
    }, flaw);
    const draws = this.#draws;
    // A quarter of the runs go without faults: there nobody may hear of one.
    this.#faults = draws.percent(75);
    this.#witness = new Witness(!this.#faults);
    const rate = (most: number): number => (this.#faults && draws.percent(60) ? draws.below(most + 1) : 0);
    this.#rates = {
      failedWrite: rate(15),
      hungWrite: rate(8),
      failedLoad: rate(15),
      slowPrepare: draws.percent(50) ? draws.below(60) : 0,
      failedPrepare: rate(4),
      failedRead: rate(8),
    };
    this.#form = draws.of(['grouped', 'alone', 'shared']) as StoreForm;
    this.#nodesCount = this.#form === 'shared' ? (draws.of([1, 2, 2, 3]) as number) : 1;
    this.#residentOwnersMax = [1, 2, 3, 3][draws.below(4)] as number;
    this.#ownerIdleMs = [20, 200, 2_000][draws.below(3)] as number;
  }

  async all(): Promise<RunResult> {
    const idle = Object.getOwnPropertyDescriptor(OwnerActor.prototype, 'idle') as PropertyDescriptor;
    const restore = this.#loop.install();
    if (this.#flaw === 'passivates an owner at work') {
      Object.defineProperty(OwnerActor.prototype, 'idle', { ...idle, get: () => true });
    }
    try {
      for (let node = 0; node < this.#nodesCount; node++) this.#start(node);
      await this.#work();
      if (this.#witness.violations.length === 0) await this.#compare();
    } finally {
      await this.#drain();
      for (const { owners } of this.#nodes) owners.stop();
      Object.defineProperty(OwnerActor.prototype, 'idle', idle);
      restore();
    }
    const { violations, requests } = this.#witness;
    const commitCount = this.#witness.durable().reduce((sum, count) => sum + count, 0);
    return {
      violations,
      requestCount: requests.length,
      commitCount,
      faultCount: this.#faultCount,
      killCount: this.#killCount,
    };
  }

  get #waitingCount(): number {
    return this.#nodes.reduce((sum, { waiting }) => sum + waiting.size, 0);
  }

  #start(node: number): void {
    const isRunning = (): boolean => this.#nodes[node]?.store === store;
    const store: SimulatedStore = new SimulatedStore({
      disk: this.#disk,
      draws: this.#draws,
      rates: this.#rates,
      form: this.#form,
      flaw: this.#flaw,
      onFault: (what) => {
        if (isRunning()) this.#onFault(what);
      },
    });
    store.faultless = this.#faultless;
    const owners = new OwnerDirectory(
      {
        store,
        limitsOf: () => LIMITS,
        clock: () => this.#wallClock,
        onDiscarded: (actor, error) => {
          if (!isRunning()) return;
          this.#trace?.(`  ${actor.ownerId} is discarded: ${(error as Error).message}`);
          if (this.#discarded.has(actor)) this.#witness.violated(`an actor of ${actor.ownerId} is discarded twice`);
          this.#discarded.add(actor);
          if (!this.#faults) this.#witness.violated(`discarded without a fault: ${(error as Error).stack}`);
        },
        onDateAhead: () => undefined,
        onReplyError: (error) => {
          this.#throwing--;
          if (!(error instanceof ReplyBug)) this.#witness.violated(`a reply met ${(error as Error).stack}`);
        },
      },
      { residentOwnersMax: this.#residentOwnersMax, ownerIdleMs: this.#ownerIdleMs },
    );
    this.#nodes[node] = { store, owners, waiting: new Set(), alive: true };
  }

  /** Takes steps until all is asked and answered. */
  async #work(): Promise<void> {
    const draws = this.#draws;
    const requestsMax = 20 + draws.below(70);
    const openMax = 1 + draws.below(12);
    const weights = {
      post: 1 + draws.below(8),
      engine: 1 + draws.below(8),
      immediates: 1 + draws.below(8),
      time: draws.below(3),
      jump: draws.below(2),
    };
    const killsPerMille = draws.percent(40) ? 1 + draws.below(15) : 0;
    let flood = draws.percent(3);
    let waitedMs = 0;
    for (let step = 0; step < STEPS_MAX; step++) {
      this.#wallClock += draws.below(3);
      const node = draws.below(this.#nodes.length);
      const { store, waiting } = this.#nodes[node] as Process;
      const workCount = this.#workCount();
      const mayPost = this.#opCount < requestsMax && this.#waitingCount < openMax;
      const choices: (keyof typeof weights)[] = [];
      for (const [choice, enabled] of [
        ['post', mayPost],
        ['engine', workCount > 0],
        ['immediates', this.#loop.immediateCount > 0],
        ['time', true],
        ['jump', true],
      ] as const) {
        if (enabled) for (let weight = weights[choice]; weight > 0; weight--) choices.push(choice);
      }
      const nothingToDo = !mayPost && workCount === 0 && this.#loop.immediateCount === 0;
      const kills = draws.below(1_000) < (store.hasFailed ? 100 : killsPerMille);
      if (kills) this.#kill(node);
      else if (nothingToDo) {
        if (this.#waitingCount === 0 && this.#opCount >= requestsMax) return;
        if (store.hasFailed && waiting.size === 0) this.#kill(node);
        // A hung write is given up after a while; nothing else takes time alone.
        else {
          if (waitedMs > PATIENCE_MS) return this.#witness.violated(`requests wait for ever: ${this.#waiting()}`);
          waitedMs += 1_000;
          this.#loop.advance(1_000);
        }
      } else {
        waitedMs = 0;
        const choice = draws.of(choices) as keyof typeof weights;
        if (choice === 'post' && flood && this.#waitingCount > 0) {
          flood = false;
          this.#flood();
        } else if (choice === 'post') this.#postAny();
        else if (choice === 'engine') {
          const did = this.#step();
          this.#trace?.(did);
        } else if (choice === 'immediates') this.#loop.runImmediates();
        else if (choice === 'time') this.#loop.advance(draws.of(this.#faults ? LONG_MS : SHORT_MS) as number);
        else {
          const jumpMs = draws.of(JUMPS_MS) as number;
          this.#wallClock += jumpMs;
          this.#trace?.(`the clock jumps by ${jumpMs} ms`);
        }
      }
      await this.#loop.settle();
      for (const { owners } of this.#nodes) {
        const { residentOwners } = owners.figures();
        if (residentOwners > this.#residentOwnersMax) this.#witness.violated(`${residentOwners} owners are in memory`);
      }
      if (this.#witness.violations.length > 0) return;
    }
    this.#witness.violated(`it is not over after ${STEPS_MAX} steps: ${this.#waiting()}`);
  }

  /** When all is quiet: what is read is what the disk has, which is what the oracle has, and nobody stays in memory. */
  async #compare(): Promise<void> {
    this.#faultless = true;
    for (const [node, { store }] of this.#nodes.entries()) {
      store.faultless = true;
      if (store.hasFailed || this.#draws.percent(50)) this.#kill(node);
    }
    await this.#loop.settle();
    const asked: Request[] = [];
    for (const ownerId of OWNERS) {
      this.#witness.checkDisk(ownerId, this.#disk.owner(ownerId));
      const { rules, groups, version } = this.#witness.latest(ownerId);
      const operations: Operation[] = [
        { kind: 'listGroups', offset: 0, pageSize: 75 },
        { kind: 'listRules', offset: 0, pageSize: 75 },
        ...groups.map(({ id }): Operation => ({ kind: 'readGroup', id })),
        ...rules.map(({ id }): Operation => ({ kind: 'readRule', id })),
      ];
      for (const operation of operations) asked.push(this.#post(ownerId, operation, { revealedBefore: version }));
      await this.#drain();
    }
    const unanswered = asked.filter(({ fate }) => fate !== 'answered');
    for (const request of unanswered) this.#witness.violated(`${nameOf(request)} is ${request.fate} when all is quiet`);
    for (const request of this.#witness.requests) {
      if (request.replies > 1) this.#witness.violated(`${nameOf(request)} has ${request.replies} replies`);
    }
    if (this.#throwing !== 0) this.#witness.violated(`${this.#throwing} replies threw, and nobody heard of it`);
    this.#loop.advance(3 * this.#ownerIdleMs + 200);
    for (const { owners } of this.#nodes) {
      const { residentOwners, waitingTurns } = owners.figures();
      if (residentOwners !== 0) this.#witness.violated(`${residentOwners} owners stay in memory when all is quiet`);
      if (waitingTurns !== 0) this.#witness.violated(`${waitingTurns} turns wait when all is quiet`);
    }
  }

  #workCount(): number {
    return this.#nodes.reduce((sum, { store }) => sum + store.workCount, 0);
  }

  /** Lets a node's engine do one thing. @returns What. */
  #step(): string {
    const atWork = this.#nodes.filter(({ store }) => store.workCount > 0);
    return this.#draws.of(atWork)?.store.step() ?? 'nothing';
  }

  /** Lets everything that is under way come to its end. */
  async #drain(): Promise<void> {
    for (let turn = 0; turn < 1_000; turn++) {
      await this.#loop.settle();
      if (this.#workCount() > 0) this.#step();
      else if (this.#loop.immediateCount > 0) this.#loop.runImmediates();
      else if (this.#loop.timeoutCount > 0) this.#loop.advance(1);
      else return;
    }
  }

  #kill(node: number): void {
    this.#trace?.(`kill node ${node}`);
    this.#killCount++;
    const process = this.#nodes[node] as Process;
    process.owners.stop();
    process.store.kill();
    process.alive = false;
    for (const request of process.waiting) request.fate = 'unknown';
    this.#start(node);
  }

  /** A request like any client's: new, or the repetition of one whose outcome the client does not know. */
  #postAny(): void {
    const draws = this.#draws;
    this.#opCount++;
    const keyed = this.#witness.requests.filter(({ idempotencyKey }) => idempotencyKey !== undefined);
    const earlier = draws.percent(20) ? draws.of(keyed.slice(-6)) : undefined;
    if (earlier !== undefined) {
      const { ownerId, idempotencyKey, operation, user } = earlier;
      const other: Operation = { kind: 'createGroup', name: `n${this.#opCount}` };
      this.#post(ownerId, draws.percent(8) ? other : operation, { idempotencyKey, user });
      return;
    }
    const ownerId = draws.of(OWNERS) as string;
    const foreign = this.#known.get(draws.of(OWNERS.filter((other) => other !== ownerId)) as string) as Known;
    const operation = (this.#known.get(ownerId) as Known).draw(draws, `n${this.#opCount}`, foreign);
    const repeatable = operation.kind.startsWith('create') && draws.percent(50);
    this.#post(ownerId, operation, {
      ...(repeatable && { idempotencyKey: `${ownerId} ${this.#opCount}` }),
      isBug: this.#rates.failedWrite > 0 && !/^(read|list)/.test(operation.kind) && draws.percent(2),
    });
  }

  #post(
    ownerId: string,
    operation: Operation,
    given: Partial<Pick<Request, 'idempotencyKey' | 'user' | 'isBug' | 'revealedBefore'>> = {},
  ): Request {
    const request: Request = {
      number: this.#witness.requests.length,
      ownerId,
      operation,
      user: given.user ?? (this.#draws.of(['ann', 'bob']) as string),
      idempotencyKey: given.idempotencyKey,
      revealedBefore: given.revealedBefore ?? this.#witness.revealed(ownerId),
      durableBefore: this.#witness.durable(),
      isBug: given.isBug === true,
      replies: 0,
      fate: 'waiting',
    };
    const { number, user, idempotencyKey, isBug } = request;
    this.#witness.requests.push(request);
    const process = this.#draws.of(this.#nodes) as Process;
    process.waiting.add(request);
    if (isBug) this.#onFault('a bug');
    const condition = 'ifVersion' in operation ? ` if it is version ${operation.ifVersion}` : '';
    this.#trace?.(`ask ${nameOf(request)}${condition}${idempotencyKey === undefined ? '' : ` key ${idempotencyKey}`}`);
    const throws = this.#draws.percent(2);
    const reply = (outcome: Outcome): void => {
      if (!process.alive) return;
      process.waiting.delete(request);
      this.#witness.onReply(request, outcome);
      this.#known.get(ownerId)?.learn(outcome);
      this.#trace?.(`  reply ${nameOf(request)}: ${request.fate}`);
      // A client that asks again on the spot, and a reply that meets a bug, harm nobody.
      if (this.#waitingCount < 20 && !this.#faultless && this.#draws.percent(8)) this.#postAny();
      if (!throws || request.replies > 1) return;
      this.#throwing++;
      throw new ReplyBug('a reply that throws');
    };
    try {
      ask(process.owners, {
        operation,
        principal: { keyId: `k${number}`, ownerId, userId: user, role: 'editor' },
        repetition: idempotencyKey === undefined ? undefined : { key: idempotencyKey, bodyDigest: bodyOf(operation) },
        reply: this.#flawed(reply),
        wrap: (command) => this.#wrapped(command, isBug, reply),
      });
    } catch (error) {
      // What the directory itself refuses is replied on the stack of who asks, who answers for it.
      if (!(error instanceof ReplyBug)) throw error;
      this.#throwing--;
    }
    return request;
  }

  /** More reads than a mailbox holds, of an owner that may be at work. */
  #flood(): void {
    const ownerId = this.#witness.requests.findLast(({ fate }) => fate === 'waiting')?.ownerId as string;
    this.#trace?.(`flood ${ownerId}`);
    const { length: before } = this.#witness.requests;
    for (let count = 0; count < MAILBOX_TURNS_MAX + 50; count++) {
      this.#post(ownerId, { kind: 'readRule', id: 'Cancel_nowhere' });
    }
    const waitingTurns = this.#nodes.reduce((sum, { owners }) => sum + owners.figures().waitingTurns, 0);
    const refused = this.#witness.requests.slice(before).filter(({ fate }) => fate === 'refused').length;
    const bound = this.#nodes.length * this.#residentOwnersMax * MAILBOX_TURNS_MAX;
    if (waitingTurns > bound) this.#witness.violated(`${waitingTurns} turns wait, and ${bound} may`);
    if (this.#nodes.length === 1 && waitingTurns >= MAILBOX_TURNS_MAX && refused < 49)
      this.#witness.violated(`a full mailbox refused ${refused}`);
  }

  #wrapped<Input, Answer extends Outcome>(
    command: Command<Input, Answer>,
    isBug: boolean,
    reply: (outcome: Outcome) => void,
  ): Command<Input, Answer> {
    if (isBug) {
      return {
        ...command,
        decide() {
          throw new Error('a simulated bug');
        },
      };
    }
    const repliesEarly = this.#flaw === 'replies when a command is decided';
    if (!repliesEarly && this.#flaw !== 'lets dates go back') return command;
    return {
      ...command,
      decide: (state, input, context) => {
        const decision = command.decide(state, input, repliesEarly ? context : { ...context, date: this.#wallClock });
        if (repliesEarly && 'changes' in decision) reply(decision.answer);
        return decision;
      },
    };
  }

  #flawed(reply: (outcome: Outcome) => void): (outcome: Outcome) => void {
    if (this.#flaw === 'loses a reply') return (outcome) => (this.#draws.percent(2) ? undefined : reply(outcome));
    if (this.#flaw === 'replies twice') {
      return (outcome) => {
        reply(outcome);
        if (this.#draws.percent(2)) reply(outcome);
      };
    }
    return reply;
  }

  #onFault(what: string): void {
    this.#trace?.(`  fault: ${what}`);
    this.#faultCount++;
  }

  #waiting(): string {
    return this.#witness.requests
      .filter(({ fate }) => fate === 'waiting')
      .map(nameOf)
      .join(', ');
  }
}

/** Thrown by a reply on purpose. */
class ReplyBug extends Error {}
