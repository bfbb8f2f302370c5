/** Requests spread over many owners against the same on one of them, and more owners than the memory may hold. */
import type { VariedRequest } from '../load/load.ts';
import { startLoad } from '../load/start-load.ts';
import { startService, temporaryDirectory, type Server } from '../processes.ts';
import { rulePayload, seedOwners } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import { compare, copyStore, type Row, type Side } from './comparison.ts';
import type { Plan } from './plan.ts';

export const TITLE = 'owners';

const READ_CONNECTIONS = 64;
const WRITE_CONNECTIONS = 512;
const LOADED_AT_ONCE = 16;

export async function measure(plan: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const owners = await seedOwners(data, Array<number>(plan.ownerCount).fill(plan.rulesPerOwner));
  const reads = owners.map(({ key, ruleIds }) => ({
    path: `/v1/rules/${ruleIds[0]}`,
    headers: { 'x-api-key': key },
  }));
  const body = JSON.stringify(rulePayload(0));
  const writes = owners.map(({ key }) => ({
    path: '/v1/rules',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  }));
  const small = await startService(copyStore(data), ['--resident-owners', String(plan.residentOwners)]);
  const large = await startService(data, ['--resident-owners', String(plan.ownerCount), '--rules-max', '1000000']);
  await loadOwners(large, reads);
  const one = { method: 'GET', ...(reads[0] as VariedRequest), connections: READ_CONNECTIONS } as const;
  const oneWrite = { method: 'POST', ...(writes[0] as VariedRequest), connections: WRITE_CONNECTIONS } as const;
  const all = { ...one, requests: reads };
  const generate = await startLoad();
  const against = async (name: string, measured: Side, other: Side) =>
    compare(name, { measured, against: other }, plan, generate);
  const side = (server: Server, load: ReturnType<Side['load']>): Side => ({ server, load: () => load });
  const count = plan.ownerCount.toLocaleString('en');
  const inMemory = `GET over ${count} owners, ${plan.residentOwners.toLocaleString('en')} in memory, against all`;
  return [
    ...(await against(`GET over ${count} owners, against one`, side(large, all), side(large, one))),
    ...(await against(inMemory, side(small, all), side(large, all))),
    ...(await against(
      `POST over ${count} owners, against one`,
      side(large, { ...oneWrite, requests: writes }),
      side(large, oneWrite),
    )),
  ];
}

/** Asks each owner once, so that all are in memory before the first round. */
async function loadOwners({ port }: Server, reads: readonly VariedRequest[]): Promise<void> {
  for (let index = 0; index < reads.length; index += LOADED_AT_ONCE) {
    const some = reads.slice(index, index + LOADED_AT_ONCE);
    await Promise.all(some.map((read) => sampleReply(port, { method: 'GET', ...read })));
  }
}
