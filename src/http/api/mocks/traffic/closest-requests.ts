/** The requests that came closest to a `match`, with what each has instead of what was expected. */
import { excerptOfBytes } from '../../../../base/excerpt.ts';
import { bufferOf } from '../../../../base/bytes.ts';
import { isRefusal, type Refusal } from '../../../../errors.ts';
import type { RecordedConditions, RoutePath } from '../../../../model/mocks/recorded-conditions.ts';
import type { TrafficRecord } from '../../../../model/mocks/traffic.ts';
import type { Difference } from '../../../../model/mocks/verification.ts';
import { closestIn, differencesIn, type Actual } from '../../journal/closest.ts';
import { allOf, type Criteria, type Criterion } from './criteria.ts';
import type { Match } from './expectation.ts';
import { representRequest, traceOf } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import type { Condition } from '../../../../model/mocks/definition/condition-schema.ts';

/** A request as conditions are explained for it. */
export interface ExplainedRequest extends Pick<
  TrafficRecord,
  'method' | 'path' | 'query' | 'body' | 'bodyTruncated' | 'time'
> {
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly route: RoutePath | undefined;
}

/** The task of the sandbox. */
interface RecordedToExplain {
  readonly rules: readonly Condition[];
  readonly clock: string | undefined;
  readonly requests: readonly ExplainedRequest[];
}

export function explainedRequest(record: TrafficRecord, route?: RoutePath): ExplainedRequest {
  const { method, path, query, body, bodyTruncated, time } = record;
  const headers = record.headers.flatMap(({ name, value }) => [name, value]);
  return { method, path, query, headers, body, bodyTruncated, time, route };
}

type ConditionDifference = Omit<Difference, 'path'> & { readonly at: string };

/** @returns Of each request the conditions that do not hold; undefined when it took too long. */
export type ExplainRecorded = (
  ownerId: string,
  asked: RecordedToExplain,
) => Promise<readonly (readonly ConditionDifference[])[] | undefined | Refusal>;

/** The expectation, and the scope to search. */
interface ClosestQuestion {
  readonly mockId: string;
  readonly ownerId: string;
  readonly match: Match;
  readonly criteria: Criteria;
  readonly scope: Criterion;
  /** Only requests after the one with this number. */
  readonly after: number;
}

/** Those that match most, with what differs. @returns As `closestIn`. */
export async function closestTo(
  { mockId, ownerId, match, criteria, scope, after }: ClosestQuestion,
  traffic: MockTraffic,
  explain: ExplainRecorded,
): Promise<object[] | undefined> {
  const amongst = match.message === undefined ? {} : { message: 'any' as const };
  const closest = await closestIn(singleCriteria(criteria), allOf(criteria), after, (asked, range) =>
    traffic.requests(mockId, { ...amongst, ...asked, ...scope, ...range }),
  );
  if (closest === undefined) return undefined;
  const byConditions = await conditionDifferences(
    closest.map(({ record }) => record),
    criteria.get('rules')?.conditions,
    (asked) => explain(ownerId, asked),
  );
  return closest.map(({ record, differs }, index) => ({
    ...representRequest(record),
    differs,
    differences: differs.flatMap((member): readonly Difference[] =>
      member === 'rules'
        ? (byConditions[index] ?? []).map(({ at, ...more }) => ({ path: `${match.at}/rules${at}`, ...more }))
        : differencesIn(match.at, member, match[member as keyof Match], actualOf(record, member)),
    ),
  }));
}

/** Each of several conditions counts on its own: a request that fits most of them is closer. */
function singleCriteria(criteria: Criteria): { readonly member: string; readonly criterion: Criterion }[] {
  return [...criteria].flatMap(([member, criterion]) => {
    const { conditions } = criterion;
    if (conditions === undefined) return [{ member, criterion }];
    return conditions.rules.map((rule) => ({ member, criterion: { conditions: { ...conditions, rules: [rule] } } }));
  });
}

async function conditionDifferences(
  records: readonly TrafficRecord[],
  conditions: RecordedConditions | undefined,
  explain: (asked: RecordedToExplain) => ReturnType<ExplainRecorded>,
): Promise<readonly (readonly ConditionDifference[])[]> {
  if (conditions === undefined || records.length === 0) return [];
  const { rules, clock, routes } = conditions;
  const requests = records.map((record) => explainedRequest(record, routes?.get(record.version)?.get(record.routeId)));
  const found = await explain({ rules, clock, requests });
  return found === undefined || isRefusal(found) ? [] : found;
}

function actualOf(record: TrafficRecord, member: string): Actual {
  switch (member) {
    case 'trace':
      return traceOf(record) ?? '';
    case 'proxied':
      return String(record.proxied === true);
    case 'message':
      return record.message?.direction ?? '';
    case 'requestId':
      return record.message?.requestId ?? '';
    case 'bodyContains':
      return excerptOfBytes(bufferOf(record.body));
    case 'ended':
      return record.stream?.ended ?? '';
    case 'events':
      return String(record.stream?.events ?? '');
    case 'header':
      return (name) => record.headers.filter((line) => line.name === name.toLowerCase()).map(({ value }) => value);
    case 'query':
      return (name) => new URLSearchParams(record.query).getAll(name);
    default:
      return record[member as 'method' | 'path' | 'routeId' | 'responseId'];
  }
}
