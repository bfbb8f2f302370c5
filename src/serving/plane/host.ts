/**
 * The data plane's process: what runs in its main thread.
 *
 * It listens, exclusively, and deals accepted connections to the serving threads in turn. It hands published mocks on, one at a
 * time and as bytes, and says so to the main process when every thread has confirmed. It owns the mocks' counters, since it
 * alone outlives publications and sees all threads. When the main process is gone, or a thread hangs, it ends at once: a kill
 * is the only end that no thread can hold up, and the supervisor starts a new process.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import * as uWS from 'uWebSockets.js';
import type { TemplatedApp } from 'uWebSockets.js';
import { BEAT_MS, MOCK_CONNECTIONS_MAX } from '../../limits.ts';
import { Acceptor } from '../../wire/apps.ts';
import { connectionsWithin, listenExclusively } from '../../wire/listen.ts';
import { HostMocks } from './host-mocks.ts';
import type { HostSettings, HostToMain, HostToThread, MainToHost, ThreadDone, ThreadToHost } from '../protocol.ts';
import { newVitals, requestsTaken, VitalsWatch } from '../vitals.ts';
import type { ThreadTask } from '../thread/worker.ts';

function tellMain(message: HostToMain): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** The serving threads as one: what is said goes to all, and is done when all have answered. */
class Threads {
  readonly #ports: MessagePort[] = [];
  readonly #tasks: Promise<unknown>[] = [];
  readonly #descriptors: unknown[] = [];
  readonly #pending = new Map<number, { left: number; answers: ThreadDone[]; done: (answers: ThreadDone[]) => void }>();
  #lastId = 0;

  constructor(settings: HostSettings, onLoad: (mockId: string, thread: number) => void) {
    const { threads } = settings;
    const pool = new Piscina({
      filename: new URL('../thread/worker.js', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      concurrentTasksPerWorker: 1,
      idleTimeout: Infinity,
      atomics: 'disabled',
    });
    const vitals = newVitals(threads);
    const forThread = {
      mockDomain: settings.mockDomain,
      sharedDomains: settings.sharedDomains,
      tls: settings.tls,
      connectionsMax: Math.ceil(connectionsWithin(MOCK_CONNECTIONS_MAX) / threads),
      trafficBytesMax: Math.floor(settings.trafficBytesMax / threads),
      trafficBytesPerMock: Math.floor(settings.trafficBytesPerMock / threads),
      testHooks: settings.testHooks,
    };
    for (let index = 0; index < threads; index++) {
      const { port1, port2 } = new MessageChannel();
      const task: ThreadTask = { port: port2, settings: forThread, vitals, index };
      this.#ports.push(port1);
      this.#tasks.push(pool.run(task, { transferList: [port2] }));
      port1.on('message', (message: ThreadToHost) => this.#hear(message, index, onLoad));
    }
    this.#vitals = vitals;
  }

  readonly #vitals: SharedArrayBuffer;

  requestsTaken(): number[] {
    return requestsTaken(this.#vitals);
  }

  #onReady: (() => void) | undefined;

  /** Resolves with the descriptors of the threads' apps. */
  ready(): Promise<readonly unknown[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#descriptors.length === this.#ports.length) resolve(this.#descriptors);
      };
      this.#onReady = check;
      check();
    });
  }

  watch(onHang: () => void): void {
    const watch = new VitalsWatch(this.#vitals, this.#ports.length);
    setInterval(() => {
      if (watch.look() !== undefined) onHang();
    }, BEAT_MS);
  }

  tell(thread: number, message: HostToThread): void {
    this.#ports[thread]?.postMessage(message);
  }

  tellAll(message: HostToThread): void {
    for (const port of this.#ports) port.postMessage(message);
  }

  /** @param make Makes the message with the id that the threads answer to. */
  askAll(make: (id: number) => HostToThread, done: (answers: ThreadDone[]) => void): void {
    const id = ++this.#lastId;
    this.#pending.set(id, { left: this.#ports.length, answers: [], done });
    this.tellAll(make(id));
  }

  async stop(): Promise<void> {
    this.tellAll({ kind: 'stop' });
    await Promise.all(this.#tasks);
  }

  #hear(message: ThreadToHost, thread: number, onLoad: (mockId: string, thread: number) => void): void {
    switch (message.kind) {
      case 'ready':
        this.#descriptors.push(message.descriptor);
        return this.#onReady?.();
      case 'load':
        return onLoad(message.mockId, thread);
      case 'bug':
        return tellMain(message);
      case 'done': {
        const pending = this.#pending.get(message.id);
        if (pending === undefined) return;
        pending.answers.push(message);
        if (--pending.left > 0) return;
        this.#pending.delete(message.id);
        pending.done(pending.answers);
      }
    }
  }
}

async function start(settings: HostSettings): Promise<void> {
  const threads = new Threads(settings, (mockId, thread) => mocks.load(mockId, thread));
  const mocks = new HostMocks(threads, tellMain);
  const descriptors = await threads.ready();
  const acceptor = new Acceptor(settings.tls !== undefined);
  acceptor.dealTo(descriptors);
  const renewCertificate = (id: number): void => {
    threads.askAll(
      (askId) => ({ kind: 'renew', id: askId }),
      (answers) => {
        const renewed = answers.map(({ descriptor }) => descriptor);
        const isRenewed = !renewed.includes(undefined);
        if (isRenewed) acceptor.dealTo(renewed);
        tellMain({ kind: 'done', id, result: { isRenewed } });
      },
    );
  };
  setInterval(() => tellMain({ kind: 'beat' }), BEAT_MS);
  threads.watch(endNow);
  process.on('message', (message: MainToHost) => {
    if (message.kind === 'stop') {
      acceptor.app.close();
      void threads.stop().then(endNow);
    } else if (message.kind === 'renewCertificate') renewCertificate(message.id);
    else if (message.kind !== 'start') mocks.hear(message);
  });
  const port = listenOnOwnPort(acceptor.app, settings.host, settings.port);
  tellMain(port === undefined ? { kind: 'cannotListen' } : { kind: 'listening', port });
}

/**
 * Port 0 is exchanged for a free one that is then listened on by its number: only so does uWebSockets.js set SO_REUSEADDR, without
 * which the closed connections of a killed process would keep its successor from the port for a minute.
 *
 * @returns The port, or undefined when it cannot be listened on.
 */
function listenOnOwnPort(acceptor: TemplatedApp, host: string, port: number): number | undefined {
  for (let attempt = 1; attempt <= FREE_PORT_ATTEMPTS; attempt++) {
    const free = port === 0 ? listenExclusively(acceptor, host, 0) : undefined;
    const wanted = free === undefined ? port : uWS.us_socket_local_port(free);
    if (free !== undefined) uWS.us_listen_socket_close(free);
    const socket = listenExclusively(acceptor, host, wanted);
    if (socket !== undefined) return wanted;
    // Somebody else may have taken the free one in between.
    if (port !== 0) return undefined;
  }
  return undefined;
}

const FREE_PORT_ATTEMPTS = 5;

/** Never `exit`: it ends the threads one by one, and a thread that holds an app aborts, with a core to write. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

process.once('message', (message: MainToHost) => {
  if (message.kind === 'start') void start(message.settings);
});
process.on('disconnect', endNow);
// They reach the whole group of a terminal; when this process ends is for the main process to say.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
