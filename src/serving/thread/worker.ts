/**
 * A serving thread: one task of the pool that lasts as long as the thread serves.
 *
 * It creates its own uWebSockets.js app. It passes the app's descriptor to the main thread of the data plane's process,
 * which distributes connections to it; a single thread listens itself instead. Mocks arrive as messages on its port.
 * The thread ends only by `stop`: any other end of a thread that holds an app aborts the process.
 */
import type { MessagePort } from 'node:worker_threads';
import { collectGarbage } from '../../base/own-memory.ts';
import { OwnerTurns } from '../../base/owner-turns.ts';
import { sharedByOwners } from '../../base/waiting-bytes.ts';
import type { QuestionMessage } from '../../children/questions.ts';
import {
  BEAT_MS,
  MOCK_DRAIN_MS,
  MOCK_REQUEST_BYTES_MAX,
  MOCK_SOCKET_IDLE_SECONDS,
  MOCK_SOCKET_MESSAGE_BYTES_MAX,
  MOCK_SOCKET_WAITING_BYTES_MAX,
  TEMPLATE_OUTPUT_CHARS_MAX,
} from '../../limits.ts';
import { descriptorOf, newApp, routeByMethod, TlsFilesError } from '../../wire/apps.ts';
import { listenForMocks, BoundedConnections, stopListening } from '../../wire/listen.ts';
import { uWS, type TemplatedApp } from '../../wire/uws.ts';
import type { BoundTo, ReceivingPort } from '../shared/bound-port.ts';
import type { Exchange } from './reply/exchange.ts';
import { HeldReplies, type ReplySource } from './reply/held-replies.ts';
import { MockCache, sessionKey } from './mock-cache.ts';
import { egressConnector } from './egress-connector.ts';
import { MockServer } from './mock-server.ts';
import { sendMockNotFound, sendStopped, sendUnknownSession } from './reply/own-replies.ts';
import { useSigningMaterial } from '../matching/signing/signing-keys.ts';
import type {
  HttpsSettings,
  ProcessToThread,
  ThreadApps,
  ThreadQuestions,
  ThreadSettings,
  ThreadToProcess,
} from '../shared/messages.ts';
import { SecureApps } from './secure-apps.ts';
import { threadHomes } from './thread-homes.ts';
import { HomeThreads } from './stores/home-threads.ts';
import { LiveStores } from './stores/live-stores.ts';
import { storesAnswerer } from './stores/answer-question.ts';
import { Broadcasts } from './sockets/broadcasts.ts';
import { SharedTicks } from './sockets/shared-ticks.ts';
import { WaitingMessages } from './sockets/waiting-messages.ts';
import { OpenStreams } from './streams/open-streams.ts';
import { Traffic } from './traffic/traffic.ts';
import type { PackedPage } from '../shared/packed-records.ts';
import { ThreadHeartbeat } from '../shared/heartbeat.ts';

export interface ThreadTask {
  readonly port: MessagePort;
  /** To the other threads, by their index. */
  readonly peers: readonly (MessagePort | undefined)[];
  readonly settings: ThreadSettings;
  /** From `newHeartbeat`. */
  readonly heartbeat: SharedArrayBuffer;
  readonly index: number;
}

type ThreadQuestion<Name extends keyof ThreadQuestions> = QuestionMessage<ThreadQuestions, Name>;

/** @param handedOver Buffers that are the answer's own. */
type Answer<Name extends keyof ThreadQuestions> = (
  answer: ThreadQuestions[Name]['answer'],
  handedOver?: readonly ArrayBuffer[],
) => void;

type ThreadAnswers = {
  readonly [Name in keyof ThreadQuestions]: (question: ThreadQuestions[Name]['question'], answer: Answer<Name>) => void;
};

