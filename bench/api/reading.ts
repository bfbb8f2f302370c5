/** Reads of one owner: a rule and a page against a raw app that answers with the same bytes, a deep page against the first. */
import { compare } from '../compare.ts';
import { endAll, startService, temporaryDirectory, type Server } from '../processes.ts';
import { seedOwners } from '../rules.ts';
import type { Row } from '../table.ts';
import { AIM_AGAINST_RAW, compareWithTwin, comparisonRows, startTwin } from './against-raw.ts';
import { comparisonSeconds, type Plan } from './plan.ts';

export const TITLE = 'reading';

export function plannedSeconds(plan: Plan): number {
  return 3 * comparisonSeconds(plan);
}

const AIM_DEEP_PAGE = 0.95;
const PAGE_RECORDS = 30;
const CONNECTIONS = 64;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = await seedOwners(data, [plan.ruleCount]);
  if (owner === undefined) throw new Error('one owner is seeded');
  const headers = { 'x-api-key': owner.key };
  const service = await startService(data);
  const rows = [
    ...(await againstRaw(plan, service, 'GET a rule', `/v1/rules/${owner.ruleIds[0]}`, headers, AIM_AGAINST_RAW)),
    ...(await againstRaw(plan, service, `GET a page of ${PAGE_RECORDS}`, pagePath(0), headers)),
    ...(await deepPage(plan, service, headers)),
  ];
  await endAll();
  return rows;
}

function pagePath(offset: number): string {
  return `/v1/rules?offset=${offset}&pageSize=${PAGE_RECORDS}`;
}

async function againstRaw(
  plan: Plan,
  service: Server,
  name: string,
  path: string,
  headers: Record<string, string>,
  aim?: number,
): Promise<Row[]> {
  const request = { method: 'GET', path, headers } as const;
  const twin = await startTwin(service, request, undefined);
  const load = () => ({ ...request, connections: CONNECTIONS });
  const comparison = await compareWithTwin(service, twin, request, load, plan);
  return comparisonRows(`${name}, ${CONNECTIONS} connections, against raw`, comparison, aim);
}

async function deepPage(plan: Plan, server: Server, headers: Record<string, string>): Promise<Row[]> {
  const page = (offset: number) => ({
    server,
    load: () => ({ method: 'GET', path: pagePath(offset), headers, connections: CONNECTIONS }) as const,
  });
  const comparison = await compare(page(plan.deepOffset), page(0), plan);
  return comparisonRows(`page at ${plan.deepOffset.toLocaleString('en')}, against 0`, comparison, AIM_DEEP_PAGE);
}
