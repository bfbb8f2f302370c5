/**
 * Every attacker beside a victim, and attackers that are drawn: what the victim waits above its control, what fails, and what the server's
 * process holds.
 *
 * Short effort asks only for what no busy machine can cause. It runs one attacker after the other beside one server.
 */
import type { Effort, Tally } from '../proof.ts';
import { ATTACKERS, attackerOf } from './attackers.ts';
import { Scene, type Look } from './beside.ts';
import { LEAST_SEED } from './drawn.ts';
import type { Waits } from './victim.ts';

/** What the victim may wait above its control, in milliseconds. */
const ABOVE_MS_MAX: Readonly<Record<Effort, Figures>> = {
  short: { p50: 2_000, p99: 2_000, worst: 2_000 },
  full: { p50: 20, p99: 200, worst: 500 },
};
const WINDOW_MS = { short: { control: 200, beside: 700 }, full: { control: 1_000, beside: 3_000 } } as const;
const WORKERS = [1, 2] as const;
/** What is slow is looked at again: others may use the machine, too. */
const LOOKS: Readonly<Record<Effort, number>> = { short: 2, full: 3 };
const LISTED_SECONDS = 20;
const DRAWN_SECONDS: Readonly<Record<Effort, number>> = { short: 4, full: 60 };
const DRAWN_MAX = 1_000;
/** Above the documented bounds: garbage, and what the allocator keeps. */
const GARBAGE_SHARE = 1.3;
const GARBAGE_MB = 128;
/** Each attacker has owners of its own, so that none pays for what the one before has used. */
const OWNERS_IN_SHORT = 300;

interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

export async function runAttackers(tally: Tally, effort: Effort): Promise<void> {
  // Drawn from the day: others are tried tomorrow, and what is found has its own seed.
  const seeds = Array.from({ length: DRAWN_MAX }, (_, index) => LEAST_SEED + today() * DRAWN_MAX + index);
  const stage = new Stage(effort);
  try {
    if (effort === 'full') {
      for (const workers of WORKERS)
        for (const number of ATTACKERS.keys())
          if (workers === 1 || attackerOf(number).plane !== 'api') await judge(tally, stage, number, workers);
    } else {
      for (const number of tally.within(LISTED_SECONDS, 'attackers', quickOnes())) await judge(tally, stage, number, 1);
    }
    for (const seed of tally.within(DRAWN_SECONDS[effort], 'drawn attackers', seeds)) {
      await judge(tally, stage, seed, effort === 'full' ? 1 + (seed % 2) : 1);
    }
  } finally {
    stage.clear();
  }
}

/** Those that are soon prepared. Each day begins with another one. */
function quickOnes(): number[] {
  const quick = [...ATTACKERS.keys()].filter((number) => attackerOf(number).isLong !== true);
  const from = today() % quick.length;
  return [...quick.slice(from), ...quick.slice(0, from)];
}

/** Where attackers are looked at: at full effort each at a server of its own, in short one after the other at the same. */
class Stage {
  readonly effort: Effort;
  #scene: Scene | undefined;
  #isSmall = false;

  constructor(effort: Effort) {
    this.effort = effort;
  }

