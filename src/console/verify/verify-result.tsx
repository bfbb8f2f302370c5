/** The result of a verification: how many requests fit, and of the closest ones what does not. */
import type { Expectation, MockRecord, Verification } from '../../client/shapes.ts';
import { SafeCode, SafeLine } from '../parts/safe-text.tsx';
import { countText, exactTimeText, statusClass, targetOf } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';

interface ResultProps {
  readonly record: MockRecord;
  readonly expectation: Expectation;
  readonly verification: Verification;
  /** The form has been changed since. */
  readonly isOutdated: boolean;
}

export function VerifyResult({ record, expectation, verification, isOutdated }: ResultProps): JSX.Element {
  const { verified, count, truncated, closest = [] } = verification;
  return (
    <div class="stack">
      <p class={verified ? 'verify-verdict holds' : 'verify-verdict fails'}>
        <strong>{verified ? '✓ Verified' : '✗ Not verified'}</strong>: expected {expectedText(expectation)},{' '}
        {countText(count, 'request fits', 'requests fit')}.
      </p>
      {isOutdated && <p class="muted">The form has been changed since.</p>}
      {truncated && (
        <p class="warning">
          Older requests are no longer recorded, and may have fitted. “Exactly” and “at most” cannot be verified then:
          reset the traffic before the test.
        </p>
      )}
      {!verified && closest.length === 0 && <p>The mock has no request on record.</p>}
      {closest.length > 0 && (
        <section class="stack" aria-labelledby="verify-closest">
          <h2 id="verify-closest">The closest requests</h2>
          {closest.map((request) => (
            <ClosestRequest key={request.id} record={record} expectation={expectation} request={request} />
          ))}
        </section>
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
        <span class={statusClass(request.status)}>{request.status}</span>
        <a class="monospace" href={hrefOf(['mocks', record.id, 'traffic'], { request: request.id })}>
          <SafeLine text={`${request.method} ${targetOf(request)}`} />
        </a>
        <span class="muted">{exactTimeText(request.time)}</span>
        {request.differs.length === 0 && <span class="badge good">it counts</span>}
      </p>
      {verdicts.length > 0 && (
        <ul class="why">
          {verdicts.map((verdict) => (
            <Verdict key={verdict.label} verdict={verdict} />
          ))}
        </ul>
      )}
    </article>
  );
}

const Verdict = ({ verdict }: { readonly verdict: MemberVerdict }): JSX.Element => {
  const { label, fits, expected, actual } = verdict;
  return (
    <li class={fits ? 'holds' : 'fails'}>
      <span aria-hidden="true">{fits ? '✓' : '✗'}</span>
      <span class="visually-hidden">{fits ? 'fits:' : 'differs:'}</span> <SafeLine text={label} max={60} />{' '}
      <SafeCode text={expected} max={120} />
      {!fits && (
        <span class="muted"> — got {actual === undefined ? 'nothing' : <SafeCode text={actual} max={120} />}</span>
      )}
    </li>
  );
};

/** "exactly 2", "at least 1" */
function expectedText({ atLeast, atMost, exactly }: Expectation): string {
  if (exactly !== undefined) return `exactly ${exactly}`;
  return atMost === undefined ? `at least ${atLeast ?? 1}` : `at most ${atMost}`;
}

type Closest = NonNullable<Verification['closest']>[number];

interface MemberVerdict {
  readonly label: string;
  readonly fits: boolean;
  readonly expected: string;
  /** undefined: it has none. */
  readonly actual: string | undefined;
}

/** In the order of the form. What differs is the server's verdict; parameters and headers are compared here one by one. */
function verdictsOf({ match }: Expectation, request: Closest): MemberVerdict[] {
  const differs = new Set(request.differs);
  const query = new URLSearchParams(request.query);
  const { method, path, header = {}, query: parameters = {}, bodyContains } = match;
  return [
    ...(method === undefined
      ? []
      : [{ label: 'method', fits: !differs.has('method'), expected: method, actual: request.method }]),
    ...(path === undefined
      ? []
      : [{ label: 'path', fits: !differs.has('path'), expected: path, actual: request.path }]),
    ...Object.entries(parameters).map(([name, expected]) => {
      const values = query.getAll(name);
      return oneOf(`query ${name}`, differs.has('query'), expected, values);
    }),
    ...Object.entries(header).map(([name, expected]) => {
      const values = request.headers.filter((line) => line.name === name.toLowerCase()).map(({ value }) => value);
      return oneOf(`header ${name}`, differs.has('header'), expected, values);
    }),
    ...(bodyContains === undefined
      ? []
      : [{ label: 'body', fits: !differs.has('bodyContains'), expected: bodyContains, actual: bodyText(request) }]),
  ];
}

function oneOf(label: string, differs: boolean, expected: string, values: readonly string[]): MemberVerdict {
  const fits = !differs || values.includes(expected);
  return { label, fits, expected, actual: fits ? expected : values.length === 0 ? undefined : values.join(', ') };
}

const bodyText = ({ body, bodyEncoding }: Closest): string | undefined => {
  if (body === '') return undefined;
  return bodyEncoding === undefined ? body : 'bytes that are not text';
};
