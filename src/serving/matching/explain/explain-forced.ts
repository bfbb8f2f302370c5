/** For explain.ts: the responses that a request names, and which of them it accepts. The fast way is forced-choice.ts. */
import { EXPLAINED_CHARS_MAX } from '../../../limits.ts';
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { mediaTypeOf } from '../../../model/mocks/definition/media-type.ts';
import { acceptedRanges, namedResponse, qualityOf, type NamedResponse } from '../choose/preferences.ts';

export interface Choice {
  readonly index: number;
  readonly reason: string;
}

/** @param usual What the route chooses on its own. It is not asked when the request names a response. */
export function chooseForced(route: MockRoute, headers: readonly string[], usual: () => Choice): Choice {
  const { responses } = route;
  const named = namedResponse(headers);
  const wanted = named === undefined ? [] : responsesNamed(responses, named);
  const [first] = wanted;
  if (first !== undefined) {
    const others = wanted.filter(({ status }) => status === first.status);
    const reason = `the request names ${describe(named as NamedResponse)}`;
    return chooseAccepted({ index: responses.indexOf(first), reason }, others, responses, headers);
  }
  const { index, reason } = usual();
  const chosen = responses[index];
  // None may answer in this state.
  if (chosen === undefined) return { index, reason };
  const others = responses.filter((each) => each.status === chosen.status && isAlternative(each, chosen, route));
  const unnamed = named === undefined ? '' : `; the request names ${describe(named)}, which the route does not have`;
  return chooseAccepted({ index, reason: `${reason}${unnamed}` }, others, responses, headers);
}

function responsesNamed(responses: readonly MockResponse[], { labels, status }: NamedResponse): MockResponse[] {
  const ofStatus = responses.filter((each) => status === undefined || String(each.status) === status);
  if (labels.length === 0) return ofStatus;
  const byLabel = labels.map((label) => ofStatus.filter((each) => each.label.trim() === label));
  return byLabel.find((found) => found.length > 0) ?? [];
}

function describe({ labels: [label], status }: NamedResponse): string {
  const parts = [
    ...(label === undefined ? [] : [`label "${label.slice(0, EXPLAINED_CHARS_MAX)}"`]),
    ...(status === undefined ? [] : [`status ${status.slice(0, EXPLAINED_CHARS_MAX)}`]),
  ];
  return `the response with ${parts.join(' and ')}`;
}

function isAlternative(one: MockResponse, other: MockResponse, { selection }: MockRoute): boolean {
  if (selection !== 'rules') return true;
  if (JSON.stringify(one.scenario) !== JSON.stringify(other.scenario)) return false;
  if (one.rules.length === 0 && other.rules.length === 0) return true;
  return one.rulesOperator === other.rulesOperator && JSON.stringify(one.rules) === JSON.stringify(other.rules);
}

/** @param others Includes the chosen one. */
function chooseAccepted(
  { index, reason }: Choice,
  others: readonly MockResponse[],
  responses: readonly MockResponse[],
  headers: readonly string[],
): Choice {
  const ranges = acceptedRanges(headers);
  const chosen = responses[index] as MockResponse;
  if (ranges === undefined || others.length === 1) return { index, reason };
  const qualities = others.map((each) => qualityOf(mediaTypeOf(each.headers), ranges));
  const best = Math.max(...qualities);
  if (best === 0) return { index, reason: `${reason}; Accept matches no response with its status` };
  if (qualityOf(mediaTypeOf(chosen.headers), ranges) === best) return { index, reason };
  const accepted = others[qualities.indexOf(best)] as MockResponse;
  const type = mediaTypeOf(accepted.headers)?.essence ?? 'without a type';
  return {
    index: responses.indexOf(accepted),
    reason: `${reason}; among those with its status, Accept prefers ${type}`,
  };
}
