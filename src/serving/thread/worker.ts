/**
 * A serving thread: one task of the pool that lasts as long as the thread serves.
 *
 * It makes its own uWebSockets.js app, hands its descriptor to the data plane's main thread, which deals it sockets, or listens by itself
 * where it serves alone, and then hears of mocks through its port. It ends only by `stop`: any other end of a thread that holds an app aborts the process.
 */
import type { MessagePort } from 'node:worker_threads';
import type { TemplatedApp } from 'uWebSockets.js';
import { BEAT_MS, MOCK_DRAIN_MS } from '../../limits.ts';
import { descriptorOf, newApp, TlsFilesError } from '../../wire/apps.ts';
import { capConnections, listenOnOwnPort, stopListening } from '../../wire/listen.ts';
import { MockCache } from './mock-cache.ts';
import { MockServer } from './mock-server.ts';
import type { HostToThread, ThreadSettings, ThreadToHost } from '../protocol.ts';
import { Traffic } from './traffic.ts';
import { ThreadVitals } from '../vitals.ts';

export interface ThreadTask {
  readonly port: MessagePort;
  readonly settings: ThreadSettings;
  readonly vitals: SharedArrayBuffer;
  readonly index: number;
}

/** Resolves when the thread was told to stop and its connections are closed. */
export default function serveMocks({ port, settings, vitals: sharedVitals, index }: ThreadTask): Promise<void> {
  return new Promise((resolve) => {
    const vitals = new ThreadVitals(sharedVitals, index);
    // faker warns of a deprecated function at each call: one request would write a thousand lines.
    console.warn = () => undefined;
    const beating = setInterval(() => vitals.beat(), BEAT_MS);
    const tell = (message: ThreadToHost): void => port.postMessage(message);
    const cache = new MockCache(
      (mockId) => tell({ kind: 'load', mockId }),
      (compile) => vitals.compiling(compile),
      settings.sharedDomains,
    );
    const traffic = new Traffic(settings.trafficBytesMax, settings.trafficBytesPerMock);
    const onBug = atMostOnceEvery(BUG_MS, (error: unknown) => {
      tell({ kind: 'bug', text: error instanceof Error ? String(error.stack) : String(error) });
    });
    const server = new MockServer({
      mockDomain: settings.mockDomain,
      cache,
      traffic,
      onRequest: () => vitals.requestTaken(),
      onStep: () => vitals.beat(),
      onBug,
    });
    /** One, and one more for each renewal of the certificate. */
    const apps: TemplatedApp[] = [];
    const connections = { connections: 0 };
    const openApp = (): TemplatedApp => {
      const app = newApp(settings.tls);
      routeByMethod(app, settings.testHooks ? hangingOnDemand(server) : server);
      capConnections(app, settings.connectionsMax, connections);
      apps.push(app);
      return app;
    };

    const hear = (message: HostToThread): void => {
      switch (message.kind) {
        case 'serve':
          cache.serve(message.mock);
          break;
        case 'absent':
          cache.forget(message.mockId);
          traffic.forget(message.mockId);
          break;
        case 'failed':
          cache.fail(message.mockId);
          return;
        case 'reset':
          traffic.reset(message.mockId);
          if (message.counters !== undefined) cache.reset(message.mockId, message.counters);
          break;
        case 'requests': {
          const { id, mockId, filter } = message;
          traffic.read(mockId, filter).then((page) => tell({ kind: 'done', id, page }), onBug);
          return;
        }
        case 'renew':
          return tell({ kind: 'done', id: message.id, descriptor: unlessRefused(() => descriptorOf(openApp())) });
        case 'stop':
          if (listening !== undefined) stopListening(listening);
          void server.drain(MOCK_DRAIN_MS).then(() => {
            clearInterval(beating);
            for (const app of apps) app.close();
            port.close();
            resolve();
          });
          return;
      }
      if (message.id !== undefined) tell({ kind: 'done', id: message.id });
    };
    port.on('message', (message: HostToThread) => {
      try {
        hear(message);
      } catch (error) {
        // Not confirmed: the publish runs into its deadline, and the data plane starts anew.
        onBug(error);
        if (message.kind === 'serve') cache.fail(message.mock.mockId);
      }
    });
    const app = openApp();
    const { listenOn } = settings;
    const listening = listenOn === undefined ? undefined : listenOnOwnPort(app, listenOn.host, listenOn.port);
    tell({ kind: 'ready', descriptor: descriptorOf(app), port: listening?.port });
  });
}

/** @returns undefined when TLS cannot use the files as they are now: others may replace them meanwhile. */
function unlessRefused<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof TlsFilesError) return undefined;
    throw error;
  }
}

/** A bug that every request meets must not fill the log. */
const BUG_MS = 1_000;

function atMostOnceEvery<Value>(ms: number, action: (value: Value) => void): (value: Value) => void {
  let next = 0;
  return (value) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    action(value);
  };
}

/** A handler for each method that is frequent: it is told the method, which costs less than asking each request for it. */
function routeByMethod(app: TemplatedApp, server: Pick<MockServer, 'handle'>): void {
  app.get('/*', (res, req) => server.handle(res, req, 'GET'));
  app.post('/*', (res, req) => server.handle(res, req, 'POST'));
  app.put('/*', (res, req) => server.handle(res, req, 'PUT'));
  app.patch('/*', (res, req) => server.handle(res, req, 'PATCH'));
  app.del('/*', (res, req) => server.handle(res, req, 'DELETE'));
  app.any('/*', (res, req) => server.handle(res, req, req.getCaseSensitiveMethod()));
}

/** For tests: a request for `/__test/hang` never ends, and holds its thread. */
function hangingOnDemand(server: MockServer): Pick<MockServer, 'handle'> {
  return {
    handle(res, req, method) {
      if (req.getUrl() === '/__test/hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      server.handle(res, req, method);
    },
  };
}
