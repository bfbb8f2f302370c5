/** The client of the process that reaches out, loaded when a thread first needs it: most servers send nothing out. */
import type { EgressAddress } from '../shared/messages.ts';
import type { EgressClient } from './egress-client.ts';

export type ConnectToEgress = () => Promise<EgressClient>;

/** @param egress Undefined where this server reaches nothing. */
export function egressConnector(egress: EgressAddress | undefined): ConnectToEgress {
  let client: Promise<EgressClient> | undefined;
  return () => {
    client ??= import('./egress-client.ts').then(({ EgressClient: Client }) => {
      if (egress === undefined) throw new Error('this server has no egress process');
      return new Client(egress);
    });
    return client;
  };
}
