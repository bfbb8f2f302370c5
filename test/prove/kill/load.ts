/** What the writers of the kills share: the server, the tally, and whether they are to go on. */
import type { Answer, TestServer } from '../../support/server.ts';
import type { Tally } from '../proof.ts';

/** A request that never got its answer: the server was killed. */
export class Unanswered extends Error {}

export class Load {
  readonly server: TestServer;
  readonly tally: Tally;
  /** Answers since a round began. */
  acknowledged = 0;
  /** Set when a writer is to stop after its present step. */
  isOver = false;
  /** Writes that were committed while no data plane was there to serve them. */
  unpublished = 0;

  constructor(server: TestServer, tally: Tally) {
    this.server = server;
    this.tally = tally;
  }

  /** Repeats `step` until the round is over, or the server gone. */
  async repeat(step: () => Promise<void>): Promise<void> {
    try {
      while (!this.isOver) await step();
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
    }
  }

  /** A write: whatever is answered must be a success, also while the data plane is away. */
  async write(key: string, method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    const answer = await this.ask(method, path, { key, body, headers });
    this.tally.check(
      'every write that is answered succeeds',
      answer.status === 200,
      () => `${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`,
    );
    if (answer.json.data?.published === false) this.unpublished++;
    this.acknowledged++;
    return answer;
  }

  async ask(method: string, path: string, options: Parameters<TestServer['request']>[2] = {}): Promise<Answer> {
    return this.server.request(method, path, options).catch((error: unknown) => {
      // fetch's way to say that the connection ended.
      throw error instanceof TypeError ? new Unanswered() : error;
    });
  }
}

/** Choices that are the same in every run. */
export class Choices {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (this.#state >>> 12) % count;
  }
}
