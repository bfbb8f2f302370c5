/** Reads of one owner: a rule and a page against a raw app that answers with the same bytes, a deep page against the first. */
import { compare, type GenerateLoad } from '../compare.ts';
import { endAll, startLoadGenerator, startService, temporaryDirectory, type Server } from '../processes.ts';
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
  const contest: Contest = { plan, service, headers, generate: await startLoadGenerator() };
  const rows = [
    ...(await againstRaw(contest, 'GET a rule', `/v1/rules/${owner.ruleIds[0]}`, AIM_AGAINST_RAW)),
    ...(await againstRaw(contest, `GET a page of ${PAGE_RECORDS}`, pagePath(0))),
    ...(await deepPage(contest)),
  ];
  await endAll();
  return rows;
}

function pagePath(offset: number): string {
  return `/v1/rules?offset=${offset}&pageSize=${PAGE_RECORDS}`;
}

interface Contest {
  readonly plan: Plan;
  readonly service: Server;
  readonly headers: Record<string, string>;
  readonly generate: GenerateLoad;
}

async function againstRaw(
  { plan, service, headers, generate }: Contest,
  name: string,
  path: string,
  aim?: number,
): Promise<Row[]> {
  const request = { method: 'GET', path, headers } as const;
  const twin = await startTwin(service, request, undefined);
  const load = () => ({ ...request, connections: CONNECTIONS });
  const comparison = await compareWithTwin(service, twin, request, load, plan, generate);
  return comparisonRows(`${name}, ${CONNECTIONS} connections, against raw`, comparison, aim);
}

async function deepPage({ plan, service, headers, generate }: Contest): Promise<Row[]> {
  const page = (offset: number) => ({
    server: service,
    load: () => ({ method: 'GET', path: pagePath(offset), headers, connections: CONNECTIONS }) as const,
  });
  const comparison = await compare(page(plan.deepOffset), page(0), plan, generate);
  return comparisonRows(`page at ${plan.deepOffset.toLocaleString('en')}, against 0`, comparison, AIM_DEEP_PAGE);
}
