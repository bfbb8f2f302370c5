/** Switchyard as it is built, one serving thread, with its defaults: every request recorded; and with recording off. */
import { mockHost } from '../mocks-client.ts';
import { startFresh } from '../mocks/fresh-service.ts';
import type { Scenario } from '../mocks/scenario.ts';
import type { Contender, Started } from './contender.ts';
import { installedVersion } from './installed.ts';

export const switchyard = contender('switchyard', true);
export const switchyardUnrecorded = contender('switchyard-unrecorded', false);

function contender(name: string, traffic: boolean): Contender {
  return {
    name,
    missing: () => undefined,
    version: async () => installedVersion('..'),
    start: (scenario) => startSwitchyard(scenario, traffic),
  };
}

export async function startSwitchyard({ routes, mockCount }: Scenario, traffic: boolean): Promise<Required<Started>> {
  const { service, client } = await startFresh();
  const hosts: string[] = [];
  for (let index = 0; index < mockCount; index++) {
    const mockId = await client.create(`mock ${index}`, routes, { traffic });
    hosts.push(mockHost(mockId, service.mocks.port));
  }
  client.close();
  return { pid: service.pid, port: service.mocks.port, hosts };
}
