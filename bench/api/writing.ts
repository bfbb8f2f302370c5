/** Durable writes against a raw app that parses the same body, makes the same puts durable and answers with the same bytes. */
import { startLoad } from '../load/start-load.ts';
import { endAll, startService, temporaryDirectory } from '../processes.ts';
import { rulePayload, seedOwners, type SeededOwner } from '../rules.ts';
import { AGAINST_RAW, compareWithTwin, copyStore, startTwin, type Row } from './comparison.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'writing';

/** Of the creates that have a target: with fewer, most of the time is the disk's. */
const TARGET_CONNECTIONS = 512;

export async function measure(plan: Plan): Promise<Row[]> {
  const rows = await creating(plan);
  await endAll();
  return [...rows, ...(await updating(plan))];
}

async function creating(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  // Each round writes to an owner of its own, and owners leave the memory soon after: the last round finds what the first did.
  const rounds = plan.rounds + 1;
  const owners = await seedOwners(data, Array<number>(rounds * plan.writeConnections.length).fill(1));
  const seeded = copyStore(data);
  const service = await startService(data, ['--rules-max', '1000000', '--owner-idle', '1000']);
  const request = (index: number) =>
    ({ method: 'POST', path: '/v1/rules', ...writeOf(owners[index] as SeededOwner, index) }) as const;
  const twin = await startTwin(service, request(0), seeded);
  const generate = await startLoad();
  const rows: Row[] = [];
  for (const [index, connections] of plan.writeConnections.entries()) {
    const load = (round: number) => ({ ...request(index * rounds + round), connections });
    const target = connections === TARGET_CONNECTIONS ? AGAINST_RAW : undefined;
    rows.push(...(await compareWithTwin(titled('POST', connections), service, twin, load, plan, generate, target)));
  }
  return rows;
}

async function updating(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = (await seedOwners(data, [plan.updatedCount])) as [SeededOwner];
  const seeded = copyStore(data);
  const service = await startService(data);
  const requests = owner.ruleIds.map((ruleId, index) => ({ path: `/v1/rules/${ruleId}`, ...writeOf(owner, index) }));
  const request = { method: 'PUT', ...(requests[0] as (typeof requests)[number]) } as const;
  const twin = await startTwin(service, request, seeded);
  const generate = await startLoad();
  const rows: Row[] = [];
  for (const connections of plan.writeConnections) {
    const load = () => ({ ...request, requests, connections });
    rows.push(...(await compareWithTwin(titled('PUT', connections), service, twin, load, plan, generate)));
  }
  return rows;
}

function writeOf({ key }: SeededOwner, index: number) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  return { headers, body: JSON.stringify(rulePayload(index)) };
}

function titled(method: string, connections: number): string {
  return `${method} a rule, ${connections} ${connections === 1 ? 'connection' : 'connections'}`;
}
