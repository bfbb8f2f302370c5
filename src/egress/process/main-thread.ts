/**
 * The egress process: through it alone this server reaches where its users say. The API process starts it with the first mock that
 * has an upstream, or at once for a gateway, and again when it ends; its end costs what was under way.
 *
 * When the API process is gone, it ends too, and removes its socket.
 */
import { rmSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { dirname } from 'node:path';
import { collectGarbage } from '../../base/own-memory.ts';
import { ownPorts } from '../../base/own-ports.ts';
import { answerQuestion, Asker } from '../../children/questions.ts';
import { BEAT_MS } from '../../limits.ts';
import { Callbacks } from '../callbacks/callbacks.ts';
import { Upstreams } from '../forward/upstreams.ts';
import { parseReachList, type ReachList } from '../policy/reach-list.ts';
import { Recorder } from '../recording/recorder.ts';
import { SecretKey } from '../recording/secrets.ts';
import { egressAnswers, gatewayAnswers } from './answers.ts';
import { EgressServer } from './egress-server.ts';
import { Gateway } from './gateway.ts';
import type { ApiQuestions, ToGateway } from './gateway-messages.ts';
import { nodesPath } from './questions.ts';
import { rulingOf, type Ruling } from './ruling.ts';
import type { ApiToEgress, EgressSettings, EgressToApi } from './settings.ts';

function report(message: EgressToApi): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

const api = new Asker<ApiQuestions>((message) => {
  report(message);
  return true;
});

let end = (): void => process.exit();
/** The same once what has begun is over. */
let stop = (): void => end();
/** Takes what is for the rules and the gateway. @param handle That of the message. */
let take: ReturnType<typeof takeFor> | undefined;

async function start(settings: EgressSettings): Promise<void> {
  const { socketPath, token, instance, allow, deny, callbackAllow, allowsLoopback, ca, insecure } = settings;
  ownPorts.replace(settings.ownPorts);
  const key = new SecretKey();
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
  const ruling = rulingOf(settings.rules, upstreams, api, code && new code.CodeLane(), key);
  const recorder = new Recorder(settings.recordingBytesMax, key, ruling.shares);
  const gateway = settings.gateway && new Gateway(settings.gateway, ruling, upstreams, api, { recorder, key });
  take = takeFor(ruling, gateway);
  const callbacks = new Callbacks({ upstreams, allow: chosen, allowsLoopback });
  const threadCount = (): number => server.threadCount;
  const answers = egressAnswers({ upstreams, recorder, callbacks, gateway, threadCount });
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

type MessageForParts = ToGateway | Extract<ApiToEgress, { kind: 'gatewayHandle' }>;

function takeFor(ruling: Ruling, gateway: Gateway | undefined): (message: MessageForParts, handle: unknown) => void {
  const answers = gatewayAnswers(ruling, gateway);
  return (message, handle) => {
    switch (message.kind) {
      case 'ask':
        return answerQuestion(answers, message, report);
      case 'answer':
        return api.take(message);
      case 'refuseRules':
        return ruling.rules.refuse(message.ownerId, message.reason, message.lasts);
      case 'session':
        return ruling.sessions.put(message.ownerId, message.session);
      case 'sessionsSent':
        return ruling.sessions.gotAll();
      case 'gatewayHandle':
        // A connection that was closed on the way is undefined.
        return gateway?.takeHandle(handle as Server | Socket | undefined);
      default:
        return gateway?.take(message);
    }
  };
}

process.on('message', (message: ApiToEgress, handle: unknown) => {
  if (message.kind === 'start') void start(message.settings);
  else if (message.kind === 'stop') stop();
  else if (message.kind === 'collectGarbage') collectGarbage();
  else if (message.kind === 'ownPorts') ownPorts.replace(message.ports);
  else take?.(message, handle);
});
process.on('disconnect', () => end());
// A terminal sends these to the whole process group; the API process decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
