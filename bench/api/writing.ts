/** Durable writes against a raw app that parses the same body, makes the same puts durable and answers with the same bytes. */
import { compareWithTwin, comparisonRows, AIM_AGAINST_RAW, copyStore, startTwin } from './against-raw.ts';
import { endAll, startLoadGenerator, startService, temporaryDirectory } from '../processes.ts';
import { rulePayload, seedOwners } from '../rules.ts';
import type { Row } from '../table.ts';
import { comparisonSeconds, type Plan } from './plan.ts';

export const TITLE = 'writing';

export function plannedSeconds(plan: Plan): number {
  return 2 * plan.writeConnections.length * comparisonSeconds(plan);
}

/** Of the creates that the aim is for: with fewer, the disk is waited for. */
const AIMED_CONNECTIONS = 512;

export async function measure(plan: Plan): Promise<Row[]> {
  return [...(await creating(plan)), ...(await updating(plan))];
}

async function creating(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  // Each round writes to an owner of its own, and owners leave the memory soon after: the last round finds what the first did.
  const rounds = plan.pairsOfRounds + 1;
  const owners = await seedOwners(data, Array<number>(rounds * plan.writeConnections.length).fill(1));
  const seeded = copyStore(data);
  const service = await startService(data, ['--rules-max', '1000000', '--owner-idle', '1000']);
  const request = (index: number) => ({
    method: 'POST' as const,
    path: '/v1/rules',
    headers: { 'x-api-key': owners[index]?.key as string, 'content-type': 'application/json' },
    body: JSON.stringify(rulePayload(index)),
  });
  const twin = await startTwin(service, request(0), { seeded, ownerCount: 1 });
  const generate = await startLoadGenerator();
  const rows: Row[] = [];
  for (const [index, connections] of plan.writeConnections.entries()) {
    const load = (round: number) => ({ ...request(index * rounds + round), connections });
    const comparison = await compareWithTwin(service, twin, request(0), load, plan, generate);
    const aim = connections === AIMED_CONNECTIONS ? AIM_AGAINST_RAW : undefined;
    rows.push(...comparisonRows(`POST a rule, ${named(connections)}`, comparison, aim));
  }
  await endAll();
  return rows;
}

async function updating(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = await seedOwners(data, [plan.updatedCount]);
  if (owner === undefined) throw new Error('one owner is seeded');
  const seeded = copyStore(data);
  const service = await startService(data);
  const headers = { 'x-api-key': owner.key, 'content-type': 'application/json' };
  const requests = owner.ruleIds.map((ruleId, index) => ({
    path: `/v1/rules/${ruleId}`,
    headers,
    body: JSON.stringify(rulePayload(index)),
  }));
  const [first] = requests;
  if (first === undefined) throw new Error('some rules are updated');
  const request = { method: 'PUT', ...first } as const;
  const twin = await startTwin(service, request, { seeded, ownerCount: 1 });
  const generate = await startLoadGenerator();
  const rows: Row[] = [];
  for (const connections of plan.writeConnections) {
    const load = () => ({ ...request, requests, connections });
    const comparison = await compareWithTwin(service, twin, request, load, plan, generate);
    rows.push(...comparisonRows(`PUT a rule, ${named(connections)}`, comparison));
  }
  await endAll();
  return rows;
}

function named(connections: number): string {
  return `${connections} ${connections === 1 ? 'connection' : 'connections'}, against raw`;
}