/** Resolves after `stop`, when the connections are closed. */
export default async function serveMocks({
  port,
  peers,
  settings,
  heartbeat: beats,
  index,
}: ThreadTask): Promise<void> {
  const homes = await threadHomes(settings.cluster);
  return new Promise((resolve) => {
    const heartbeat = new ThreadHeartbeat(beats, index);
    // faker warns at each call of a deprecated function: one request could write a thousand lines.
    console.warn = () => undefined;
    const beating = setInterval(() => heartbeat.beat(), BEAT_MS);
    const send = (message: ThreadToProcess): void => port.postMessage(message);
    const onBug = atMostOnceEvery(BUG_MS, (error: unknown) => {
      send({ kind: 'bug', text: error instanceof Error ? String(error.stack) : String(error) });
    });
    const turns = new OwnerTurns(onBug);
    const cache = new MockCache(
      (mockId, sessionId) =>
        send(sessionId === undefined ? { kind: 'load', mockId } : { kind: 'wantSession', mockId, sessionId }),
      (compile) => heartbeat.compiling(compile),
      {
        turns,
        sharedDomains: settings.sharedDomains,
        bytesMax: settings.memory.compiledBytesMax,
        remembersAbsent: homes.areAllHere,
      },
    );

    const traffic = new Traffic(settings.trafficBytesMax, settings.trafficBytesPerMock, turns);
    const held = new HeldReplies(settings.connectionsMax, turns);
    const replyBytes = sharedByOwners(settings.memory.repliesBytesMax, TEMPLATE_OUTPUT_CHARS_MAX);
    const streams = new OpenStreams(replyBytes, turns, (open, events) => heartbeat.streams(open, events));
    const sockets = new OpenStreams(replyBytes, turns, (open, messages) => heartbeat.sockets(open, messages));
    const stores = new LiveStores(settings.memory.storesBytesMax, (figures) => heartbeat.stores(figures));
    const homeThreads = new HomeThreads(index, peers);
    const answerStores = storesAnswerer(cache, stores, turns);
    const broadcasts = new Broadcasts(index, turns, sockets, send);
    const broadcast = broadcasts.send;
    const ticks = new SharedTicks({ broadcast, turns }, (ticked) => send({ kind: 'ticked', ...ticked }));
    const server = new MockServer({
      sockets,
      broadcast,
      messages: new WaitingMessages(turns),
      ticks,
      turns,
      mockDomain: settings.mockDomain,
      attached: settings.attached,
      cache,
      traffic,
      requestBytes: sharedByOwners(settings.memory.requestsBytesMax, MOCK_REQUEST_BYTES_MAX),
      replyBytes,
      held,
      streams,
      homes,
      stores,
      homeThreads,
      connect: egressConnector(settings.egress),
      sharedDomains: settings.sharedDomains,
      onRequest: () => heartbeat.requestTaken(),
      onStep: () => heartbeat.beat(),
      onBug,
    });
    /** The first ones, and as many more for each renewal of the certificate. */
    const apps: TemplatedApp[] = [];
    const connections = new BoundedConnections(settings.connectionsMax, peers.length);
    const route = (app: TemplatedApp, by: ReceivingPort): TemplatedApp => {
      routeSockets(app, server, connections, by);
      routeByMethod(app, (res, req, method) => server.handle(res, req, method, undefined, by));
      return app;
    };
    const opened = (app: TemplatedApp): TemplatedApp => {
      connections.capIn(app);
      apps.push(app);
      return app;
    };
    const openApp = (boundTo?: BoundTo): TemplatedApp =>
      opened(route(newApp(settings.tls), { boundTo, isSecure: settings.tls !== undefined, asksCertificate: false }));
    const secureApps = (https: HttpsSettings | undefined): (() => unknown) | undefined => {
      if (https === undefined) return undefined;
      const secure = new SecureApps(https, settings, cache, onBug);
      const by = { boundTo: undefined, isSecure: true, asksCertificate: https.clientCa !== undefined };
      return () => unlessRefused(() => descriptorOf(opened(secure.open((app) => route(app, by)))), onBug);
    };
    const [secure, mutual] = [secureApps(settings.https), secureApps(settings.mtls)];
    /** @param mocks That of the mock port; undefined where it keeps its app. */
    const openApps = (mocks: TemplatedApp | undefined): ThreadApps => ({
      mocks: mocks && descriptorOf(mocks),
      bound: mocks && settings.boundTo && descriptorOf(openApp(settings.boundTo)),
      https: secure?.(),
      mtls: mutual?.(),
    });

    /** Closes those whose route is gone. */
    const refreshSockets = (mockId: string, sessionId?: string): void =>
      sockets.forEach(mockId, (each) => {
        if (sessionId === undefined || each.source.sessionId === sessionId) each.refresh?.();
      });
    const answers: ThreadAnswers = {
      compile: (mock, answer) => cache.compile(mock, () => answer(true)),
      serve(mock, answer) {
        const { mockId } = mock;
        const { isRunning } = cache.serve(mock);
        refreshSockets(mockId);
        // What goes on in sessions goes on by the new version, too, and counts by it, when it is confirmed.
        const whenAsked = (): void => cache.whenAsked(mockId, held.sessionsOf(mockId), () => answer(true));
        if (isRunning) return whenAsked();
        stores.forget(mockId);
        return held.end(mock, sendStopped, whenAsked);
      },
      absent(mock, answer) {
        cache.forget(mock.mockId);
        traffic.forget(mock.mockId);
        stores.forget(mock.mockId);
        held.end(
          mock,
          (exchange) => sendMockNotFound(exchange),
          () => answer(true),
        );
      },
      releaseAll(_, answer) {
        cache.clear();
        sockets.forEach(undefined, (each) => each.end('stop', { code: 1_012 }));
        answer(true);
      },
      waits: ({ ownerId }, answer) => answer(turns.waits(ownerId)),
      reset({ mockId, counters, storesOf }, answer) {
        traffic.reset(mockId);
        if (counters !== undefined) cache.reset(mockId, counters, storesOf);
        answer(true);
      },
      session({ mockId, session, isNew }, answer) {
        if (isNew) traffic.forgetSession(mockId, session.sessionId);
        cache.putSession(mockId, session);
        refreshSockets(mockId, session.sessionId);
        answer(true);
      },
      endSession(session, answer) {
        const { mockId, sessionId, expiredUntil, filter } = session;
        cache.endSession(mockId, sessionId, expiredUntil);
        stores.forget(mockId, sessionId);
        // Only this session: one of the same id may be made while it is read.
        const taken = traffic.takeSession(mockId, sessionId, filter);
        const reply = (exchange: Exchange, source: ReplySource): void =>
          sendUnknownSession(exchange, source, expiredUntil !== undefined);
        held.end(session, reply, () => void taken.then(answer, onBug));
      },
      requests({ mockId, filter }, answer) {
        const answerPage = (page: PackedPage): void => {
          const { bytes, starts } = page.records;
          // The buffer is the page's own, unless there are no records.
          answer(page, starts.length === 0 ? [] : [bytes.buffer as ArrayBuffer]);
        };
        traffic.read(mockId, filter).then(answerPage).catch(onBug);
      },
      streams: (question, answer) => (question.sockets === true ? sockets : streams).answer(question, answer),
      stores: answerStores,
      renew(_, answer) {
        const renewed = unlessRefused(() => openApps(settings.tls && openApp()));
        const lacks =
          (secure && renewed?.https === undefined) === true || (mutual && renewed?.mtls === undefined) === true;
        answer(lacks ? undefined : renewed);
      },
    };
    const answer = <Name extends keyof ThreadQuestions>({ id, name, question }: ThreadQuestion<Name>): void =>
      answers[name](question, (found, handedOver = []) => {
        port.postMessage({ kind: 'answer', id, answer: found } satisfies ThreadToProcess, handedOver);
      });
    const onMessage = (message: ProcessToThread): void => {
      switch (message.kind) {
        case 'ask':
          return answer(message);
        case 'failed':
          return cache.fail(message.mockId);
        case 'elsewhere':
          traffic.forget(message.mockId);
          stores.forget(message.mockId);
          cache.setElsewhere(message.mockId, message.elsewhere);
          return refreshSockets(message.mockId);
        case 'peers':
          cache.forgetAllElsewhere();
          return homes.keep(message.addresses);
        case 'collectGarbage':
          return void collectGarbage();
        case 'signingKeys':
          return useSigningMaterial(message.keys);
        case 'ports':
          return connections.countAt(message.ports);
        case 'refuseSession':
          return cache.fail(sessionKey(message.mockId, message.sessionId), message.reason);
        case 'broadcast':
          return broadcasts.receive(message);
        case 'tick':
          heartbeat.beat();
          return ticks.tick(message);
        case 'stop':
          if (listening !== undefined) stopListening(listening);
          return void server.drain(MOCK_DRAIN_MS).then(() => {
            clearInterval(beating);
            for (const app of apps) app.close();
            port.close();
            resolve();
          });
      }
    };
    port.on('message', (message: ProcessToThread) => {
      try {
        onMessage(message);
      } catch (error) {
        // Not confirmed: the publish times out, and the data plane is restarted.
        onBug(error);
      }
    });
    const app = openApp();
    const { listenOn } = settings;
    const listening = listenOn === undefined ? undefined : listenForMocks(app, listenOn.host, listenOn.port);
    send({ kind: 'ready', apps: openApps(app), port: listening?.port });
  });
}

