/** Broadcasts that wait for their owner's turn. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import { sharedByOwners } from '../../src/base/waiting-bytes.ts';
import { MOCK_BROADCAST_BYTES_MAX } from '../../src/limits.ts';
import type { SocketBroadcast } from '../../src/serving/shared/socket-messages.ts';
import { Broadcasts } from '../../src/serving/thread/sockets/broadcasts.ts';
import { type OpenStream, OpenStreams } from '../../src/serving/thread/streams/open-streams.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

// reaches MOCK_BROADCAST_BYTES_MAX
test('small ones take no more memory than their bound', () => {
  const turns = new OwnerTurns(() => undefined);
  const source = { ownerId: 'acme', mockId: 'm', sessionId: '', account: turns.account('acme') };
  const sockets = new OpenStreams(sharedByOwners(1, 1), turns, () => undefined);
  sockets.enter({ source } as OpenStream);
  // Nothing else of the owner has a turn until the test is over: it would spin beside all later ones of this process.
  let isOver = false;
  onTestFinished(() => void (isOver = true));
  turns.add(source.account, 'steps', () => !isOver);
  const broadcasts: Broadcasts = new Broadcasts(0, turns, sockets, (message) =>
    broadcasts.receive(JSON.parse(JSON.stringify(message)) as SocketBroadcast),
  );
  collect();
  const before = process.memoryUsage().heapUsed;
  while (broadcasts.send(source, { routeId: 'r', session: '' }, { events: [{ data: 'x' }], responseId: 'r' }));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(MOCK_BROADCAST_BYTES_MAX * 1.3);
});
