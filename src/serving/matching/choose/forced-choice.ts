/**
 * Chooses among the responses of a route of a mock with `forced` by what the request's headers ask for, before and
 * after the route's own choice (docs/mocks-matching.md, "Forced responses"). Built when the mock is compiled, and only for routes
 * of several responses: no other route looks at these headers.
 */
import type { MockResponse, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { mediaTypeOf, type MediaType } from '../../../model/mocks/definition/media-type.ts';
import { acceptedRanges, namedResponse, qualityOf } from './preferences.ts';

export interface ForcedChoice {
  /** @returns The indexes of the responses that the request names, in their order; undefined when there are none. */
  readonly named: (headers: readonly string[]) => Indexes | undefined;
  /**
   * @param first  What was chosen.
   * @param others What may be sent in its place; undefined without a name: what may by the route's own choice.
   * @returns The index of the one whose media type the client wants most: `first` when none is wanted more.
   */
  readonly accepted: (first: number, others: Indexes | undefined, headers: readonly string[]) => number;
}

type Indexes = readonly number[];

/** @returns undefined for a route of a single response, which answers in any case. */
export function compileForced({ responses, selection, otherwise }: MockRoute): ForcedChoice | undefined {
  // A request that names a response gets it in every state of its scenario, also where it is the only one.
  const answersAlways = responses[0]?.scenario === undefined && otherwise !== 'next';
  if (responses.length === 1 && answersAlways) return undefined;
  const types = responses.map(({ headers }) => mediaTypeOf(headers));
  const statuses = responses.map(statusOf);
  const [byLabel, byStatus] = [indexesBy(responses, labelOf), indexesBy(responses, statusOf)];
  const alternatives = alternativesOf(responses, selection);
  return {
    named(headers) {
      const wanted = namedResponse(headers);
      if (wanted === undefined) return undefined;
      const { labels, status } = wanted;
      if (labels.length === 0) return byStatus.get(status as string);
      for (const label of labels) {
        const found = byLabel.get(label)?.filter((index) => status === undefined || statuses[index] === status);
        if (found !== undefined && found.length > 0) return found;
      }
      return undefined;
    },
    accepted(first, others, headers) {
      const among = others?.filter((index) => statuses[index] === statuses[first]) ?? (alternatives[first] as Indexes);
      return among.length === 1 ? first : mostWanted(first, among, types, headers);
    },
  };
}

function labelOf({ label }: MockResponse): string {
  return label.trim();
}

function statusOf({ status }: MockResponse): string {
  return String(status);
}

function indexesBy(
  responses: readonly MockResponse[],
  keyOf: (response: MockResponse) => string,
): ReadonlyMap<string, Indexes> {
  const lists = new Map<string, number[]>();
  for (const [index, response] of responses.entries()) {
    const key = keyOf(response);
    const known = lists.get(key);
    if (known === undefined) lists.set(key, [index]);
    else known.push(index);
  }
  return lists;
}

/**
 * For each response those of the same status, itself included. Under `rules` they must have the same conditions and the same
 * part in scenarios: else a response would be sent whose conditions do not hold, or that does not answer in this state.
 */
function alternativesOf(responses: readonly MockResponse[], selection: MockRoute['selection']): readonly Indexes[] {
  const conditionsOf = ({ status, rules, rulesOperator, scenario }: MockResponse): string => {
    if (selection !== 'rules') return `${status}`;
    const ruled = rules.length > 0 ? `${status} ${rulesOperator} ${JSON.stringify(rules)}` : `${status}`;
    return scenario === undefined ? ruled : `${ruled} ${JSON.stringify(scenario)}`;
  };
  const groups = indexesBy(responses, conditionsOf);
  return responses.map((response) => groups.get(conditionsOf(response)) as Indexes);
}

function mostWanted(
  first: number,
  among: Indexes,
  types: readonly (MediaType | undefined)[],
  headers: readonly string[],
): number {
  const ranges = acceptedRanges(headers);
  if (ranges === undefined) return first;
  let best = first;
  let quality = qualityOf(types[first], ranges);
  for (const index of among) {
    const own = qualityOf(types[index], ranges);
    if (own <= quality) continue;
    best = index;
    quality = own;
  }
  return best;
}
