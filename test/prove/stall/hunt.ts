/** Looks for the request that holds a serving thread for longest: by chance, and by changing one choice of the worst that were found. */
import { MOCK_STREAM_EVENT_WORK_MAX, RULE_WORK_MAX } from '../../../src/limits.ts';
import { compileMock } from '../../../src/serving/matching/compile/compile.ts';
import { RequestView } from '../../../src/serving/matching/request/request-view.ts';
import type { EventScript } from '../../../src/serving/matching/streams/stream-plan.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import { Draws } from '../simulation/draws.ts';
import type { StallCase } from './case-family.ts';
import {
  caseOf,
  digitsOf,
  FAMILY_COUNT,
  firstOfFamily,
  kindOf,
  radixesOfFamily,
  seedOf,
  sureCountOf,
} from './cases.ts';
import { slowness, threadMs } from './thread-ms.ts';

/** The most that a request may take of its thread's processor time, where `slowness` is 1. */
export const STALL_MS_MAX = 60;

export interface Stall {
  readonly seed: number;
  /** Of the thread's processor time, as if `slowness` were 1. */
  readonly cpuMs: number;
  /** The work of its conditions and of its answer, in units of RULE_WORK_MAX. */
  readonly work: number;
}

/** The first request to a mock: what is compiled on first use is in it. */
export function stallOf(seed: number, made: StallCase = caseOf(seed), work = RULE_WORK_MAX): Stall {
  const { definition, request } = made;
  const mock = compileMock({ mockId: 'm', ownerId: 'acme', state: 'running', version: 1, definition }, []);
  const slow = slowness();
  const began = threadMs();
  const found = findRoute(mock, request.method, request.path);
  if (found === undefined) throw new Error(`seed ${seed} finds no route`);
  const view = new RequestView(request, found.route.parameterNames, found, 1);
  view.work = work;
  const chosen = found.route.choose(view);
  const answer = view.work < 0 ? undefined : found.route.responses[Math.max(0, chosen)]?.answer(view);
  if (answer?.problem === undefined && answer?.plan?.kind === 'stream') firstTurnOf(answer.plan.stream.begin());
  // As uWebSockets.js does: what was put together piece by piece becomes one text only now.
  if (answer?.problem === undefined && typeof answer?.body === 'string') Buffer.from(answer.body);
  return { seed, cpuMs: (threadMs() - began) / slow, work: work - view.work };
}

/** Of so many parts of the work that a request may take, the first. */
const PARTS = 10;

/** What thread/streams/carry-stream.ts sends before it looks at other requests. */
function firstTurnOf(script: EventScript): void {
  let work = 0;
  for (let events = 0; events < 64 && work < MOCK_STREAM_EVENT_WORK_MAX && script.dueMs !== undefined; events++) {
    script.next();
    work += script.work;
  }
}

/** The least of several: what else the machine did in the meantime is not the request's. */
export function surelyStallOf(seed: number, made: StallCase = caseOf(seed), times = 5): Stall {
  let least = stallOf(seed, made);
  for (let again = 1; again < times && least.cpuMs > STALL_MS_MAX; again++) {
    const stall = stallOf(seed, made);
    if (stall.cpuMs < least.cpuMs) least = stall;
  }
  return least;
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

/** What a search knows of a family of cases. */
interface Trail {
  readonly family: number;
  readonly worstOfKind: Map<string, Stall>;
  worst: readonly Stall[];
  anew: number;
  spentMs: number;
}

/** @param seed Decides what is tried first; what comes of it depends on the times that were measured. */
export function hunt(seed: number, seconds: number): Hunt {
  const draws = new Draws(seed);
  const tried = new Set<number>();
  const trails = Array.from({ length: FAMILY_COUNT }, (_, family): Trail => {
    return { family, worstOfKind: new Map(), worst: [], anew: 0, spentMs: 0 };
  });
  const started = performance.now();
  const isSure = ({ family, anew }: Trail): boolean => anew >= sureCountOf(family);
  for (let now = started; now < started + seconds * 1_000 || !trails.every(isSure);) {
    // Each family has as much of the time: the cases of some take several times as long.
    const trail = trails.reduce((least, each) => (each.spentMs < least.spentMs ? each : least));
    follow(trail, draws, tried);
    const then = performance.now();
    trail.spentMs += then - now;
    now = then;
  }
  return { tried: tried.size, worst: worstFirst(trails.flatMap(({ worst }) => worst)) };
}

function follow(trail: Trail, draws: Draws, tried: Set<number>): void {
  const parent = trail.worst[draws.below(KINDS_CHANGED)];
  const isFirst = trail.anew < firstOfFamily(trail.family).length;
  const isNew = isFirst || parent === undefined || draws.below(100) < ANEW_PERCENT;
  const next = isNew ? drawn(draws, trail.family, trail.anew++) : changed(parent.seed, draws);
  if (tried.has(next)) return;
  tried.add(next);
  const stall = triedOf(next);
  const kind = kindOf(next);
  if ((trail.worstOfKind.get(kind)?.cpuMs ?? 0) >= stall.cpuMs) return;
  trail.worstOfKind.set(kind, stall);
  trail.worst = worstFirst([...trail.worstOfKind.values()]);
}

function worstFirst(stalls: readonly Stall[]): Stall[] {
  return stalls.toSorted((one, other) => other.cpuMs - one.cpuMs);
}

/** A whole request, unless the beginning of a small one shows that it takes half of what it may. */
function triedOf(seed: number): Stall {
  const made = caseOf(seed);
  if (!made.isSmall) return stallOf(seed, made);
  const { cpuMs, work } = stallOf(seed, made, RULE_WORK_MAX / PARTS);
  return PARTS * cpuMs < STALL_MS_MAX / 2 ? { seed, cpuMs: PARTS * cpuMs, work } : stallOf(seed, made);
}

/** @param count Of those before: first those of the family, then the choices of the first digit take turns. */
function drawn(draws: Draws, family: number, count: number): number {
  const first = firstOfFamily(family)[count];
  if (first !== undefined) return seedOf({ family, digits: first });
  const radixes = radixesOfFamily(family);
  const digits = radixes.map((radix) => draws.below(radix));
  digits[0] = count % (radixes[0] as number);
  return seedOf({ family, digits });
}

/** One choice, or two: some matter together only. */
function changed(seed: number, draws: Draws): number {
  const { family, digits } = digitsOf(seed);
  const next = [...digits];
  for (let count = 1 + draws.below(2); count > 0; count--) {
    const place = draws.below(next.length);
    next[place] = draws.below(radixesOfFamily(family)[place] as number);
  }
  return seedOf({ family, digits: next });
}