/** @returns undefined when TLS cannot use the files as they are now: they may have been replaced in the meantime. */
function unlessRefused<Made>(make: () => Made, onRefused?: (error: unknown) => void): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof TlsFilesError)) throw error;
    onRefused?.(error);
    return undefined;
  }
}

/** An error that every request hits must not fill the log. */
const BUG_MS = 1_000;

function atMostOnceEvery<Value>(ms: number, action: (value: Value) => void): (value: Value) => void {
  let next = 0;
  return (value) => {
    if (performance.now() < next) return;
    next = performance.now() + ms;
    action(value);
  };
}

/**
 * Handshakes of WebSockets. uWebSockets.js does not say to the filter of connections that one of them has closed.
 *
 * Compression is shared by all sockets of the thread, which takes no memory for each; a route has it where it asks for it.
 */
function routeSockets(app: TemplatedApp, server: MockServer, connections: BoundedConnections, by: ReceivingPort): void {
  app.ws('/*', {
    compression: uWS.SHARED_COMPRESSOR,
    maxPayloadLength: MOCK_SOCKET_MESSAGE_BYTES_MAX,
    idleTimeout: MOCK_SOCKET_IDLE_SECONDS,
    maxBackpressure: MOCK_SOCKET_WAITING_BYTES_MAX,
    closeOnBackpressureLimit: true,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => server.upgrade(res, req, context, by),
    open: (socket) => socket.getUserData().of.opened(socket),
    message: (socket, message, isBinary) => socket.getUserData().of.received(message, isBinary),
    ping: (socket) => socket.getUserData().of.pinged(),
    pong: (socket) => socket.getUserData().of.pinged(),
    drain: (socket) => socket.getUserData().of.drained(),
    close: (socket, code, reason) => {
      connections.count--;
      socket.getUserData().of.closed(code, reason);
    },
  });
}
