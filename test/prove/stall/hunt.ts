/** Looks for the request that holds a serving thread for longest: by chance, and by changing one choice of the worst that were found. */
import { readFileSync } from 'node:fs';
import { MOCK_STREAM_EVENT_WORK_MAX, RULE_WORK_MAX } from '../../../src/limits.ts';
import { answerRequest } from '../../../src/serving/matching/answer-request.ts';
import { compileMock } from '../../../src/serving/matching/compile/compile.ts';
import type { FoundRoute } from '../../../src/serving/matching/compile/compiled-mock.ts';
import type { MockAnswer, MockRequest, RenderProblem } from '../../../src/serving/matching/request/mock-request.ts';
import { RequestView } from '../../../src/serving/matching/request/request-view.ts';
import type { EventScript } from '../../../src/serving/matching/streams/stream-plan.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import { always } from '../../support/mocks.ts';
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

/** The most that a request may take of its thread's processor time. */
export const STALL_MS_MAX = 500;

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
export function stallOf(seed: number, made: StallCase = caseOf(seed)): Stall {
  const counter = always(1);
  return measured(seed, made, ({ found, request }) => answerRequest(found, request, counter));
}

/** Of so many parts of the work that a request may take, the first. */
const PARTS = 20;

/** What its one response takes of the first part of the work, times all of them: as good as a whole request, and much sooner. */
function estimatedMs(seed: number, made: StallCase): number {
  const { cpuMs, wallMs } = measured(seed, made, ({ found, request }) => {
    const { route } = found;
    const view = new RequestView(request, route.parameterNames, found, 1);
    view.work = RULE_WORK_MAX / PARTS;
    return route.responses[0]?.answer(view);
  });
  // The system counts the processor's time in steps of several milliseconds, and the clock what other programs do.
  return PARTS * Math.min(cpuMs, wallMs);
}

interface Asked {
  readonly found: FoundRoute;
  readonly request: MockRequest;
}

function measured(
  seed: number,
  { definition, request }: StallCase,
  answerOf: (asked: Asked) => MockAnswer | RenderProblem | undefined,
): Stall {
  const mock = compileMock({ mockId: 'm', ownerId: 'acme', state: 'running', version: 1, definition }, []);
  const [cpu, wall] = [threadMs(), performance.now()];
  const found = findRoute(mock, request.method, request.path);
  if (found === undefined) throw new Error(`seed ${seed} finds no route`);
  const answer = answerOf({ found, request });
  if (answer?.problem === undefined && answer?.plan?.kind === 'stream') firstTurnOf(answer.plan.stream.begin());
  // As uWebSockets.js does: what was put together piece by piece becomes one text only now.
  if (answer?.problem === undefined && typeof answer?.body === 'string') Buffer.from(answer.body);
  return { seed, cpuMs: threadMs() - cpu, wallMs: performance.now() - wall };
}

/** What thread/streams/carry-stream.ts sends before it looks at other requests. */
function firstTurnOf(script: EventScript): void {
  let work = 0;
  for (let events = 0; events < 64 && work < MOCK_STREAM_EVENT_WORK_MAX && script.dueMs !== undefined; events++) {
    script.next();
    work += script.work;
  }
}

/** The least of several: what else the machine did in the meantime is not the request's. */
export function surelyStallOf(seed: number): Stall {
  const made = caseOf(seed);
  let least = stallOf(seed, made);
  for (let again = 0; again < 2 && least.cpuMs > STALL_MS_MAX; again++) {
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
  const ms = made.isSmall ? estimatedMs(seed, made) : Infinity;
  return ms < STALL_MS_MAX / 2 ? { seed, cpuMs: ms, wallMs: ms } : stallOf(seed, made);
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
