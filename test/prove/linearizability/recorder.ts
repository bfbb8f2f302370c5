/**
 * A server that is killed now and then, and the order of events as its clients saw it.
 *
 * Requests wait while there is no server, so none is sent to a port that another process may have by then. What was not answered may
 * have had its effect until its process ended, and not after: that is when its interval ends.
 */
import { serve, type Running } from '../../support/process.ts';
import type { Operation } from './check-history.ts';

export interface Answered {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of any route
  readonly json: any;
  readonly etag: string | undefined;
}

/** An operation, and the process that it was asked of if that did not answer. */
interface Recorded<Call> {
  readonly call: Call;
  readonly invoked: number;
  readonly returned: number;
  readonly unansweredBy: number | undefined;
}

export class History<Call> {
  readonly recorded: Recorded<Call>[] = [];
}

/** What clients need of the servers that they ask. */
export type Servers = Pick<Recorder, 'over' | 'begin' | 'ask' | 'answered' | 'unanswered'>;

/** The order of events as clients saw it. */
export abstract class Events {
  #count = 0;

  /** Count of events so far. */
  get events(): number {
    return this.#count;
  }

  protected next(): number {
    return ++this.#count;
  }

  /** The event after which nothing that was asked then can have an effect any more; undefined while it may. */
  protected abstract endOf(process: number): number | undefined;

  answered<Call>(history: History<Call>, call: Call, invoked: number): void {
    history.recorded.push({ call, invoked, returned: this.next(), unansweredBy: undefined });
  }

  unanswered<Call>(history: History<Call>, call: Call, invoked: number, process: number): void {
    history.recorded.push({ call, invoked, returned: Infinity, unansweredBy: process });
  }

  /** The history with its unanswered operations ended by the end of what they were asked of. */
  operations<Call>({ recorded }: History<Call>): Operation<Call>[] {
    return recorded.map(({ call, invoked, returned, unansweredBy }) => ({
      call,
      invoked,
      returned: unansweredBy === undefined ? returned : (this.endOf(unansweredBy) ?? Infinity),
      certain: unansweredBy === undefined,
    }));
  }
}

export class Recorder extends Events {
  readonly #data: string;
  readonly #deaths = new Map<number, number>();
  #process = 0;
  #server: Running | undefined;
  #port = 0;
  #up: Promise<void> = Promise.resolve();
  #over = false;

  constructor(data: string) {
    super();
    this.#data = data;
  }

  /** Whether clients should come to an end. */
  get over(): boolean {
    return this.#over;
  }

  protected endOf(process: number): number | undefined {
    return this.#deaths.get(process);
  }

  finish(): void {
    this.#over = true;
  }

  async start(): Promise<void> {
    const server = serve(this.#data, ['--no-bootstrap', '--log-level', 'warn', '--workers', '1']);
    this.#server = server;
    const port = await server.ready();
    if (port === undefined) throw new Error(`the server ended: ${(await server.ended).stderr}`);
    this.#port = port;
  }

  /** `kill -9`, with requests in flight, and a new start on the same data. */
  async kill(): Promise<void> {
    this.#up = this.#restart();
    await this.#up;
  }

  async #restart(): Promise<void> {
    const server = this.#server as Running;
    server.child.kill('SIGKILL');
    await server.ended;
    this.#deaths.set(this.#process, this.next());
    this.#process++;
    await this.start();
  }

  /** @returns The exit status. */
  async stop(): Promise<number | string> {
    const server = this.#server as Running;
    server.child.kill('SIGTERM');
    return (await server.ended).status;
  }

  /** Waits until there is a server, and says which and when a request to it begins. */
  async begin(): Promise<{ readonly process: number; readonly invoked: number }> {
    for (let up; up !== this.#up;) {
      up = this.#up;
      await up;
    }
    return { process: this.#process, invoked: this.next() };
  }

  /** One request, undefined when its answer did not come. Called on the turn of the event loop on which it began. */
  async ask(
    method: string,
    path: string,
    key: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answered | undefined> {
    return askServer(this.#port, method, path, key, body, headers);
  }
}

/** @returns undefined when its answer did not come. */
export async function askServer(
  port: number,
  method: string,
  path: string,
  key: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<Answered | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
      method,
      headers: {
        'x-api-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json(), etag: answer.headers.get('etag') ?? undefined };
  } catch {
    return undefined;
  }
}
