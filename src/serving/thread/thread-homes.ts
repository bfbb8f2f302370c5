/** Homes of mocks, for a thread: all of them here, or each at its home node. */
import type { Peers } from '../../forward/peers.ts';
import { Lease } from '../shared/lease.ts';
import type { ThreadSettings } from '../shared/messages.ts';
import { trustForwards } from './mock-head.ts';

export interface ThreadHomes extends Pick<Peers, 'forward' | 'keep'> {
  /** This node may serve its mocks now. */
  readonly mayServe: boolean;
  /** No other node creates mocks: an absent one stays absent until a message says otherwise. */
  readonly areAllHere: boolean;
}

export const ALONE: ThreadHomes = {
  mayServe: true,
  areAllHere: true,
  forward() {
    throw new Error('there is no other node');
  },
  keep: () => undefined,
};

/** A server alone does not even load the client for other nodes. */
export async function threadHomes(cluster: ThreadSettings['cluster']): Promise<ThreadHomes> {
  if (cluster === undefined) return ALONE;
  const { Peers } = await import('../../forward/peers.ts');
  trustForwards(cluster.token);
  const lease = new Lease(cluster.lease);
  const peers = new Peers(cluster.key);
  return {
    get mayServe() {
      return lease.isValid;
    },
    areAllHere: false,
    forward: (...request) => peers.forward(...request),
    keep: (addresses) => peers.keep(addresses),
  };
}
