/** The requests that came closest to a `match`, with what each has instead of what was expected. */
import { excerpt, excerptOfBytes } from '../../../../base/excerpt.ts';
import { bufferOf } from '../../../../base/bytes.ts';
import { isRefusal, type Refusal } from '../../../../errors.ts';
import { EXPLAINED_VALUES_MAX } from '../../../../limits.ts';
import type { Condition } from '../../../../model/mocks/definition/definition.ts';
import { pointerTo } from '../../../../model/mocks/definition/pointer.ts';
import type { RecordedConditions, RoutePath } from '../../../../model/mocks/recorded-conditions.ts';
import type { TrafficRecord } from '../../../../model/mocks/traffic.ts';
import type { Difference } from '../../../../model/mocks/verification.ts';
import { allOf, type Criteria, type Criterion } from './criteria.ts';
import type { Match } from './expectation.ts';
import { representRequest, traceOf } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import type { Numbered } from './traffic-cursor.ts';

/** Requests that are chosen from, and how many are returned. */
export const CLOSEST_SEEN = 50;
const CLOSEST_MAX = 3;

/** The task of the sandbox. */
interface RecordedToExplain {
  readonly rules: readonly Condition[];
  readonly clock: string | undefined;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly query: string;
    /** Names and values, alternating. */
    readonly headers: readonly string[];
    readonly body: Uint8Array;
    readonly bodyTruncated: boolean;
    readonly time: number;
    readonly route: RoutePath | undefined;
  }[];
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
}

/**
 * The last requests that match all of `match`, then those that match most of it; the newest first among equals.
 *
 * Sends one query per criterion: the data plane decides the matches, which are joined by number. The queries run one after the
 * other, because the number of waiting questions per mock is bounded.
 *
 * @returns undefined when the data plane does not answer every query: what differs would be wrong.
 */
export async function closestTo(
  { mockId, ownerId, match, criteria, scope }: ClosestQuestion,
  traffic: MockTraffic,
  explain: ExplainRecorded,
): Promise<object[] | undefined> {
  const amongst = match.message === undefined ? {} : { message: 'any' as const };
  const closest = await closestIn(singleCriteria(criteria), allOf(criteria), (asked) =>
    traffic.requests(mockId, { ...amongst, ...asked, ...scope, limit: CLOSEST_SEEN }),
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
        : memberDifferences(match, member, record),
    ),
  }));
}

/** A record, and the members of `match` that it does not fit. */
interface Close<Record> {
  readonly record: Record;
  readonly differs: readonly string[];
}

/**
 * @param single Each criterion alone, with the member that it is of. @param all All of them.
 * @param ask Asks for the newest that fit, at most CLOSEST_SEEN.
 * @returns As `closestTo`.
 */
export async function closestIn<Asked extends object, Record extends Numbered>(
  single: readonly { readonly member: string; readonly criterion: Asked }[],
  all: Asked,
  ask: (
    asked: Partial<Asked> & { readonly afterNumber?: number },
  ) => Promise<{ readonly records: readonly Record[] } | undefined>,
): Promise<readonly Close<Record>[] | undefined> {
  const [last, fitting] = [(await ask({}))?.records, (await ask(all))?.records];
  if (last === undefined || fitting === undefined) return undefined;
  const oldest = last.at(-1)?.number ?? 0;
  const fits: { readonly member: string; readonly numbers: ReadonlySet<number> }[] = [];
  for (const { member, criterion } of single) {
    const found = await ask({ ...criterion, afterNumber: oldest - 1 });
    if (found === undefined) return undefined;
    fits.push({ member, numbers: new Set(found.records.map(({ number }) => number)) });
  }
  const seen = new Map([...fitting, ...last].map((record) => [record.number, record]));
  return [...seen.values()]
    .map((record) => ({
      record,
      differs: record.number < oldest ? [] : fits.filter(({ numbers }) => !numbers.has(record.number)),
    }))
    .toSorted((one, other) => one.differs.length - other.differs.length || other.record.number - one.record.number)
    .slice(0, CLOSEST_MAX)
    .map(({ record, differs }) => ({ record, differs: [...new Set(differs.map(({ member }) => member))] }));
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
  const requests = records.map((record) => {
    const { method, path, query, headers, body, bodyTruncated, time, version, routeId } = record;
    return {
      method,
      path,
      query,
      headers: headers.flatMap(({ name, value }) => [name, value]),
      body,
      bodyTruncated,
      time,
      route: routes?.get(version)?.get(routeId),
    };
  });
  const found = await explain({ rules, clock, requests });
  return found === undefined || isRefusal(found) ? [] : found;
}

function memberDifferences(match: Match, member: string, record: TrafficRecord): Difference[] {
  const { at } = match;
  const whole = (expected: string | undefined, actual: string): Difference[] =>
    wholeDifference(`${at}/${member}`, expected, actual);
  switch (member) {
    case 'method':
    case 'path':
    case 'routeId':
    case 'responseId':
      return whole(match[member], record[member]);
    case 'trace':
      return whole(match.trace, traceOf(record) ?? '');
    case 'proxied':
      return whole(String(match.proxied), String(record.proxied === true));
    case 'message':
      return whole(match.message, record.message?.direction ?? '');
    case 'requestId':
      return whole(match.requestId, record.message?.requestId ?? '');
    case 'bodyContains':
      return whole(match.bodyContains, excerptOfBytes(bufferOf(record.body)));
    case 'header':
      return namedDifferences(match.header ?? {}, `${at}/header`, (name) =>
        record.headers.filter((line) => line.name === name.toLowerCase()).map(({ value }) => value),
      );
    default:
      return namedDifferences(match.query ?? {}, `${at}/query`, (name) =>
        new URLSearchParams(record.query).getAll(name),
      );
  }
}

/** @param actual "" for what it does not have. */
export function wholeDifference(path: string, expected: string | undefined, actual: string): Difference[] {
  return [{ path, expected: excerpt(expected ?? ''), actual: actual === '' ? [] : [excerpt(actual)] }];
}

/** The headers or parameters whose value differs. */
export function namedDifferences(
  expected: Readonly<Record<string, string>>,
  at: string,
  valuesOf: (name: string) => readonly string[],
): Difference[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const actual = valuesOf(name);
    if (actual.includes(value)) return [];
    const shown = actual.slice(0, EXPLAINED_VALUES_MAX).map(excerpt);
    return [{ path: `${at}/${pointerTo(name)}`, expected: excerpt(value), actual: shown }];
  });
}