  async look(number: number, workers: number): Promise<Look> {
    const { owners = 1, isSmall = false } = attackerOf(number);
    if (isSmall !== this.#isSmall) this.clear();
    this.#isSmall = isSmall;
    this.#scene ??= await Scene.start(workers, this.effort === 'short' ? OWNERS_IN_SHORT : owners, isSmall);
    try {
      return await this.#scene.look(number, WINDOW_MS[this.effort]);
    } finally {
      if (this.effort === 'full') this.clear();
    }
  }

  /** What an attacker has done to the server is not the next one's. */
  clear(): void {
    this.#scene?.close();
    this.#scene = undefined;
  }
}

/** One attacker again, at full effort. @returns What went wrong. */
export async function replayAttacker(number: number, trace: (line: string) => void): Promise<readonly string[]> {
  const attacker = attackerOf(number);
  trace(attacker.name);
  const broken: string[] = [];
  for (const workers of WORKERS) {
    const look = await new Stage('full').look(number, workers);
    trace(describeLook(look, workers));
    broken.push(...problems(look, attacker.heldMb * workers, 'full').all);
  }
  return broken;
}

async function judge(tally: Tally, stage: Stage, number: number, workers: number): Promise<void> {
  const { name, heldMb } = attackerOf(number);
  const fault = number >= LEAST_SEED ? 'beside drawn attackers' : `beside ${name}`;
  for (let look = 1; ; look++) {
    const seen = await stage.look(number, workers).catch(String);
    if (typeof seen === 'string') return void tally.check(fault, false, () => seen);
    process.stdout.write(`  ${name.slice(0, NAME_CHARS_MAX)}\n    ${describeLook(seen, workers)}\n`);
    tally.tried(fault, seen.beside.waits.length);
    const { all, isSure } = problems(seen, heldMb * workers, stage.effort);
    if (all.length === 0) return;
    stage.clear();
    if (!isSure && look < LOOKS[stage.effort]) continue;
    const replay = `npm run prove -- fairness --seed ${number}`;
    tally.failed(fault, `${all.join(', ')}; ${describeLook(seen, workers)}; ${replay}`);
    return;
  }
}

const NAME_CHARS_MAX = 300;

/** @param heldMb Of all threads. @returns Bounds that did not hold, and whether a busy machine cannot have broken them. */
export function problems(look: Look, heldMb: number, effort: Effort): { all: string[]; isSure: boolean } {
  const sure = look.restarts.map((line) => `a process ended: ${line}`);
  const slow: string[] = [];
  for (const [what, count] of Object.entries(look.beside.errors)) sure.push(`${count} × ${what}`);
  if (look.beside.unanswered > 0) slow.push(`${look.beside.unanswered} not answered`);
  if (!look.isVerified && look.restarts.length === 0) slow.push('what the victim asked is not counted');
  const [beside, control] = [figures(look.beside.waits), figures(look.control.waits)];
  for (const name of ['p50', 'p99', 'worst'] as const) {
    const above = beside[name] - control[name];
    if (above > ABOVE_MS_MAX[effort][name]) slow.push(`${name} is ${above.toFixed(0)} ms above the control`);
  }
  const mbMax = look.mb.before + heldMb * GARBAGE_SHARE + GARBAGE_MB;
  if (effort === 'full' && look.mb.most > mbMax) slow.push(`it holds more than ${mbMax.toFixed(0)} MB`);
  return { all: [...sure, ...slow], isSure: sure.length > 0 };
}

function describeLook({ control, beside, statuses, restarts, isVerified, mb }: Look, workers: number): string {
  const errors = Object.entries(beside.errors).map(([what, count]) => `, ${count} × ${what}`);
  const got = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  return [
    `${workers === 1 ? '1 worker' : `${workers} workers`}: p50/p99/worst ${shown(beside.waits)} ms, control ${shown(control.waits)}`,
    `by the clock ${shown(beside.byClock)}, control ${shown(control.byClock)}`,
    `${beside.waits.length} asked, ${beside.unanswered} not answered${errors.join('')}${isVerified ? '' : ', not verified'}`,
    `${restarts.length} restarts, ${mb.before.toFixed(0)} -> ${mb.most.toFixed(0)} MB`,
    `attacker ${got.join(', ')}`,
  ].join('; ');
}

function shown(times: Waits['waits']): string {
  const { p50, p99, worst } = figures(times);
  return [p50, p99, worst].map((ms) => ms.toFixed(0)).join('/');
}

function figures(times: readonly number[]): Figures {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), worst: at(1) };
}

function today(): number {
  return Math.floor(Date.now() / 86_400_000);
}
