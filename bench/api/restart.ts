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

/** Of owners of usual size, and of the large one: medians of the first answers, and of the next. */
interface Answers {
  readonly usual: Compared;
  readonly large: Compared;
  /** What the rules of the owners of usual size took, and their JSON. */
  readonly bytes: Compared;
}

/** What was measured, and against what. */
type Compared = Readonly<Record<'measured' | 'against', number>>;

export async function measure({ restart: plan }: Plan): Promise<Row[]> {
  const data = temporaryDirectory();
  const counts = [plan.largeOwnerRules, ...Array<number>(plan.ownerCount).fill(plan.rulesPerOwner)];
  const owners = await seedOwners(data, counts);
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

  const rules = counts.reduce((sum, count) => sum + count, 0).toLocaleString('en');
  const name = `restart with ${rules} rules of ${counts.length.toLocaleString('en')} owners`;
  const rows = (kind: string, cache: string): Row[] => {
    const answerRow = (what: string, unit: Row['unit'], of: keyof Answers) => {
      const compared = starts.flatMap(({ contender, round, answers }) =>
        contender !== kind || answers === undefined
          ? []
          : (['measured', 'against'] as const).map((side) => ({ contender: side, round, value: answers[of][side] })),
      );
      return rowOf(`${name}, ${cache}: ${what}`, unit, compared, ({ value }) => value);
    };
    const ready = `${name}, ${cache}: ready, against an empty store`;
    const first = (count: number) =>
      `first answer of an owner of ${count.toLocaleString('en')} rules, against the next`;
    const memory = 'RSS without mapped files per resident rule, against its JSON';
    return [
      { ...rowOf(ready, 'ms', starts, ({ readyMs }) => readyMs, [kind, 'empty']), target: READY },
      answerRow(first(plan.rulesPerOwner), 'ms', 'usual'),
      answerRow(first(plan.largeOwnerRules), 'ms', 'large'),
      { ...answerRow(memory, 'B', 'bytes'), target: MEMORY },
    ];
  };
  return [...rows('warm', 'in the page cache'), ...(isCold ? rows('cold', 'not in the page cache') : [])];
}

async function firstAnswers(plan: RestartPlan, service: Server, owners: readonly SeededOwner[]): Promise<Answers> {
  const [large, warmUp, ...others] = owners as [SeededOwner, SeededOwner, ...SeededOwner[]];
  const loaded = others.slice(0, plan.loadedOwners);
  // The code of the request runs for the first time, too: the first owner is not counted.
  const { bytes } = await answerOf(service, warmUp);
  const milliseconds = async (asked: readonly SeededOwner[]): Promise<number> => {
    const all: number[] = [];
    for (const owner of asked) all.push((await answerOf(service, owner)).ms);
    return median(all);
  };
  const before = anonymousBytes(service.pid);
  const firstMs = await milliseconds(loaded);
  const rules = plan.rulesPerOwner * loaded.length;
  const bytesPerRule = Math.max(1, anonymousBytes(service.pid) - before) / rules;
  return {
    usual: { measured: firstMs, against: await milliseconds(loaded) },
    large: { measured: await milliseconds([large]), against: await milliseconds([large]) },
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
