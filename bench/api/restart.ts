/**
 * Starts on a large store: time until ready, time to the first answers of owners that nobody has used yet, memory.
 *
 * With the store in the page cache and without it, and on an empty store: a start of each in turn.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../src/keys.ts';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { median } from '../compare.ts';
import { cpuSecondsBetween, cpuTimes, residentBytes } from '../load/cpu-time.ts';
import { dropFromPageCache } from '../page-cache.ts';
import { endAll, startService, temporaryDirectory, type Server, type Service } from '../processes.ts';
import { seedOwners, USER, type SeededOwner } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import type { Row } from '../table.ts';
import { MEMORY_RATIO_MAX } from './memory.ts';
import type { Plan, RestartPlan } from './plan.ts';

export const TITLE = 'restart';

/** For the seeds, and for each start of each kind. */
export function plannedSeconds({ restart: { starts, ownerCount, rulesPerOwner } }: Plan): number {
  return (ownerCount * rulesPerOwner) / 40_000 + 3 * starts * 3;
}

const READY_MS_MAX = 2_000;

export async function measure({ restart: plan }: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const owners = await seedOwners(data, [
    plan.largeOwnerRules,
    ...Array<number>(plan.ownerCount).fill(plan.rulesPerOwner),
  ]);
  const empty = temporaryDirectory();
  await createKey(empty, { ownerId: USER, userId: USER, role: 'editor' });
  const store = join(data, STORE_FILE);

  const warm: Start[] = [];
  const cold: Start[] = [];
  const emptied: Readiness[] = [];
  for (let index = 0; index < plan.starts; index++) {
    emptied.push(await start(empty, async () => ({})));
    const asked = (service: Service) => firstAnswers(plan, service, owners);
    // What was seeded, or read by the start before, is in the page cache.
    warm.push(await start(data, asked));
    if (dropFromPageCache(store)) cold.push(await start(data, asked));
  }
  if (cold.length === 0) console.error('without cold starts: there is no GNU dd to drop the store from the page cache');
  const rules = (plan.ownerCount * plan.rulesPerOwner + plan.largeOwnerRules).toLocaleString('en');
  const name = `restart with ${rules} rules of ${(plan.ownerCount + 1).toLocaleString('en')} owners`;
  return [
    ...timeRows(plan, `${name}, in the page cache`, warm, emptied),
    ...(cold.length === 0 ? [] : timeRows(plan, `${name}, not in the page cache`, cold, emptied)),
    ...memoryRows(plan, name, warm, emptied),
  ];
}

interface Answers {
  /** Of the first answers of owners of usual size, and of the next; of that of the large owner. */
  readonly firstMs: number;
  readonly nextMs: number;
  readonly largeMs: number;
  readonly largeNextMs: number;
  /** What the first owners' rules took, and their JSON. */
  readonly ruleBytes: number;
  readonly jsonBytes: number;
}

/** Of all processes of the service: until it was ready, and at that moment. */
interface Readiness {
  readonly readyMs: number;
  readonly cpuMs: number;
  readonly rss: number;
}

type Start = Answers & Readiness;

async function start<Found>(data: string, ask: (service: Service) => Promise<Found>): Promise<Found & Readiness> {
  const spawned = performance.now();
  const service = await startService(data);
  const readyMs = performance.now() - spawned;
  const cpuMs = cpuSecondsBetween(new Map(), cpuTimes(service.pid)) * 1e3;
  const rss = residentBytes(service.pid);
  const found = await ask(service);
  await endAll();
  return { ...found, readyMs, cpuMs, rss };
}

async function firstAnswers(plan: RestartPlan, service: Service, owners: readonly SeededOwner[]): Promise<Answers> {
  const [large, ...others] = owners as [SeededOwner, ...SeededOwner[]];
  // The code of the request runs for the first time, too: the first owner is not counted.
  const [first, ...loaded] = others.slice(0, plan.loadedOwners + 1) as [SeededOwner, ...SeededOwner[]];
  const { bytes } = await answerOf(service, first);
  const before = anonymousBytes(service.pid);
  const firstMs = await inTurn(loaded, async (owner) => (await answerOf(service, owner)).ms);
  const ruleBytes = Math.max(1, anonymousBytes(service.pid) - before);
  const nextMs = await inTurn(loaded, async (owner) => (await answerOf(service, owner)).ms);
  const { ms: largeMs } = await answerOf(service, large);
  const { ms: largeNextMs } = await answerOf(service, large);
  const jsonBytes = bytes * plan.rulesPerOwner * loaded.length;
  return { firstMs: median(firstMs), nextMs: median(nextMs), largeMs, largeNextMs, ruleBytes, jsonBytes };
}

/** Reads the owner's first rule. @returns How long it took, and the bytes of the answer. */
async function answerOf({ port }: Server, { key, ruleIds }: SeededOwner): Promise<{ ms: number; bytes: number }> {
  const request = { method: 'GET', path: `/v1/rules/${ruleIds[0]}`, headers: { 'x-api-key': key } } as const;
  const from = performance.now();
  const { body } = await sampleReply(port, request);
  return { ms: performance.now() - from, bytes: body.length - '{"success":true,"data":}'.length };
}

function timeRows(plan: RestartPlan, name: string, starts: readonly Start[], emptied: readonly Readiness[]): Row[] {
  const row = (what: string, measured: readonly number[], against: readonly number[]): Row => ({
    name: `${name}: ${what}`,
    ...ratioOf(measured, against),
    unit: 'ms',
  });
  const of = (field: keyof Start) => starts.map((each) => each[field]);
  const againstEmpty = (what: string, field: keyof Readiness) =>
    row(
      `${what}, against an empty store`,
      of(field),
      emptied.map((each) => each[field]),
    );
  return [
    { ...againstEmpty('ready', 'readyMs'), atMost: READY_MS_MAX },
    againstEmpty('CPU until ready', 'cpuMs'),
    row(
      `first answer of an owner of ${amount(plan.rulesPerOwner)} rules, against the next`,
      of('firstMs'),
      of('nextMs'),
    ),
    row(
      `first answer of an owner of ${amount(plan.largeOwnerRules)} rules, against the next`,
      of('largeMs'),
      of('largeNextMs'),
    ),
  ];
}

function memoryRows(plan: RestartPlan, name: string, starts: readonly Start[], emptied: readonly Readiness[]): Row[] {
  const loadedRules = plan.loadedOwners * plan.rulesPerOwner;
  return [
    {
      name: `${name}: RSS when ready, against an empty store`,
      ...ratioOf(
        starts.map(({ rss }) => rss),
        emptied.map(({ rss }) => rss),
      ),
      unit: 'B',
    },
    {
      name: `RSS without mapped files per rule of ${amount(plan.loadedOwners)} owners in memory, against its JSON`,
      ...ratioOf(
        starts.map(({ ruleBytes }) => ruleBytes / loadedRules),
        starts.map(({ jsonBytes }) => jsonBytes / loadedRules),
      ),
      ratioAtMost: MEMORY_RATIO_MAX,
      unit: 'B',
    },
  ];
}

function ratioOf(measured: readonly number[], against: readonly number[]) {
  const ratios = measured.map((value, index) => value / (against[index] as number));
  return {
    measured: median(measured),
    against: median(against),
    ratio: median(ratios),
    ratioRange: [Math.min(...ratios), Math.max(...ratios)] as const,
  };
}

function amount(count: number): string {
  return count.toLocaleString('en');
}

async function inTurn<Item, Result>(items: readonly Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await run(item));
  return results;
}

/** Resident memory without mapped files. */
function anonymousBytes(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1_024;
}
