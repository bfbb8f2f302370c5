/** Messages to the child process that it has not answered yet. */
import { PUBLISH_MS } from '../../limits.ts';
import type { Child } from '../../children/child-process.ts';
import type { ApiToProcess, ProcessAnswer } from '../shared/messages.ts';

interface MessageResult {
  readonly outcome: 'done' | 'childLost' | 'late';
  readonly result?: ProcessAnswer | undefined;
}

interface Sending {
  readonly withinMs: number;
  readonly onSent?: (() => void) | undefined;
}

export class Unanswered {
  #lastId = 0;
  readonly #pending = new Map<number, (answered: MessageResult) => void>();
  /** Deadlines of publishes: they begin anew while threads compile. */
  readonly #deadlines = new Set<NodeJS.Timeout>();

  send(
    child: Child<ApiToProcess>,
    make: (id: number) => ApiToProcess,
    { withinMs, onSent }: Sending,
  ): Promise<MessageResult> {
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const finish = (answered: MessageResult): void => {
        clearTimeout(timer);
        this.#deadlines.delete(timer);
        this.#pending.delete(id);
        resolve(answered);
      };
      const timer = setTimeout(finish, withinMs, { outcome: 'late' });
      if (withinMs === PUBLISH_MS) this.#deadlines.add(timer);
      this.#pending.set(id, finish);
      child.send(make(id), onSent);
    });
  }

  done(id: number, result: ProcessAnswer | undefined): void {
    this.#pending.get(id)?.({ outcome: 'done', result });
  }

  endAll(outcome: MessageResult['outcome']): void {
    for (const finish of this.#pending.values()) finish({ outcome });
  }

  refresh(): void {
    for (const timer of this.#deadlines) timer.refresh();
  }
}
