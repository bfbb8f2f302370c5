/**
 * Batches reads: one query at a time, and callers who ask in that time share the next one.
 *
 * So an answer is of a moment after its question, and a read of 512 owners costs as much as some ten of one.
 */
import type { QueryResultRow } from 'pg';
import { textArray } from './arrays.ts';
import type { Connection } from './connection.ts';

interface Batch<Value> {
  readonly keys: Set<string>;
  readonly answers: Promise<ReadonlyMap<string, Value>>;
  readonly start: () => void;
}

export class BatchedRead<Value> {
  readonly #read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>;
  #waiting: Batch<Value> | undefined;
  #isReading = false;

  /** @param read Resolves with what is there of so many different keys. */
  constructor(read: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>) {
    this.#read = read;
  }

  async get(key: string): Promise<Value | undefined> {
    if (this.#waiting === undefined) {
      this.#waiting = this.#newBatch();
      // Those who ask later in this turn of the event loop join it.
      if (!this.#isReading) setImmediate(() => this.#next());
    }
    this.#waiting.keys.add(key);
    return (await this.#waiting.answers).get(key);
  }

  #newBatch(): Batch<Value> {
    const keys = new Set<string>();
    let start!: () => void;
    const started = new Promise<void>((resolve) => {
      start = resolve;
    });
    const answers = started.then(() => this.#read([...keys]));
    answers.catch(() => undefined);
    return { keys, answers, start };
  }

  #next(): void {
    const batch = this.#waiting;
    if (batch === undefined || this.#isReading) return;
    this.#waiting = undefined;
    this.#isReading = true;
    batch.start();
    const ended = (): void => {
      this.#isReading = false;
      this.#next();
    };
    batch.answers.then(ended, ended);
  }
}

/** @param text A query of `key` and its value, with the keys as its only parameter. */
export function batchedQuery<Value>(
  connection: Connection,
  name: string,
  text: string,
  valueOf: (row: QueryResultRow) => Value,
): BatchedRead<Value> {
  return new BatchedRead(async (keys) => {
    const rows = await connection.rows(text, [textArray(keys)], name);
    return new Map(rows.map((row) => [row['key'] as string, valueOf(row)]));
  });
}
