/** Several nodes that clients ask in turn, and the order of events as the clients saw it. */
import type { TestServer } from '../../support/server.ts';
import type { Operation } from './check-history.ts';
import { askServer, type Answered, type History, type Servers } from './recorder.ts';

export class ClusterRecorder implements Servers {
  readonly #nodes: readonly TestServer[];
  /** The events at which the faults so far were over: what was asked before and not answered has had its effect by then, or has none. */
  readonly #settled: number[] = [];
  #events = 0;
  over = false;

  constructor(nodes: readonly TestServer[]) {
    this.#nodes = nodes;
  }

  /** Nothing that was not answered is still on its way. */
  settle(): void {
    this.#settled.push(++this.#events);
  }

  begin(): Promise<{ readonly process: number; readonly invoked: number }> {
    return Promise.resolve({ process: this.#settled.length, invoked: ++this.#events });
  }

  /** At any node: no client keeps to one. */
  ask(
    method: string,
    path: string,
    key: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answered | undefined> {
    const node = this.#nodes[Math.floor(Math.random() * this.#nodes.length)] as TestServer;
    return askServer(node.port, method, path, key, body, headers);
  }

  answered<Call>(history: History<Call>, call: Call, invoked: number): void {
    history.recorded.push({ call, invoked, returned: ++this.#events, unansweredBy: undefined });
  }

  unanswered<Call>(history: History<Call>, call: Call, invoked: number, process: number): void {
    history.recorded.push({ call, invoked, returned: Infinity, unansweredBy: process });
  }

  operations<Call>({ recorded }: History<Call>): Operation<Call>[] {
    return recorded.map(({ call, invoked, returned, unansweredBy }) => ({
      call,
      invoked,
      returned: unansweredBy === undefined ? returned : (this.#settled[unansweredBy] ?? Infinity),
      certain: unansweredBy === undefined,
    }));
  }
}
