/** The raw app that a contest of the API is held against, and the rows of a comparison. */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { compare, type Comparison, type Contender, type GenerateLoad } from '../compare.ts';
import { startRawServer, temporaryDirectory, type Server } from '../processes.ts';
import { sampleReply, type SampleRequest } from '../sample-reply.ts';
import type { Row } from '../table.ts';
import type { Plan } from './plan.ts';

export const AIM_AGAINST_RAW = 0.85;

export interface Twin {
  readonly server: Server;
  /** Fails when it does not answer as it did at first. */
  readonly check: () => Promise<void>;
}

/**
 * A raw app that answers as the service does, which is checked.
 *
 * @param ownerCount Owners that it writes for; 0 when it writes nothing.
 * @param seeded     The service's data directory before the service was started, of which it gets a copy.
 */
export async function startTwin(
  service: Server,
  request: SampleRequest,
  writes: { readonly seeded: string; readonly ownerCount: number } | undefined,
): Promise<Twin> {
  const reply = await sampleReply(service.port, request);
  const server = await startRawServer({
    reply,
    ...(writes === undefined ? {} : { data: writes.seeded, ownerCount: writes.ownerCount }),
  });
  const check = async (): Promise<void> => deepEqual(await sampleReply(server.port, request), reply);
  await check();
  return { server, check };
}

/** To be called while nobody writes. @returns A data directory with the same store. */
export function copyStore(data: string): string {
  const copy = temporaryDirectory();
  copyFileSync(join(data, STORE_FILE), join(copy, STORE_FILE));
  return copy;
}

/** One contest of the service and its raw app; both answer as before when it ends, which is checked. */
export async function compareWithTwin(
  service: Server,
  twin: Twin,
  request: SampleRequest,
  load: Contender['load'],
  plan: Plan,
  generate: GenerateLoad,
): Promise<Comparison> {
  const comparison = await compare({ server: service, load }, { server: twin.server, load }, plan, generate);
  await sampleReply(service.port, request);
  await twin.check();
  return comparison;
}

/** @param aim Of both ratios; absent where none is wanted. */
export function comparisonRows(
  name: string,
  { requestsPerSecond, cpuMicroseconds, busy }: Comparison,
  aim?: number,
): Row[] {
  const aimed = aim === undefined ? {} : { aim };
  return [
    { name: `${name}: requests/s`, ...requestsPerSecond, unit: '/s', ...aimed, busy },
    { name: `${name}: CPU per request`, ...cpuMicroseconds, unit: 'µs', ...aimed },
  ];
}
