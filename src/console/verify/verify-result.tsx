/** The result of a verification: the number of matches, and the mismatches of the closest requests. */
import type { Expectation, MockRecord, Verification } from '../../client/shapes.ts';
import { pointerTo } from '../../model/mocks/definition/pointer.ts';
import { Verdict } from '../mocks/try/why.tsx';
import { ruleText } from '../mocks/routes/route-words.ts';
import { SafeCode, SafeLine, StatusBadge } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import { countText, exactTimeText, targetOf } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import type { Condition } from '../../model/mocks/definition/condition-schema.ts';

interface ResultProps {
  readonly record: MockRecord;
  readonly expectation: Expectation;
  readonly verification: Verification;
  /** The form was edited since. */
  readonly isOutdated: boolean;
}

export function VerifyResult({ record, expectation, verification, isOutdated }: ResultProps): JSX.Element {
  const { verified, count, truncated, unjudged = 0, closest = [] } = verification;
  return (
    <div class="stack">
      <p class={verified ? 'verify-verdict holds' : 'verify-verdict fails'}>
        <strong>{verified ? '✓ Verified' : '✗ Not verified'}</strong>: expected {expectedText(expectation)},{' '}
        {countText(count, 'match', 'matches')}.
      </p>
      {isOutdated && <p class="muted">Outdated: the form was edited.</p>}
      {truncated && (
        <p class="warning">
          Older requests are no longer recorded, and may have fitted. “Exactly” and “at most” cannot be verified then:
          reset the traffic before the test.
        </p>
      )}
      {unjudged > 0 && (
        <p class="warning">
          {countText(unjudged, 'more request', 'more requests')} may match: their bodies were truncated, or too
          expensive to read.
        </p>
      )}
      {!verified && closest.length === 0 && <p>The mock has no recorded requests.</p>}
      {closest.length > 0 && (
        <Section level={2} title="Closest requests">
          {closest.map((request) => (
            <ClosestRequest key={request.id} record={record} expectation={expectation} request={request} />
          ))}
        </Section>
      )}
    </div>
  );
}

interface ClosestProps {
  readonly record: MockRecord;
  readonly expectation: Expectation;
  readonly request: Closest;
}

function ClosestRequest({ record, expectation, request }: ClosestProps): JSX.Element {
  const verdicts = verdictsOf(expectation, request);
  return (
    <article class="panel">
      <p class="row traffic-facts">
        <StatusBadge status={request.status} />
        <a class="monospace" href={hrefOf(['mocks', record.id, 'traffic'], { request: request.id })}>
          <SafeLine text={`${request.method} ${targetOf(request)}`} />
        </a>
        <span class="muted">{exactTimeText(request.time)}</span>
        {request.differs.length === 0 && <span class="badge good">it counts</span>}
      </p>
      {verdicts.length > 0 && (
        <ul class="stack why">
          {verdicts.map((verdict) => (
            <VerdictItem key={verdict.label} verdict={verdict} />
          ))}
        </ul>
      )}
    </article>
  );
}

const VerdictItem = ({ verdict }: { readonly verdict: MemberVerdict }): JSX.Element => {
  const { label, fits, expected, actual, unjudged } = verdict;
  return (
    <Verdict holds={fits} words={['fits:', 'differs:']}>
      <SafeLine text={label} max={60} /> <SafeCode text={expected} max={120} />
      {unjudged !== undefined && (
        <span class="muted">
          {' '}
          — unknown: <SafeLine text={unjudged} />
        </span>
      )}
      {!fits && unjudged === undefined && (
        <span class="muted"> — got {actual === undefined ? 'nothing' : <SafeCode text={actual} max={120} />}</span>
      )}
    </Verdict>
  );
};

/** "exactly 2", "at least 1" */
function expectedText({ atLeast, atMost, exactly }: Expectation): string {
  if (exactly !== undefined) return `exactly ${exactly}`;
  return atMost === undefined ? `at least ${atLeast ?? 1}` : `at most ${atMost}`;
}

type Closest = NonNullable<Verification['closest']>[number];
type Difference = Closest['differences'][number];

interface MemberVerdict {
  readonly label: string;
  readonly fits: boolean;
  readonly expected: string;
  /** undefined: absent. */
  readonly actual: string | undefined;
  /** Why the match is unknown. */
  readonly unjudged?: string;
}

/** In the order of the form. The server decides what differs, and reports the actual values. */
function verdictsOf({ match = {} }: Expectation, { differs, differences }: Closest): MemberVerdict[] {
  const { method, path, header = {}, query = {}, bodyContains, trace, rules = [] } = match;
  const verdict = (label: string, expected: string, at: string): MemberVerdict => {
    const found = differences.find((each) => each.path === `/match/${at}`);
    return { label, expected, fits: found === undefined, ...gotOf(found) };
  };
  const named = (kind: 'query' | 'header', values: Readonly<Record<string, string>>): MemberVerdict[] =>
    Object.entries(values).map(([name, value]) => verdict(`${kind} ${name}`, value, `${kind}/${pointerTo(name)}`));
  return [
    ...(method === undefined ? [] : [verdict('method', method, 'method')]),
    ...(path === undefined ? [] : [verdict('path', path, 'path')]),
    ...named('query', query),
    ...named('header', header),
    ...(bodyContains === undefined ? [] : [verdict('body', bodyContains, 'bodyContains')]),
    ...(trace === undefined ? [] : [verdict('trace', trace, 'trace')]),
    ...conditionVerdicts(rules as readonly Condition[], differs.includes('rules'), differences),
  ];
}

/** One line for a fulfilled condition, and one for each failed part of another. */
function conditionVerdicts(
  rules: readonly Condition[],
  isDifferent: boolean,
  differences: readonly Difference[],
): MemberVerdict[] {
  const found = rules.map((_, index) => differences.filter(({ path }) => isAt(path, `/match/rules/${index}`)));
  // The explanation ran out of time.
  const isUnknown = isDifferent && found.every((each) => each.length === 0);
  return rules.flatMap((rule, index): MemberVerdict[] => {
    const whole = { label: 'condition', expected: ruleText(rule), fits: !isUnknown, actual: undefined };
    const differing = found[index] ?? [];
    if (differing.length === 0) return [isUnknown ? { ...whole, unjudged: 'explanation timed out' } : whole];
    return differing.map((each) => ({ label: 'condition', expected: each.expected, fits: false, ...gotOf(each) }));
  });
}

const isAt = (path: string, pointer: string): boolean => path === pointer || path.startsWith(`${pointer}/`);

function gotOf(difference: Difference | undefined): Pick<MemberVerdict, 'actual' | 'unjudged'> {
  const { actual = [], unjudged } = difference ?? {};
  return {
    actual: actual.length === 0 ? undefined : actual.join(', '),
    ...(unjudged === undefined ? {} : { unjudged }),
  };
}
