/**
 * The serving threads of the data plane's process, driven as one: starts them, sends them messages and collects their
 * answers.
 *
 * A question goes to all threads and is answered when every one of them has answered. Which mocks they serve is
 * mock-directory.ts.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { programFile } from '../../base/program-files.ts';
import { BEAT_MS } from '../../limits.ts';
import { connectionsWithin } from '../../wire/listen.ts';
import { compilations, HeartbeatWatch, newHeartbeat, requestsTaken, openFigures } from '../shared/heartbeat.ts';
import { newLease, writeLease } from '../shared/lease.ts';
import type { ProcessSettings, ProcessToThread, ThreadQuestions, ThreadToProcess } from '../shared/messages.ts';
import { SocketTicks } from './socket-ticks.ts';
import type { ThreadTask } from '../thread/worker.ts';

/** Connections of the mock port, or what the limit of open files allows. (shown: Shared capacity) */
const MOCK_CONNECTIONS_MAX = 50_000;

/** A thread that is ready, as it says so. */
type ReadyThread = Extract<ThreadToProcess, { kind: 'ready' }>;

interface ThreadEvents {
  /** A thread lacks a mock. */
  readonly onLoad: (mockId: string, thread: number) => void;
  /** A request names a session that a thread has not got yet, or does not know. */
  readonly onWantSession: (mockId: string, sessionId: string, thread: number) => void;
  /** A request hit a bug; `text` is the stack. */
  readonly onBug: (text: string) => void;
}

/** All threads have done what a command says. */
export const CONFIRMED = (): true => true;

/**
 * A single thread listens itself. With TLS it does not: connections must go to the app that has the newest
 * certificate.
 */
export function listensByItself({ threads, tls }: ProcessSettings): boolean {
  return threads === 1 && tls === undefined;
}

export class Threads {
  readonly #events: ThreadEvents;
  readonly #heartbeat: SharedArrayBuffer;
  readonly #lease = newLease();
  readonly #ports: MessagePort[] = [];
  readonly #tasks: Promise<unknown>[] = [];
  readonly #ready: ReadyThread[] = [];
  /** Takes the next answer to a question. */
  readonly #pending = new Map<number, (answer: unknown) => void>();
  readonly #ticks = new SocketTicks((thread, tick) => this.send(thread, tick));
  #onReady: (() => void) | undefined;
  #lastId = 0;

  constructor(settings: ProcessSettings, events: ThreadEvents) {
    const { threads } = settings;
    this.#events = events;
    this.#heartbeat = newHeartbeat(threads);
    const pool = new Piscina({
      filename: programFile('serving-thread').href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Infinity,
      atomics: 'disabled',
    });
    const forThread = {
      mockDomain: settings.mockDomain,
      sharedDomains: settings.sharedDomains,
      tls: settings.tls,
      https: settings.https,
      mtls: settings.mtls,
      attached: settings.attached,
      connectionsMax: Math.ceil(connectionsWithin(MOCK_CONNECTIONS_MAX) / threads),
      trafficBytesMax: Math.floor(settings.trafficBytesMax / threads),
      trafficBytesPerMock: Math.floor(settings.trafficBytesPerMock / threads),
      memory: settings.threadMemory,
      cluster: settings.cluster && { ...settings.cluster, lease: this.#lease },
      egress: settings.egress,
      listenOn: listensByItself(settings) ? { host: settings.host, port: settings.port } : undefined,
      boundTo: settings.bound,
    };
    const peers = portsBetween(threads);
    for (let index = 0; index < threads; index++) {
      const { port1, port2 } = new MessageChannel();
      const own = peers[index] as readonly (MessagePort | undefined)[];
      const task: ThreadTask = { port: port2, peers: own, settings: forThread, heartbeat: this.#heartbeat, index };
      this.#ports.push(port1);
      const transferList = [port2, ...own.filter((port) => port !== undefined)];
      this.#tasks.push(pool.run(task, { transferList }));
      port1.on('message', (message: ThreadToProcess) => this.#onMessage(message, index));
    }
  }

  /** @param validUntil By `monotonicMs`. */
  setLease(validUntil: number): void {
    writeLease(this.#lease, validUntil);
  }

  /** For each thread, modulo 2^32. */
  requestsTaken(): number[] {
    return requestsTaken(this.#heartbeat);
  }

  /** Streams and WebSockets that are open in all threads, and what was sent on them, modulo 2^32. */
  open(): ReturnType<typeof openFigures> {
    return openFigures(this.#heartbeat);
  }

  /** Changes while threads compile. */
  compilations(): number {
    return compilations(this.#heartbeat);
  }

  /** Resolves when all threads are ready. */
  ready(): Promise<readonly ReadyThread[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#ready.length === this.#ports.length) resolve(this.#ready);
      };
      this.#onReady = check;
      check();
    });
  }

  watch(onHang: () => void): void {
    const watch = new HeartbeatWatch(this.#heartbeat, this.#ports.length);
    setInterval(() => {
      if (watch.hangingThread() !== undefined) onHang();
    }, BEAT_MS);
  }

  send(thread: number, message: ProcessToThread): void {
    this.#ports[thread]?.postMessage(message);
  }

  sendToAll(message: ProcessToThread): void {
    for (const port of this.#ports) port.postMessage(message);
  }

  get count(): number {
    return this.#ports.length;
  }

  /**
   * @param merge Called once, in the turn in which the last thread has answered.
   * @param of    The threads, if not all.
   * @returns What it makes of the answers.
   */
  ask<Name extends keyof ThreadQuestions, Result>(
    name: Name,
    question: ThreadQuestions[Name]['question'],
    merge: (answers: ThreadQuestions[Name]['answer'][]) => Result,
    of: ReadonlySet<number> = new Set(this.#ports.keys()),
  ): Promise<Result> {
    return new Promise((resolve) => {
      const id = ++this.#lastId;
      const answers: ThreadQuestions[Name]['answer'][] = [];
      this.#pending.set(id, (answer) => {
        answers.push(answer as ThreadQuestions[Name]['answer']);
        if (answers.length < of.size) return;
        this.#pending.delete(id);
        resolve(merge(answers));
      });
      for (const thread of of) this.send(thread, { kind: 'ask', id, name, question });
    });
  }

  /** Resolves when every thread has closed its connections and ended. */
  async stop(): Promise<void> {
    this.sendToAll({ kind: 'stop' });
    await Promise.all(this.#tasks);
  }

  #onMessage(message: ThreadToProcess, thread: number): void {
    switch (message.kind) {
      case 'ready':
        this.#ready.push(message);
        return this.#onReady?.();
      case 'load':
        return this.#events.onLoad(message.mockId, thread);
      case 'wantSession':
        return this.#events.onWantSession(message.mockId, message.sessionId, thread);
      case 'bug':
        return this.#events.onBug(message.text);
      case 'broadcast':
        return this.sendToAll(message);
      case 'ticked':
        return this.#ticks.note(thread, message);
      case 'answer':
        return this.#pending.get(message.id)?.(message.answer);
    }
  }
}

/** @returns For each thread its ports to all others, by their index. */
function portsBetween(threads: number): (MessagePort | undefined)[][] {
  const ports = Array.from({ length: threads }, () =>
    Array.from({ length: threads }, (): MessagePort | undefined => undefined),
  );
  for (let one = 0; one < threads; one++) {
    for (let other = one + 1; other < threads; other++) {
      const { port1, port2 } = new MessageChannel();
      (ports[one] as (MessagePort | undefined)[])[other] = port1;
      (ports[other] as (MessagePort | undefined)[])[one] = port2;
    }
  }
  return ports;
}
