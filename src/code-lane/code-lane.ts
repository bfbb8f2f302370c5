/**
 * Runs the code of rules: in a thread of its own that can be ended, one call after the other, in which owners take turns.
 *
 * The first fence is a deadline within the interpreter, the second ends the thread. What an owner's code shares between calls
 * is kept here, so that it outlives both; it ends with the process.
 */
import { LargestFirst } from '../base/largest-first.ts';
import { isRefusal } from '../errors.ts';
import { CODE_MS } from '../limits.ts';
import type { CodeCall, CodeResult, RunCode } from '../rules-table/code-call.ts';
import { Lane } from '../sandbox/lane.ts';
import type { CodeTask, CodeTaskResult } from './code-thread.ts';

/** Ends the thread that the deadline does not reach. It is of the clock on the wall: waiting for a processor counts. */
const END_MS = 4 * CODE_MS;
/** Heap of the thread beside the memory of WebAssembly, in MiB: bodies and results pass through it. */
const HEAP_MB = 64;
/** Calls of one owner that wait: as many as it may have exchanges under way. */
const WAITING_MAX = 1_024;
/** Characters that the code of all owners shares. Beyond it an owner that has most begins anew, whose code has run longest ago. */
const STATES_CHARS_MAX = 16 * 1_048_576;
const NO_STATE = '{}';

export interface CodeFigures {
  /** By result: `ok`, and the reasons for which it had none. */
  readonly calls: Readonly<Record<'ok' | 'codeFailed' | 'codeTooLong', number>>;
  /** How often what code ran in was ended by it: all contexts, or the thread. */
  readonly ends: Readonly<Record<'generation' | 'thread', number>>;
}

export class CodeLane {
  readonly #lane = new Lane('code', HEAP_MB, WAITING_MAX, { name: 'code-thread', threads: 1 });
  readonly #calls = { ok: 0, codeFailed: 0, codeTooLong: 0 };
  readonly #ends = { generation: 0, thread: 0 };
  /** JSON by owner. */
  readonly #states = new Map<string, string>();
  readonly #shares = new LargestFirst<string>();

  get figures(): CodeFigures {
    return { calls: { ...this.#calls }, ends: { ...this.#ends } };
  }

  /** @param keepsState Whether calls see what the owner's code shares, and change it. */
  runOf(ownerId: string, keepsState: boolean): RunCode {
    return (call) => this.#run(ownerId, call, keepsState);
  }

  /** @returns Why each source cannot be parsed, undefined for none; undefined where that is not known. */
  async check(ownerId: string, sources: readonly string[]): Promise<(string | undefined)[] | undefined> {
    const problems = await this.#lane.run<string[]>(ownerId, 'checkCode', { ownerId, sources }, END_MS);
    if (problems === undefined || isRefusal(problems)) return undefined;
    return problems.map((problem) => (problem === '' ? undefined : problem));
  }

  close(): Promise<void> {
    return this.#lane.close();
  }

  async #run(ownerId: string, call: CodeCall, keepsState: boolean): Promise<CodeResult> {
    const result = await this.#lane.turn<CodeTaskResult>(ownerId, async (runTask) => {
      const state = (keepsState ? this.#states.get(ownerId) : undefined) ?? NO_STATE;
      const task: CodeTask = { ownerId, call, state };
      const done = await runTask<CodeTaskResult>('runCode', task, END_MS);
      if (keepsState && done?.state !== undefined) this.#keep(ownerId, done.state);
      return done;
    });
    if (isRefusal(result)) return this.#counted(tooLong('too many calls of this owner are waiting'));
    if (result === undefined) {
      this.#ends.thread++;
      return this.#counted(tooLong(`takes longer than ${CODE_MS} ms and does not stop`));
    }
    const { state: _state, hasEnded, ...rest } = result;
    if (hasEnded) this.#ends.generation++;
    return this.#counted(rest);
  }

  #counted(result: CodeResult): CodeResult {
    this.#calls[result.failure?.reason ?? 'ok']++;
    return result;
  }

  #keep(ownerId: string, state: string): void {
    this.#forget(ownerId);
    if (state === NO_STATE) return;
    this.#states.set(ownerId, state);
    this.#shares.change(ownerId, state.length);
    while (this.#shares.total > STATES_CHARS_MAX) this.#forget(this.#shares.largest() as string);
  }

  #forget(ownerId: string): void {
    this.#shares.change(ownerId, -this.#shares.amountOf(ownerId));
    this.#states.delete(ownerId);
  }
}

function tooLong(message: string): CodeResult {
  return { failure: { reason: 'codeTooLong', message }, console: [] };
}
