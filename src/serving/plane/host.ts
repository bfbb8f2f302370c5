/**
 * The data plane's process: what runs in its main thread.
 *
 * It listens, exclusively, and deals accepted connections to the serving threads in turn; a thread that serves alone listens by itself,
 * which saves each connection 14 µs on its way from one thread to another. It hands published mocks on, one at a time and as bytes, and
 * says so to the main process when every thread has confirmed. It owns the mocks' counters, since it alone outlives publications and
 * sees all threads. When the main process is gone, or a thread hangs, it ends at once: a kill is the only end that no thread can hold up,
 * and the supervisor starts a new process.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { BEAT_MS, MOCK_CONNECTIONS_MAX } from '../../limits.ts';
import { Acceptor } from '../../wire/apps.ts';
import { connectionsWithin, listenOnOwnPort } from '../../wire/listen.ts';
import { HostMocks } from './host-mocks.ts';
import type { HostSettings, HostToMain, HostToThread, MainToHost, ThreadDone, ThreadToHost } from '../protocol.ts';
import { newVitals, requestsTaken, VitalsWatch } from '../vitals.ts';
import type { ThreadTask } from '../thread/worker.ts';

function tellMain(message: HostToMain): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** A thread's app, as `ready` tells of it. */
type ServingApp = Extract<ThreadToHost, { kind: 'ready' }>;

/** With TLS connections are dealt all the same: to the app that has the newest certificate. */
function servesAlone({ threads, tls }: HostSettings): boolean {
  return threads === 1 && tls === undefined;
}

/** The serving threads as one: what is said goes to all, and is done when all have answered. */
class Threads {
  readonly #ports: MessagePort[] = [];
  readonly #tasks: Promise<unknown>[] = [];
  readonly #serving: ServingApp[] = [];
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
      listenOn: servesAlone(settings) ? { host: settings.host, port: settings.port } : undefined,
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

  /** Resolves with the threads' apps. */
  ready(): Promise<readonly ServingApp[]> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (this.#serving.length === this.#ports.length) resolve(this.#serving);
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
        this.#serving.push(message);
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

/** @returns What hears the main process from then on. */
async function start(settings: HostSettings): Promise<(message: MainToHost) => void> {
  const threads = new Threads(settings, (mockId, thread) => mocks.load(mockId, thread));
  const mocks = new HostMocks(threads, tellMain);
  const serving = await threads.ready();
  const acceptor = servesAlone(settings) ? undefined : new Acceptor(settings.tls !== undefined);
  acceptor?.dealTo(serving.map(({ descriptor }) => descriptor));
  const renewCertificate = (id: number): void => {
    threads.askAll(
      (askId) => ({ kind: 'renew', id: askId }),
      (answers) => {
        const renewed = answers.map(({ descriptor }) => descriptor);
        const isRenewed = !renewed.includes(undefined);
        if (isRenewed) acceptor?.dealTo(renewed);
        tellMain({ kind: 'done', id, result: { isRenewed } });
      },
    );
  };
  setInterval(() => tellMain({ kind: 'beat' }), BEAT_MS);
  threads.watch(endNow);
  const port =
    acceptor === undefined ? serving[0]?.port : listenOnOwnPort(acceptor.app, settings.host, settings.port)?.port;
  tellMain(port === undefined ? { kind: 'cannotListen' } : { kind: 'listening', port });
  return (message) => {
    if (message.kind === 'stop') {
      acceptor?.app.close();
      void threads.stop().then(endNow);
    } else if (message.kind === 'renewCertificate') renewCertificate(message.id);
    else if (message.kind !== 'start') mocks.hear(message);
  };
}

/** Never `exit`: it ends the threads one by one, and a thread that holds an app aborts, with a core to write. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

let hear: ((message: MainToHost) => void) | undefined;
/** Said while the threads start: a `stop` behind a crash comes then. */
const early: MainToHost[] = [];

// One listener for good: Node.js hands out at once all that came before the first, and what finds none is lost.
process.on('message', (message: MainToHost) => {
  if (hear !== undefined) return hear(message);
  if (message.kind !== 'start') return void early.push(message);
  void start(message.settings).then((heard) => {
    hear = heard;
    for (const each of early) hear(each);
  });
});
process.on('disconnect', endNow);
// They reach the whole group of a terminal; when this process ends is for the main process to say.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
