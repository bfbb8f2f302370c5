/** Requests spread over many owners against the same on one of them, and against a raw app; and more owners than the memory may hold. */
import { compare } from '../compare.ts';
import type { DealtRequest } from '../load/deal-requests.ts';
import { endAll, startLoadGenerator, startService, temporaryDirectory, type Server } from '../processes.ts';
import { rulePayload, seedOwners, type SeededOwner } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import type { Row } from '../table.ts';
import { compareWithTwin, comparisonRows, copyStore, startTwin } from './against-raw.ts';
import { comparisonSeconds, type Plan } from './plan.ts';

export const TITLE = 'owners';

export function plannedSeconds(plan: Plan): number {
  return 5 * comparisonSeconds(plan);
}

const READ_CONNECTIONS = 64;
const WRITE_CONNECTIONS = 512;
const ASKED_AT_ONCE = 16;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const owners = await seedOwners(data, Array<number>(plan.ownerCount).fill(plan.rulesPerOwner));
  return [...(await reading(plan, copyStore(data), owners)), ...(await writing(plan, data, owners))];
}

async function reading(plan: Plan, data: string, owners: readonly SeededOwner[]): Promise<Row[]> {
  const requests = owners.map(({ key, ruleIds }) => readOf(key, ruleIds[0] as string));
  const request = { method: 'GET', ...firstOf(requests) } as const;
  const one = () => ({ ...request, connections: READ_CONNECTIONS });
  const spread = () => ({ ...one(), requests });
  const roomy = await startService(data, ['--resident-owners', String(plan.ownerCount)]);
  await loadOwners(roomy, requests);
  const twin = await startTwin(roomy, request, undefined);
  const generate = await startLoadGenerator();
  const name = `GET over ${amount(plan.ownerCount)} owners`;
  const rows = [
    ...comparisonRows(
      `${name}, against one`,
      await compare({ server: roomy, load: spread }, { server: roomy, load: one }, plan, generate),
    ),
    ...comparisonRows(`${name}, against raw`, await compareWithTwin(roomy, twin, request, spread, plan, generate)),
  ];
  const tight = await startService(copyStore(data), ['--resident-owners', String(plan.residentOwners)]);
  const comparison = await compare({ server: tight, load: spread }, { server: roomy, load: spread }, plan, generate);
  rows.push(...comparisonRows(`${name}, ${amount(plan.residentOwners)} in memory, against all`, comparison));
  await endAll();
  return rows;
}

async function writing(plan: Plan, data: string, owners: readonly SeededOwner[]): Promise<Row[]> {
  const seeded = copyStore(data);
  const { ownerCount } = plan;
  const body = JSON.stringify(rulePayload(0));
  const requests = owners.map(({ key }) => ({
    path: '/v1/rules',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  }));
  const request = { method: 'POST', ...firstOf(requests) } as const;
  const one = () => ({ ...request, connections: WRITE_CONNECTIONS });
  const spread = () => ({ ...one(), requests });
  const service = await startService(data, ['--resident-owners', String(ownerCount), '--rules-max', '1000000']);
  const reads = owners.map(({ key, ruleIds }) => readOf(key, ruleIds[0] as string));
  await loadOwners(service, reads);
  const twin = await startTwin(service, request, { seeded, ownerCount });
  const generate = await startLoadGenerator();
  const name = `POST over ${amount(ownerCount)} owners`;
  const rows = [
    ...comparisonRows(
      `${name}, against one`,
      await compare({ server: service, load: spread }, { server: service, load: one }, plan, generate),
    ),
    ...comparisonRows(`${name}, against raw`, await compareWithTwin(service, twin, request, spread, plan, generate)),
  ];
  await endAll();
  return rows;
}

function readOf(key: string, ruleId: string): DealtRequest {
  return { path: `/v1/rules/${ruleId}`, headers: { 'x-api-key': key } };
}

/** Asks each owner once, so that all are in the memory before the first round. */
async function loadOwners({ port }: Server, reads: readonly DealtRequest[]): Promise<void> {
  for (let index = 0; index < reads.length; index += ASKED_AT_ONCE) {
    const asked = reads.slice(index, index + ASKED_AT_ONCE);
    await Promise.all(asked.map((read) => sampleReply(port, { method: 'GET', ...read })));
  }
}

function firstOf<Item>(items: readonly Item[]): Item {
  const [first] = items;
  if (first === undefined) throw new Error('there are owners');
  return first;
}

function amount(count: number): string {
  return count.toLocaleString('en');
}
