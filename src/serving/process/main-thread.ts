/**
 * The main thread of the data plane's process: the program that the API process starts as its child.
 *
 * It listens exclusively and distributes accepted connections to the serving threads in turn. A single thread listens
 * itself, which saves each connection 14 µs on its way from one thread to another. It passes published mocks to the
 * threads, one at a time and as bytes, and confirms a publish to the API process when every thread has confirmed. It
 * owns the mocks' counters, since only this thread outlives publications and sees all serving threads.
 *
 * When the API process is gone, or a thread hangs, this process kills itself: a kill is the only end that no thread can
 * hold up. The API process then starts a new one.
 */
import { BEAT_MS } from '../../limits.ts';
import { Acceptor } from '../../wire/apps.ts';
import { listenForMocks } from '../../wire/listen.ts';
import { MockDirectory } from './mock-directory.ts';
import { listensByItself, Threads } from './threads.ts';
import type { ApiToProcess, ProcessSettings, ProcessToApi, ThreadApps } from '../shared/messages.ts';

/** Interval at which words of rate limits that nobody uses are moved: well below the 36 minutes after which they would be misread. */
const RATE_KEEP_NEAR_MS = 300_000;

function sendToApi(message: ProcessToApi): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

/** @returns The handler of all further messages. */
async function start(settings: ProcessSettings): Promise<(message: ApiToProcess) => void> {
  const threads = new Threads(settings, {
    onLoad: (mockId, thread) => mocks.load(mockId, thread),
    onWantSession: (mockId, sessionId, thread) => mocks.wantSession(mockId, sessionId, thread),
    onBug: (text) => sendToApi({ kind: 'bug', text }),
  });
  const mocks = new MockDirectory(threads, sendToApi);
  const ready = await threads.ready();
  const { host, bound } = settings;
  const isTls = settings.tls !== undefined;
  const acceptor = listensByItself(settings) ? undefined : new Acceptor(isTls);
  const boundAcceptor = bound && new Acceptor(isTls);
  const distributeTo = (apps: readonly ThreadApps[]): void => {
    acceptor?.distributeTo(apps.map((each) => each.mocks));
    boundAcceptor?.distributeTo(apps.map((each) => each.bound));
  };
  distributeTo(ready.map(({ apps }) => apps));
  const renewCertificate = (id: number): void => {
    threads.askThreads(
      (askId) => ({ kind: 'renew', id: askId }),
      (answers) => {
        const renewed = answers.flatMap(({ apps }) => apps ?? []);
        const isRenewed = renewed.length === answers.length;
        if (isRenewed) distributeTo(renewed);
        sendToApi({ kind: 'done', id, result: { isRenewed } });
      },
    );
  };
  let compiled = 0;
  setInterval(() => {
    sendToApi({ kind: 'beat' });
    if (compiled !== (compiled = threads.compilations())) sendToApi({ kind: 'compiling' });
  }, BEAT_MS);
  setInterval(() => mocks.keepClosest(), RATE_KEEP_NEAR_MS);
  threads.watch(endNow);
  const boundTo = bound && boundAcceptor && listenForMocks(boundAcceptor.app, host, bound.port)?.port;
  if (bound !== undefined) sendToApi({ kind: 'bound', port: boundTo });
  const port = acceptor === undefined ? ready[0]?.port : listenForMocks(acceptor.app, host, settings.port)?.port;
  threads.sendToAll({ kind: 'ports', ports: [port, boundTo].filter((each) => each !== undefined) });
  sendToApi(port === undefined ? { kind: 'cannotListen' } : { kind: 'listening', port });
  return (message) => {
    if (message.kind === 'stop') {
      acceptor?.app.close();
      boundAcceptor?.app.close();
      void threads.stop().then(endNow);
    } else if (message.kind === 'renewCertificate') renewCertificate(message.id);
    else if (message.kind === 'lease') threads.setLease(message.validUntil);
    else if (message.kind !== 'start') mocks.onMessage(message);
  };
}

/** Never `exit`: it ends the threads one by one, and a thread that holds an app aborts and writes a core dump. */
function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

let onMessage: ((message: ApiToProcess) => void) | undefined;
/** Messages received while the threads start: after a crash, `stop` may be among them. */
const early: ApiToProcess[] = [];

// One listener for the whole life of the process: Node.js delivers queued messages to the first listener at once, and
// drops those that arrive while there is no listener.
process.on('message', (message: ApiToProcess) => {
  if (onMessage !== undefined) return onMessage(message);
  if (message.kind !== 'start') return void early.push(message);
  void start(message.settings).then((handler) => {
    onMessage = handler;
    for (const each of early) handler(each);
  });
});
process.on('disconnect', endNow);
// A terminal sends these to the whole process group; the API process decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
