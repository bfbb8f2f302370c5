/** Reads of one owner: a rule and a page against a raw app that answers with the same bytes, a deep page against the first. */
import { startLoad } from '../load/start-load.ts';
import { startService, temporaryDirectory } from '../processes.ts';
import { seedOwners, type SeededOwner } from '../rules.ts';
import { AGAINST_RAW, compare, compareWithTwin, startTwin, type Row } from './comparison.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'reading';

const DEEP_PAGE = { ratioAtLeast: 0.95 };
const PAGE_RECORDS = 30;
const CONNECTIONS = 64;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const [owner] = (await seedOwners(data, [plan.ruleCount])) as [SeededOwner];
  const service = await startService(data);
  const generate = await startLoad();
  const get = (path: string) =>
    ({ method: 'GET', path, headers: { 'x-api-key': owner.key }, connections: CONNECTIONS }) as const;
  const page = (offset: number) => get(`/v1/rules?offset=${offset}&pageSize=${PAGE_RECORDS}`);
  const againstRaw = async (name: string, request: ReturnType<typeof get>, target?: typeof AGAINST_RAW) => {
    const twin = await startTwin(service, request);
    return compareWithTwin(`${name}, ${CONNECTIONS} connections`, twin, () => request, plan, generate, target);
  };
  const side = (offset: number) => ({ server: service, load: () => page(offset) });
  const deep = `page at ${plan.deepOffset.toLocaleString('en')}, against 0`;
  return [
    ...(await againstRaw('GET a rule', get(`/v1/rules/${owner.ruleIds[0]}`), AGAINST_RAW)),
    ...(await againstRaw(`GET a page of ${PAGE_RECORDS}`, page(0))),
    ...(await compare(deep, { measured: side(plan.deepOffset), against: side(0) }, plan, generate, DEEP_PAGE)),
  ];
}
