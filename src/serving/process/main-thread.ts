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
import { collectGarbage } from '../../base/own-memory.ts';
import { answerQuestion, type Answers } from '../../children/questions.ts';
import { LEAF_DAYS } from '../../ca/certificates.ts';
import { BEAT_MS } from '../../limits.ts';
import { Acceptor } from '../../wire/apps.ts';
import { listenForMocks } from '../../wire/listen.ts';
import { FURTHER_PORTS } from '../shared/bound-port.ts';
import { MockDirectory } from './mock-directory.ts';
import { listensByItself, Threads } from './threads.ts';
import type {
  ApiToProcess,
  DataPlaneCommands,
  DataPlaneQuestions,
  ProcessSettings,
  ProcessToApi,
  ThreadApps,
} from '../shared/messages.ts';

/** Interval at which words of rate limits that nobody uses are moved: well below the 36 minutes after which they would be misread. */
const RATE_KEEP_NEAR_MS = 300_000;

/** Certificates of HTTPS are made anew long before they end. */
const HTTPS_RENEWED_MS = (LEAF_DAYS - 10) * 86_400_000;
const HTTPS_CHECKED_MS = 60_000;

/** By the time of day: no timer counts while a machine sleeps. What failed is tried again. */
function keepRenewed(renew: () => Promise<boolean>, isOpen: boolean): void {
  let madeAt = isOpen ? Date.now() : 0;
  setInterval(() => {
    const now = Date.now();
    if (now - madeAt >= HTTPS_RENEWED_MS) void renew().then((isRenewed) => isRenewed && (madeAt = now));
  }, HTTPS_CHECKED_MS);
}

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
  const { host } = settings;
  const isTls = settings.tls !== undefined;
  const acceptors = {
    mocks: listensByItself(settings) ? undefined : new Acceptor(isTls),
    bound: settings.bound && new Acceptor(isTls),
    https: settings.https && new Acceptor(true),
    mtls: settings.mtls && new Acceptor(true),
  };
  const distributeTo = (apps: readonly ThreadApps[]): void => {
    for (const name of ['mocks', ...FURTHER_PORTS] as const) {
      const descriptors = apps.map((each) => each[name]).filter((each) => each !== undefined);
      if (descriptors.length > 0) acceptors[name]?.distributeTo(descriptors);
    }
  };
  distributeTo(ready.map(({ apps }) => apps));
  const renewCertificate = (): Promise<boolean> =>
    threads.ask('renew', null, (opened) => {
      const renewed = opened.filter((apps) => apps !== undefined);
      const isRenewed = renewed.length === opened.length;
      if (isRenewed) distributeTo(renewed);
      return isRenewed;
    });
  if (settings.https !== undefined)
    keepRenewed(
      renewCertificate,
      ready.every(({ apps }) => apps.https !== undefined && (settings.mtls === undefined || apps.mtls !== undefined)),
    );
  const answers: Answers<DataPlaneQuestions & DataPlaneCommands> = { ...mocks.answers, renewCertificate };
  let compiled = 0;
  setInterval(() => {
    sendToApi({ kind: 'beat' });
    if (compiled !== (compiled = threads.compilations())) sendToApi({ kind: 'compiling' });
  }, BEAT_MS);
  setInterval(() => mocks.keepClosest(), RATE_KEEP_NEAR_MS);
  threads.watch(endNow);
  const further = FURTHER_PORTS.map((on) => {
    const [acceptor, wanted] = [acceptors[on], settings[on]];
    const listening = acceptor && wanted && listenForMocks(acceptor.app, host, wanted.port)?.port;
    if (wanted !== undefined) sendToApi({ kind: 'alsoListening', on, port: listening });
    return listening;
  });
  const { mocks: acceptor } = acceptors;
  const port = acceptor === undefined ? ready[0]?.port : listenForMocks(acceptor.app, host, settings.port)?.port;
  threads.sendToAll({ kind: 'ports', ports: [port, ...further].filter((each) => each !== undefined) });
  sendToApi(port === undefined ? { kind: 'cannotListen' } : { kind: 'listening', port });
  return (message) => {
    if (message.kind === 'stop') {
      for (const each of Object.values(acceptors)) each?.app.close();
      void threads.stop().then(endNow);
    } else if (message.kind === 'ask') answerQuestion(answers, message, sendToApi);
    else if (message.kind === 'collectGarbage') {
      collectGarbage();
      threads.sendToAll(message);
    } else if (message.kind === 'signingKeys') threads.sendToAll(message);
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
