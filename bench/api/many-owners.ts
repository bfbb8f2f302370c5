/** Requests spread over many owners against the same on one of them, and against a raw app; and more owners than the memory may hold. */
import { compare } from '../compare.ts';
import { endAll, startService, temporaryDirectory } from '../processes.ts';
import { rulePayload, seedOwners, type SeededOwner } from '../rules.ts';
import type { Row } from '../table.ts';
import { compareWithTwin, comparisonRows, copyStore, startTwin } from './against-raw.ts';
import { comparisonSeconds, type Plan } from './plan.ts';

export const TITLE = 'owners';

export function plannedSeconds(plan: Plan): number {
  return 5 * comparisonSeconds(plan);
}

const READ_CONNECTIONS = 64;
const WRITE_CONNECTIONS = 512;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const owners = await seedOwners(data, Array<number>(plan.ownerCount).fill(plan.rulesPerOwner));
  return [...(await reading(plan, copyStore(data), owners)), ...(await writing(plan, data, owners))];
}

async function reading(plan: Plan, data: string, owners: readonly SeededOwner[]): Promise<Row[]> {
  const requests = owners.map(({ key, ruleIds }) => ({
    path: `/v1/rules/${ruleIds[0]}`,
    headers: { 'x-api-key': key },
  }));
  const request = { method: 'GET', ...firstOf(requests) } as const;
  const one = () => ({ ...request, connections: READ_CONNECTIONS });
  const spread = () => ({ ...one(), requests });
  const roomy = await startService(data, ['--resident-owners', String(plan.ownerCount)]);
  const twin = await startTwin(roomy, request, undefined);
  const name = `GET over ${amount(plan.ownerCount)} owners`;
  const rows = [
    ...comparisonRows(
      `${name}, against one`,
      await compare({ server: roomy, load: spread }, { server: roomy, load: one }, plan),
    ),
    ...comparisonRows(`${name}, against raw`, await compareWithTwin(roomy, twin, request, spread, plan)),
  ];
  const tight = await startService(copyStore(data), ['--resident-owners', String(plan.residentOwners)]);
  const comparison = await compare({ server: tight, load: spread }, { server: roomy, load: spread }, plan);
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
  const twin = await startTwin(service, request, { seeded, ownerCount });
  const name = `POST over ${amount(ownerCount)} owners`;
  const rows = [
    ...comparisonRows(
      `${name}, against one`,
      await compare({ server: service, load: spread }, { server: service, load: one }, plan),
    ),
    ...comparisonRows(`${name}, against raw`, await compareWithTwin(service, twin, request, spread, plan)),
  ];
  await endAll();
  return rows;
}

function firstOf<Item>(items: readonly Item[]): Item {
  const [first] = items;
  if (first === undefined) throw new Error('there are owners');
  return first;
}

function amount(count: number): string {
  return count.toLocaleString('en');
}
