/** Looks for the request that holds a serving thread for longest: by chance, and by changing one choice of the worst that were found. */
import { readFileSync } from 'node:fs';
import { answerRequest } from '../../../src/serving/matching/answer-request.ts';
import { compileMock } from '../../../src/serving/matching/compile.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import { always } from '../../support/mocks.ts';
import { Draws } from '../simulation/draws.ts';
import { caseOf, digitsOf, kindOf, RADIXES, seedOf, type StallCase } from './cases.ts';

export interface Stall {
  readonly seed: number;
  /** Of the thread's processor time, and by the clock. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Of this thread. Without Linux's count of it, that of the process: helpers of the garbage collector are in it. */
export function threadMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

/** The first request to a mock: what is compiled on first use is in it. */
export function stallOf(seed: number, { definition, request }: StallCase = caseOf(seed)): Stall {
  const mock = compileMock({ mockId: 'm', ownerId: 'acme', state: 'running', version: 1, definition }, []);
  const [cpu, wall] = [threadMs(), performance.now()];
  const found = findRoute(mock, request.method, request.path);
  if (found === undefined) throw new Error(`seed ${seed} finds no route`);
  const answer = answerRequest(found, request, always(1));
  // As uWebSockets.js does: what was put together piece by piece becomes one text only now.
  if (answer?.problem === undefined && typeof answer?.body === 'string') Buffer.from(answer.body);
  return { seed, cpuMs: threadMs() - cpu, wallMs: performance.now() - wall };
}

/** The least of several: what else the machine did in the meantime is not the request's. */
export function surelyStallOf(seed: number): Stall {
  const made = caseOf(seed);
  const stalls = [1, 2, 3].map(() => stallOf(seed, made));
  return stalls.reduce((least, stall) => (stall.cpuMs < least.cpuMs ? stall : least));
}

/** Of so many kinds, the worst is changed next. */
const KINDS_CHANGED = 12;
/** How many of a hundred are drawn anew. */
const ANEW_PERCENT = 35;

export interface Hunt {
  readonly tried: number;
  /** Of each kind the worst, the worst first. */
  readonly worst: readonly Stall[];
}

/** @param seed Decides what is tried first; what comes of it depends on the times that were measured. */
export function hunt(seed: number, seconds: number): Hunt {
  const draws = new Draws(seed);
  const tried = new Set<number>();
  const worstOfKind = new Map<string, Stall>();
  let worst: Stall[] = [];
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    const parent = worst[draws.below(KINDS_CHANGED)];
    const next = parent === undefined || draws.below(100) < ANEW_PERCENT ? drawn(draws) : changed(parent.seed, draws);
    if (tried.has(next)) continue;
    tried.add(next);
    const stall = stallOf(next);
    const kind = kindOf(next);
    if ((worstOfKind.get(kind)?.cpuMs ?? 0) >= stall.cpuMs) continue;
    worstOfKind.set(kind, stall);
    worst = [...worstOfKind.values()].toSorted((one, other) => other.cpuMs - one.cpuMs);
  }
  return { tried: tried.size, worst };
}

function drawn(draws: Draws): number {
  return seedOf(RADIXES.map((radix) => draws.below(radix)));
}

/** One choice, or two: some matter together only. */
function changed(seed: number, draws: Draws): number {
  const digits = digitsOf(seed);
  for (let count = 1 + draws.below(2); count > 0; count--) {
    const place = draws.below(digits.length);
    digits[place] = draws.below(RADIXES[place] as number);
  }
  return seedOf(digits);
}
