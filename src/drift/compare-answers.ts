/**
 * Compares the answer of a mock with those of the service to the same request. Each is asked more than once: what differs between
 * its own answers is volatile, and only its type counts.
 */
import { excerptOfBytes } from '../base/excerpt.ts';
import { bodyOf, isCoded, mediaTypeText, type Answer, type Body } from './answer.ts';
import { compareShapes, compareValues, findVolatile } from './compare-json.ts';
import { ROOT, withoutPlaces } from './json-places.ts';
import { isBreaking, type Change, type SkipReason } from './report.ts';

export interface Comparison {
  readonly compare: 'shape' | 'values';
  /** JSONPaths of what is left out. */
  readonly ignore: readonly string[];
  readonly changesMax: number;
}

export interface ComparisonResult {
  /** At most `changesMax`. */
  readonly changes: readonly Change[];
  readonly changeCount: number;
  readonly breakingCount: number;
  readonly volatile: readonly string[];
  /** Why the bodies were not compared. */
  readonly skipped?: SkipReason;
}

/** Places of one result that are listed as volatile. */
const VOLATILE_MAX = 50;

/**
 * @param mocks     What the mock answers, once or twice: what differs is not compared by value.
 * @param upstreams What the service has answered, at least once.
 */
export function compareAnswers(
  mocks: readonly [Answer, ...Answer[]],
  upstreams: readonly [Answer, ...Answer[]],
  { compare, ignore, changesMax }: Comparison,
): ComparisonResult {
  const changes: Change[] = [];
  let changeCount = 0;
  let breakingCount = 0;
  const report = (change: Change): void => {
    changeCount++;
    if (isBreaking(change)) breakingCount++;
    if (changes.length < changesMax) changes.push(change);
  };
  const volatile = new Set<string>();
  const [mock] = mocks;
  if (upstreams.some(({ status }) => status !== upstreams[0].status)) volatile.add('status');
  // A service that answers now so, now so answers as the mock where it does so once.
  const alike = upstreams.filter(({ status }) => status === mock.status);
  const [first, ...others] = alike.length === 0 ? upstreams : (alike as [Answer, ...Answer[]]);
  const done = (skipped?: SkipReason): ComparisonResult => ({
    changes,
    changeCount,
    breakingCount,
    volatile: [...volatile].toSorted().slice(0, VOLATILE_MAX),
    ...(skipped === undefined ? {} : { skipped }),
  });
  if (first.status !== mock.status) {
    report({ at: 'status', kind: 'status', mock: String(mock.status), upstream: String(first.status) });
    // Another status is another answer: what else differs follows from it.
    return done();
  }
  const types = [mediaTypeText(mock), mediaTypeText(first)] as const;
  const isOtherType = types[0] !== '' && types[0] !== types[1] && (types[1] !== '' || first.body.length > 0);
  if (isOtherType) {
    report({ at: 'content-type', kind: 'mediaType', mock: types[0], upstream: types[1] === '' ? 'none' : types[1] });
  }
  const answers = [first, ...others];
  const omitted = isCoded(mock) ? 'undecodable' : answers.find((each) => each.bodyOmitted !== undefined)?.bodyOmitted;
  if (omitted !== undefined) return done(omitted);
  const [own, ...twins] = mocks.map(bodyOf) as [Body, ...Body[]];
  const ups = answers.map(bodyOf);
  const [up] = ups as [Body];
  if (sizeOf(own) === 0 || sizeOf(up) === 0) {
    if (sizeOf(up) > 0) report({ at: ROOT, kind: 'added', mock: '', upstream: 'a body' });
    if (sizeOf(own) > 0) report({ at: ROOT, kind: 'missing', mock: 'a body', upstream: '' });
    return done();
  }
  if (own.kind === 'json' && ups.every(({ kind }) => kind === 'json')) {
    const [ownValue, ...twinValues] = [own, ...twins].map((each) => leftOf(each, ignore));
    const values = ups.map((each) => leftOf(each, ignore));
    if (ownValue === undefined || values.includes(undefined)) return done();
    for (const other of values.slice(1)) findVolatile(values[0], other, volatile);
    compareShapes([ownValue], values, report);
    if (compare === 'shape') return done();
    const changing = new Set(volatile);
    for (const twin of twinValues) findVolatile(ownValue, twin, changing);
    compareValues(ownValue, values[0], (place) => changing.has(place), report);
    return done();
  }
  if (own.kind === 'json' && up.kind === 'brokenJson' && !isOtherType) {
    report({ at: ROOT, kind: 'type', mock: 'JSON', upstream: 'not JSON' });
    return done();
  }
  if (own.kind === 'json' || up.kind === 'json') return done();
  if (ups.some((each) => !isEqual(up, each))) volatile.add(ROOT);
  else if (compare === 'values' && !isEqual(own, up) && twins.every((twin) => isEqual(own, twin)))
    report({ at: ROOT, kind: 'value', mock: textOf(own), upstream: textOf(up) });
  return done();
}

function leftOf(body: Body | undefined, ignore: readonly string[]): unknown {
  return body?.kind === 'json' ? withoutPlaces(body.value, ignore) : undefined;
}

function sizeOf(body: Body): number {
  return body.kind === 'json' ? 1 : body.bytes.length;
}

function isEqual(one: Body | undefined, other: Body | undefined): boolean {
  if (one === undefined || other === undefined || one.kind === 'json' || other.kind === 'json') return false;
  return one.bytes.equals(other.bytes);
}

function textOf(body: Body): string {
  return body.kind === 'json' ? '' : excerptOfBytes(body.bytes);
}
