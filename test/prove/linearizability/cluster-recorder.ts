/** Several nodes that clients ask in turn, and the order of events as the clients saw it. */
import type { TestServer } from '../../support/server.ts';
import { askServer, Events, type Answered, type Servers } from './recorder.ts';

export class ClusterRecorder extends Events implements Servers {
  readonly #nodes: readonly TestServer[];
  /** The events at which the faults so far were over: what was asked before and not answered has had its effect by then, or has none. */
  readonly #settled: number[] = [];
  over = false;

  constructor(nodes: readonly TestServer[]) {
    super();
    this.#nodes = nodes;
  }

  /** Nothing that was not answered is still on its way. */
  settle(): void {
    this.#settled.push(this.next());
  }

  protected endOf(process: number): number | undefined {
    return this.#settled[process];
  }

  begin(): Promise<{ readonly process: number; readonly invoked: number }> {
    return Promise.resolve({ process: this.#settled.length, invoked: this.next() });
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
}
