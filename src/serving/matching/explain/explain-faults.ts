/** For explain.ts: which fault would strike a request, and how likely. The fast way is faults.ts. */
import { draws } from '../../../base/seeded-draw.ts';
import type { Fault, MockResponse, MockRoute, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { faultStream } from '../compile/faults.ts';
import type { FaultReport } from '../../../model/mocks/show/explanation.ts';

/** @param number Of the request among those of its route, from 1. */
export function describeFaults(
  settings: MockSettings,
  route: MockRoute,
  response: MockResponse,
  number: number,
): FaultReport {
  const responseIndex = route.responses.indexOf(response);
  const ofSettings = (settings.faults ?? []).map((fault, index) => ({
    fault,
    of: 'settings' as const,
    stream: faultStream(route, index, undefined),
  }));
  const ofResponse =
    response.fault === undefined
      ? []
      : [{ fault: response.fault, of: 'response' as const, stream: faultStream(route, 0, responseIndex) }];
  let left = 1;
  const faults = [...ofSettings, ...ofResponse].map(({ fault, of, stream }) => {
    const { chance, reason } = chanceOf(fault, stream, number, settings.seed);
    const verdict = {
      kind: fault.kind,
      of,
      chance: left * chance,
      reason: left === 0 ? 'an earlier fault always strikes' : reason,
    };
    left *= 1 - chance;
    return verdict;
  });
  return {
    ...(faults.length === 0 ? {} : { faults }),
    ...(response.delivery === undefined ? {} : { delivery: response.delivery }),
  };
}

function chanceOf(
  { probability = 1, first = Infinity, after = 0 }: Fault,
  stream: number,
  number: number,
  seed: number | null,
): { readonly chance: number; readonly reason: string } {
  if (number > first)
    return { chance: 0, reason: `only the first ${first} requests to the route; this is number ${number}` };
  if (number <= after)
    return { chance: 0, reason: `not the first ${after} requests to the route; this is number ${number}` };
  if (probability === 0 || probability === 1) {
    return { chance: probability, reason: probability === 0 ? 'its probability is 0' : 'every request it applies to' };
  }
  if (seed === null) return { chance: probability, reason: `random, with a probability of ${probability}` };
  const isDrawn = draws(seed, stream, number)() < probability;
  return {
    chance: isDrawn ? 1 : 0,
    reason: `decided by the seed, with a probability of ${probability}, for request ${number} to the route`,
  };
}
