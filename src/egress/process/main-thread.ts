/**
 * The egress process: through it alone this server reaches where its users say. The API process starts it with the first mock that
 * has an upstream, and again when it ends; its end costs what was under way.
 *
 * When the API process is gone, it ends too, and removes its socket.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { FromChild } from '../../children/child-process.ts';
import { BEAT_MS } from '../../limits.ts';
import { Upstreams } from '../forward/upstreams.ts';
import { parseReachList, type ReachList } from '../policy/reach-list.ts';
import { EgressServer } from './egress-server.ts';
import type { EgressFigures } from './questions.ts';
import type { ApiToEgress, EgressSettings } from './settings.ts';

function report(message: FromChild): void {
  // A channel that has just closed is followed by `disconnect`.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

let end = (): void => process.exit();

async function start(settings: EgressSettings): Promise<void> {
  const { socketPath, token, instance, allow, deny, allowsLoopback, ownPorts, ca, insecure } = settings;
  // Both were read before this process was started.
  const [allowed, denied] = [parseReachList(allow), parseReachList(deny)] as [ReachList, ReachList];
  const upstreams = new Upstreams({
    policy: { allow: allowed, deny: denied, allowsLoopback, ownPorts },
    instance,
    ca: ca === undefined ? [] : [ca],
    insecure,
  });
  const server: EgressServer = new EgressServer(
    upstreams,
    { figures: (): EgressFigures => ({ ...upstreams.figures.counts, threads: server.threadCount }) },
    token,
  );
  end = () => {
    server.close();
    rmSync(dirname(socketPath), { recursive: true, force: true });
    process.exit();
  };
  try {
    await server.listen(socketPath);
  } catch (error) {
    process.stderr.write(`${String(error)}\n`);
    return report({ kind: 'cannotListen' });
  }
  setInterval(() => report({ kind: 'beat' }), BEAT_MS);
  return report({ kind: 'listening', port: 0 });
}

process.on('message', (message: ApiToEgress) => {
  if (message.kind === 'start') void start(message.settings);
  else end();
});
process.on('disconnect', () => end());
// A terminal sends these to the whole process group; the API process decides when this process ends.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
