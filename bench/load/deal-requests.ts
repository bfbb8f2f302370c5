/** Deals requests that differ to the connections of a load, each of which sends its own in turn. */
import type { Client } from 'autocannon';

export interface DealtRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * With autocannon's option `requests`, every connection sends all of them, in the same order at the same time as all others.
 *
 * @returns For its option `setupClient`.
 */
export function dealRequests(requests: readonly DealtRequest[], connections: number): (client: Client) => void {
  const shares: DealtRequest[][] = Array.from({ length: connections }, () => []);
  for (let index = 0; index < Math.max(requests.length, connections); index++) {
    shares[index % connections]?.push(requests[index % requests.length] as DealtRequest);
  }
  return (client) =>
    client.setRequests((shares.pop() ?? []).map(({ headers, ...rest }) => ({ ...rest, headers: { ...headers } })));
}
