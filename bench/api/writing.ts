/** Durable creates against a raw app that parses the same body, makes the same puts durable and answers with the same bytes. */
import { startLoad } from '../load/start-load.ts';
import { startService, temporaryDirectory } from '../processes.ts';
import { rulePayload, seedOwners, type SeededOwner } from '../rules.ts';
import { AGAINST_RAW, compareWithTwin, copyStore, startTwin, type Row } from './comparison.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'writing';

/** Of the creates that have a target: with fewer, most of the time is the disk's. */
const TARGET_CONNECTIONS = 512;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  // Each round writes to an owner of its own, and owners leave the memory soon after: the last round finds what the first did.
  const rounds = plan.rounds + 1;
  const owners = await seedOwners(data, Array<number>(rounds * plan.writeConnections.length).fill(1));
  const seeded = copyStore(data);
  const service = await startService(data, ['--rules-max', '1000000', '--owner-idle', '1000']);
  const request = (index: number) => {
    const headers = { 'x-api-key': (owners[index] as SeededOwner).key, 'content-type': 'application/json' };
    return { method: 'POST', path: '/v1/rules', headers, body: JSON.stringify(rulePayload(index)) } as const;
  };
  const twin = await startTwin(service, request(0), seeded);
  const generate = await startLoad();
  const rows: Row[] = [];
  for (const [index, connections] of plan.writeConnections.entries()) {
    const name = `POST a rule, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
    const load = (round: number) => ({ ...request(index * rounds + round), connections });
    const target = connections === TARGET_CONNECTIONS ? AGAINST_RAW : undefined;
    rows.push(...(await compareWithTwin(name, twin, load, plan, generate, target)));
  }
  return rows;
}
