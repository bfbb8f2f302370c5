/**
 * Starts on a large store: time until ready, time to the first answers of owners that nobody has used yet, memory of their rules.
 *
 * With the store in the page cache and without it, and on an empty store: a start of each in turn.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey } from '../../src/cli/keys.ts';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { endAll, startService, temporaryDirectory, type Server } from '../processes.ts';
import { progress } from '../report.ts';
import { median, type Paired } from '../rounds.ts';
import { seedOwners, USER, type SeededOwner } from '../rules.ts';
import { sampleReply } from '../sample-reply.ts';
import { rowOf, type Row } from './comparison.ts';
import type { Plan, RestartPlan } from './plan.ts';

export const TITLE = 'restart';

const READY = { atMost: 2_000 };
const MEMORY = { ratioAtMost: 2 };

/** One start; `contender` is its kind: `warm`, `cold` or `empty`. */
interface Start extends Paired {
  readonly readyMs: number;
  readonly answers?: Answers;
}

interface Answers {
  /** Medians of the first answers of owners, and of the next. */
  readonly ms: Compared;
  /** What a rule of theirs took, and its JSON. */
  readonly bytes: Compared;
}

/** What was measured, and against what. */
type Compared = Readonly<Record<'measured' | 'against', number>>;

export async function measure({ restart: plan }: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const owners = await seedOwners(data, Array<number>(plan.ownerCount).fill(plan.rulesPerOwner));
  const empty = temporaryDirectory();
  await createKey(empty, { ownerId: USER, userId: USER, role: 'editor' });

  const starts: Start[] = [];
  const start = async (contender: string, round: number, directory: string): Promise<void> => {
    const spawned = performance.now();
    const service = await startService(directory);
    const readyMs = performance.now() - spawned;
    const answers = directory === data ? { answers: await firstAnswers(plan, service, owners) } : {};
    starts.push({ contender, round, readyMs, ...answers });
    await endAll();
  };
  let isCold = true;
  for (let round = 0; round < plan.starts; round++) {
    await start('empty', round, empty);
    // What was seeded, or read by the start before, is in the page cache.
    await start('warm', round, data);
    isCold = dropFromPageCache(join(data, STORE_FILE));
    if (isCold) await start('cold', round, data);
  }
  if (!isCold) progress('without cold starts: there is no GNU dd to drop the store from the page cache');

  const rules = (plan.ownerCount * plan.rulesPerOwner).toLocaleString('en');
  const name = `restart with ${rules} rules of ${plan.ownerCount.toLocaleString('en')} owners`;
  const rows = (kind: string, cache: string): Row[] => {
    const answerRow = (what: string, unit: 'ms' | 'B') => {
      const compared = starts.flatMap(({ contender, round, answers }) => {
        if (contender !== kind || answers === undefined) return [];
        const figures = answers[unit === 'B' ? 'bytes' : unit];
        return (['measured', 'against'] as const).map((side) => ({ contender: side, round, value: figures[side] }));
      });
      return rowOf(`${name}, ${cache}: ${what}`, unit, compared, ({ value }) => value);
    };
    const ready = `${name}, ${cache}: ready, against an empty store`;
    const memory = 'RSS without mapped files per resident rule, against its JSON';
    return [
      { ...rowOf(ready, 'ms', starts, ({ readyMs }) => readyMs, [kind, 'empty']), target: READY },
      answerRow(`first answer of an owner of ${plan.rulesPerOwner} rules, against the next`, 'ms'),
      { ...answerRow(memory, 'B'), target: MEMORY },
    ];
  };
  return [...rows('warm', 'in the page cache'), ...(isCold ? rows('cold', 'not in the page cache') : [])];
}

async function firstAnswers(plan: RestartPlan, service: Server, owners: readonly SeededOwner[]): Promise<Answers> {
  const [warmUp, ...others] = owners as [SeededOwner, ...SeededOwner[]];
  const loaded = others.slice(0, plan.loadedOwners);
  // The code of the request runs for the first time, too: the first owner is not counted.
  const { bytes } = await answerOf(service, warmUp);
  const milliseconds = async (): Promise<number> => {
    const all: number[] = [];
    for (const owner of loaded) all.push((await answerOf(service, owner)).ms);
    return median(all);
  };
  const before = anonymousBytes(service.pid);
  const firstMs = await milliseconds();
  const bytesPerRule = Math.max(1, anonymousBytes(service.pid) - before) / (plan.rulesPerOwner * loaded.length);
  return {
    ms: { measured: firstMs, against: await milliseconds() },
    bytes: { measured: bytesPerRule, against: bytes },
  };
}

/** Reads the owner's first rule. @returns How long it took, and the bytes of the rule's JSON. */
async function answerOf({ port }: Server, { key, ruleIds }: SeededOwner): Promise<{ ms: number; bytes: number }> {
  const request = { method: 'GET', path: `/v1/rules/${ruleIds[0]}`, headers: { 'x-api-key': key } } as const;
  const from = performance.now();
  const { body } = await sampleReply(port, request);
  return { ms: performance.now() - from, bytes: body.length - '{"success":true,"data":}'.length };
}

/**
 * Asks the system to forget what it holds of a file: it does, as long as nobody has the file mapped and all of it is on the disk.
 * The whole cache could only be dropped by root, for every other process too.
 *
 * @returns Whether it could be asked: by GNU `dd`.
 */
function dropFromPageCache(file: string): boolean {
  return spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' }).status === 0;
}

/** Resident memory without mapped files. */
function anonymousBytes(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]) * 1_024;
}
