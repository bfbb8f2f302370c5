/** Sends a row of malformed-requests.ts, in one packet or in several, and says how the server took it. */
import type { Outcome } from './malformed-requests.ts';
import { RawConnection } from './raw-http.ts';

/** Between two packets, so that the server reads them one by one unless it is busy. */
const TICK_MS = 3;

/** Whoever waits is closed after 8 s at the least, and whoever is refused at once: in between lies room for a busy machine. */
const WAITED_MS = 5_000;

/** How an outcome is told: the statuses in order, and the end. */
export function told({ statuses, end }: Outcome): string {
  return [...statuses, end].join(' ');
}

/**
 * Sends packets, takes as many answers as are expected, and then looks how the connection ends.
 *
 * @param probe A request that is answered 200 or 204: it shows whether a connection that should be open is in step.
 * @returns As `told`.
 */
export async function exchange(
  port: number,
  packets: readonly string[],
  expected: Outcome,
  probe: string,
): Promise<string> {
  const connection = await RawConnection.open(port);
  await send(connection, packets);
  const sentAt = performance.now();
  await connection.until(() => statusesOf(connection).length >= expected.statuses.length);
  const statuses = statusesOf(connection);
  if (expected.end === 'open' && statuses.join() === expected.statuses.join() && !connection.closed) {
    await connection.write(probe);
    await connection.until(() => statusesOf(connection).length > statuses.length);
    const [answered] = statusesOf(connection).slice(statuses.length);
    await connection.close();
    if (answered === 200 || answered === 204) return [...statuses, 'open'].join(' ');
    return [...statuses, `then ${answered}`].join(' ');
  }
  await connection.end();
  const end = performance.now() - sentAt > WAITED_MS ? 'waits' : 'closed';
  return [...statusesOf(connection), end].join(' ');
}

/** Sends packets and leaves when the server has read them all: for whoever looks at what they did, and not at the answers. */
export async function sendAndLeave(port: number, packets: readonly string[]): Promise<void> {
  const connection = await RawConnection.open(port);
  await send(connection, packets);
  connection.finish();
  await connection.end();
}

async function send(connection: RawConnection, packets: readonly string[]): Promise<void> {
  for (const [index, packet] of packets.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    await connection.write(Buffer.from(packet, 'latin1'));
  }
}

function statusesOf(connection: RawConnection): number[] {
  const text = connection.rest.toString('latin1');
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

/** Runs tasks, at most `count` of them at a time. Results stand in the order of the tasks. */
export async function atMost<Result>(count: number, tasks: readonly (() => Promise<Result>)[]): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < tasks.length) {
      const index = next++;
      results[index] = await (tasks[index] as () => Promise<Result>)();
    }
  };
  await Promise.all(Array.from({ length: count }, work));
  return results;
}
