/**
 * Snapshots: taken while clients write, ended at any moment, and damaged in every way a disk can.
 *
 * That a flipped byte is told needs no more than a digest of the file. So the same is done to files whose digest fits, as if the copy had
 * been made so: then LMDB itself reads the wrong byte, and nothing but the content's digest can tell.
 */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { draws } from '../../../src/base/seeded-draw.ts';
import { STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { MANIFEST_FILE } from '../../../src/store/snapshots/manifest.ts';
import { PrefixWriter, shownState } from '../../support/prefix-writer.ts';
import { eventually, Running } from '../../support/process.ts';
import { CLI, temporaryDirectory, TestServer } from '../../support/server.ts';
import { copyOf, created, flip, listed, reseal, snapshot } from '../../support/snapshots.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const SEED = 7;
const WRITERS = 8;
/** Longer than a create takes: some kills come too late, most do not. */
const KILL_MS_MAX = 700;

const KILLING_SECONDS = 25;
/** For each kind of damage. */
const DAMAGING_SECONDS = 20;
const VERIFIED_AT_ONCE = 20;

export const proof: Proof = {
  name: 'snapshots',
  promise: 'A snapshot shows one moment with all that was acknowledged before; one that is damaged is refused.',
  async run(tally: Tally, effort: Effort) {
    const isFull = effort === 'full';
    let drawn = 0;
    const draw: Draw = (below) => Math.floor(draws(SEED, 0, drawn++)() * below);
    const server = await TestServer.start(['--no-bootstrap', '--log-level', 'warn']);
    const writers = await PrefixWriter.start(server, WRITERS);
    await sleep(500);
    for (let round = 0; round < (isFull ? 5 : 1); round++) await checkPrefix(tally, server, writers);
    for (const _ of tally.within(KILLING_SECONDS, 'kills', [...Array(isFull ? 10 : 2).keys()])) {
      await checkKilled(tally, server.data, draw(KILL_MS_MAX), writers);
    }
    await Promise.all(writers.map((writer) => writer.stop()));
    const name = await created(server.data);
    const { status } = await snapshot(server.data, 'verify');
    tally.check('kill -9 of create: what counts is whole', status === 0, () => `verify ended with ${status}`);
    await checkDamage(tally, server.data, name, isFull ? 100 : 8, draw);
    await checkNewer(tally, server.data, name);
    await server.end();
  },
};

async function checkPrefix(tally: Tally, server: TestServer, writers: readonly PrefixWriter[]): Promise<void> {
  const before = writers.map(({ acknowledged }) => acknowledged);
  const name = await created(server.data, '--keep', '3');
  const meanwhile = writers.reduce((sum, { acknowledged }, index) => sum + acknowledged - (before[index] as number), 0);
  tally.check('under load: writes go on', meanwhile > 0, () => 'none was acknowledged meanwhile');
  const target = join(temporaryDirectory(), 'restored');
  const { status, stderr } = await snapshot(server.data, 'restore', name, '--to', target);
  if (!tally.check('under load: it is restored', status === 0, () => stderr)) return;
  const restored = await TestServer.start(['--log-level', 'warn'], target);
  for (const [index, { key, states }] of writers.entries()) {
    const place = states.indexOf(await shownState(restored, key));
    const least = before[index] as number;
    tally.check(
      'under load: each owner as it was, with all that was acknowledged',
      place >= least,
      () => `owner ${index} had ${least} acknowledged writes, and the snapshot shows ${place}`,
    );
  }
  await restored.end();
}

async function checkKilled(tally: Tally, data: string, ms: number, writers: readonly PrefixWriter[]): Promise<void> {
  const fault = 'kill -9 of create: what counts is whole';
  const command = new Running(process.execPath, [CLI, 'snapshot', 'create', '--data', data]);
  await sleep(ms);
  command.child.kill('SIGKILL');
  await command.ended;
  for (const [name, state] of await listed(data))
    tally.check(fault, state === 'whole', () => `after ${ms} ms: ${name} is ${state}`);
  const before = writers.map(({ acknowledged }) => acknowledged);
  const isWriting = await eventually(() =>
    writers.every(({ acknowledged }, index) => acknowledged > (before[index] as number)),
  );
  tally.check('kill -9 of create: the server writes on', isWriting, () => `killed after ${ms} ms`);
  await created(data, '--keep', '3');
  const left = readdirSync(data).filter((name) => name.startsWith('.') || /^snapshots-.*sock$/.test(name));
  tally.check('kill -9 of create: the next one tidies up', left.length === 0, () => `after ${ms} ms: ${left.join()}`);
}

async function checkDamage(tally: Tally, data: string, name: string, count: number, draw: Draw): Promise<void> {
  const bytes = readFileSync(join(data, name, STORE_FILE));
  const flipped = (): Damage => {
    const at = draw(bytes.length);
    const mask = 1 << draw(8);
    return { what: `byte ${at} xor ${mask}`, make: (path) => flip(join(path, STORE_FILE), at, mask) };
  };
  const isDamaged = (verdict: string): boolean => verdict.startsWith('damaged');
  await checkEach(tally, 'a flipped bit', data, name, times(count, flipped), isDamaged);

  // As if the copy had been made so: what LMDB makes of it may also be what it was, where the bit means nothing.
  const resealed = times(Math.ceil(count / 2), flipped).map(({ what, make }) => ({
    what,
    make(path: string) {
      make(path);
      reseal(path, {
        fileDigest: createHash('sha256')
          .update(readFileSync(join(path, STORE_FILE)))
          .digest('hex'),
      });
    },
  }));
  const isJudged = (verdict: string): boolean => verdict !== '';
  await checkEach(tally, 'a flipped bit that the file digest has: verify survives', data, name, resealed, isJudged);

  const cut = times(Math.ceil(count / 4), () => {
    const at = draw(bytes.length);
    return { what: `cut to ${at} bytes`, make: (path: string) => truncateSync(join(path, STORE_FILE), at) };
  });
  await checkEach(tally, 'a file cut short', data, name, cut, isDamaged);

  const length = statSync(join(data, name, MANIFEST_FILE)).size;
  const manifests = times(Math.ceil(count / 4), () => {
    // All but the last line's end. The highest bit would make no text.
    const at = draw(length - 1);
    const mask = 1 << draw(7);
    return { what: `byte ${at} xor ${mask}`, make: (path: string) => flip(join(path, MANIFEST_FILE), at, mask) };
  });
  await checkEach(tally, 'a flipped bit of a manifest', data, name, manifests, isDamaged);
}

interface Damage {
  readonly what: string;
  readonly make: (path: string) => void;
}

/** A number from 0 up to, not including, the given one. */
type Draw = (below: number) => number;

/** Damages a copy of the snapshot each, and holds that a verification of all tells each as it should. */
async function checkEach(
  tally: Tally,
  fault: string,
  data: string,
  name: string,
  damages: readonly Damage[],
  isRight: (verdict: string) => boolean,
): Promise<void> {
  const groups = times(Math.ceil(damages.length / VERIFIED_AT_ONCE), (index) =>
    damages.slice(index * VERIFIED_AT_ONCE, (index + 1) * VERIFIED_AT_ONCE),
  );
  for (const group of tally.within(DAMAGING_SECONDS, `${fault}: groups of ${VERIFIED_AT_ONCE}`, groups)) {
    const directory = temporaryDirectory();
    const names = group.map(({ make }, index) => {
      const copy = `snapshot-20200101T000000Z-${String(index).padStart(6, '0')}`;
      cpSync(join(data, name), join(directory, copy), { recursive: true });
      make(join(directory, copy));
      return copy;
    });
    const command = new Running(process.execPath, [CLI, 'snapshot', 'verify', '--data', directory]);
    const { stdout } = await command.ended;
    const verdicts = new Map(stdout.split('\n').map((line) => line.split('\t', 2) as [string, string]));
    for (const [index, { what }] of group.entries()) {
      const verdict = verdicts.get(names[index] as string) ?? '';
      tally.check(fault, isRight(verdict), () => `${what}: ${JSON.stringify(verdict)}`);
    }
    rmSync(directory, { recursive: true });
  }
}

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function checkNewer(tally: Tally, data: string, name: string): Promise<void> {
  for (const changed of [{ storeFormat: 99 }, { form: 99 }]) {
    const directory = copyOf(data, name);
    reseal(join(directory, name), changed);
    const { status, stderr } = await snapshot(directory, 'restore', name, '--to', join(directory, 'restored'));
    const isTold = status === 2 && stderr.includes('newer');
    tally.check('a newer format is not restored', isTold, () => `${JSON.stringify(changed)}: ${status} ${stderr}`);
  }
}
