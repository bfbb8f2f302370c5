/**
 * The egress process: through it alone this server reaches where its users say. The API process starts it with the first mock that
 * has an upstream, or at once for a gateway, and again when it ends; its end costs what was under way.
 *
 * When the API process is gone, it ends too, and removes its socket.
 */
import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { ownPorts } from '../../base/own-ports.ts';
import { BEAT_MS } from '../../limits.ts';
import { Callbacks } from '../callbacks/callbacks.ts';
import { Upstreams } from '../forward/upstreams.ts';
import { parseReachList, type ReachList } from '../policy/reach-list.ts';
import { Recorder } from '../recording/recorder.ts';
import { SecretKey } from '../recording/secrets.ts';
import { askUpstream } from './ask-upstream.ts';
import { EgressServer } from './egress-server.ts';
import { exchangeAnswers, Gateway } from './gateway.ts';
import { isOfRules, isOfSessions } from './gateway-messages.ts';
import { nodesPath, type AnswerQuestions } from './questions.ts';
import { rulingOf, type Ruling } from './ruling.ts';
import type { ApiToEgress, EgressSettings, EgressToApi } from './settings.ts';

function report(message: EgressToApi): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

let end = (): void => process.exit();
let ruling: Ruling | undefined;
let gateway: Gateway | undefined;
/** The same once what has begun is over. */
let stop = (): void => end();

async function start(settings: EgressSettings): Promise<void> {
  const { socketPath, token, instance, allow, deny, callbackAllow, allowsLoopback, ca, insecure } = settings;
  ownPorts.replace(settings.ownPorts);
  const key = new SecretKey();
  const recorder = new Recorder(settings.recordingBytesMax, key);
  // All were read before this process was started.
  const [allowed, denied, chosen] = [allow, deny, callbackAllow].map(parseReachList) as [
    ReachList,
    ReachList,
    ReachList,
  ];
  const upstreams = new Upstreams({
    policy: { allow: allowed, deny: denied, allowsLoopback, ownPorts },
    instance,
    ca: ca === undefined ? [] : [ca],
    insecure,
    mocks: settings.rules.mocks,
    peerKey: settings.gateway?.peerKey,
  });
  const code = settings.rules.runsCode ? await import('../../code-lane/code-lane.ts') : undefined;
  ruling = rulingOf(settings.rules, upstreams, report, code && new code.CodeLane(), key);
  gateway = settings.gateway && new Gateway(settings.gateway, ruling, upstreams, report, { recorder, key });
  const callbacks = new Callbacks({ upstreams, allow: chosen, allowsLoopback });
  const answers: AnswerQuestions = {
    async figures() {
      const { counts, waiting } = callbacks.figures;
      const threads = server.threadCount;
      return {
        ...upstreams.figures.counts,
        threads,
        callbacks: counts,
        callbacksWaiting: waiting,
        ...recorder.figures,
        gateway: await gateway?.figures(),
      };
    },
    recording: (asked) => recorder.read(asked),
    clearRecording: (asked) => recorder.clear(asked),
    callbacks: (question) => callbacks.page(question),
    cancelCallbacks: ({ why, ...of }) => callbacks.cancel(of, why),
    forgetCallbacks(of) {
      callbacks.forget(of);
      return null;
    },
    endMock({ mockId, how }) {
      callbacks.cancel({ mockId }, `its mock was ${how}`);
      if (how === 'stopped') return null;
      callbacks.forgetAll(mockId);
      return recorder.remove(mockId);
    },
    upstream: (asked) => askUpstream(upstreams, asked),
    ...exchangeAnswers(() => gateway),
  };
  const server: EgressServer = new EgressServer({ upstreams, ruling, recorder, callbacks, answers, token });
  end = () => {
    gateway?.close();
    server.close();
    rmSync(dirname(socketPath), { recursive: true, force: true });
    process.exit();
  };
  stop = () => void callbacks.drain().then(() => end());
  let port = 0;
  try {
    await server.listen(socketPath);
    port = (await gateway?.listen(nodesPath(socketPath))) ?? 0;
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return report({ kind: 'cannotListen' });
  }
  setInterval(() => report({ kind: 'beat' }), BEAT_MS);
  return report({ kind: 'listening', port });
}

process.on('message', (message: ApiToEgress, handle: unknown) => {
  if (message.kind === 'start') void start(message.settings);
  else if (message.kind === 'stop') stop();
  else if (message.kind === 'ownPorts') ownPorts.replace(message.ports);
  // A connection that was closed on the way is undefined.
  else if (message.kind === 'gatewayHandle') gateway?.takeHandle(handle as Server | Socket | undefined);
  else if (isOfRules(message)) ruling?.rules.take(message);
  else if (isOfSessions(message)) ruling?.sessions.take(message);
  else gateway?.take(message);
});
process.on('disconnect', () => end());
// A terminal sends these to the whole process group; the API process decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
