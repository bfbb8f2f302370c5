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
import type { ProcessSettings, ProcessToThread, ThreadDone, ThreadToProcess } from '../shared/messages.ts';
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

interface PendingQuestion {
  /** Threads that have not answered yet. */
  left: number;
  readonly answers: ThreadDone[];
  readonly done: (answers: ThreadDone[]) => void;
}

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
  readonly #pending = new Map<number, PendingQuestion>();
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

  /**
   * @param make Makes the message with the id that the threads answer to.
   * @param done Called once, when all threads have answered.
   * @param of   The threads, if not all.
   */
  askThreads(
    make: (id: number) => ProcessToThread,
    done: (answers: ThreadDone[]) => void,
    of: ReadonlySet<number> = new Set(this.#ports.keys()),
  ): void {
    const id = ++this.#lastId;
    this.#pending.set(id, { left: of.size, answers: [], done });
    const message = make(id);
    for (const thread of of) this.send(thread, message);
  }

  get count(): number {
    return this.#ports.length;
  }

  /** The same as `askThreads`, for one thread. */
  askThread(thread: number, make: (id: number) => ProcessToThread, done: (answer: ThreadDone) => void): void {
    this.askThreads(make, ([answer]) => done(answer as ThreadDone), new Set([thread]));
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
      case 'done':
        return this.#onDone(message);
    }
  }

  #onDone(answer: ThreadDone): void {
    const pending = this.#pending.get(answer.id);
    if (pending === undefined) return;
    pending.answers.push(answer);
    if (--pending.left > 0) return;
    this.#pending.delete(answer.id);
    pending.done(pending.answers);
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
