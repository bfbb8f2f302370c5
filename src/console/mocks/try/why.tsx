/** Explains an answer: the candidates condition by condition, or the closest routes. */
import type { ComponentChildren } from 'preact';
import type { TryAnswer } from '../../../client/shapes.ts';
import type {
  CandidateVerdict,
  NearRoute,
  PassedOn as PassedRoute,
  Reasons,
  StepVerdict,
  Verdict as ConditionVerdict,
} from '../../../model/mocks/show/explanation.ts';
import { SafeCode, SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { deliveryWords, FAULT_WORDS, graphqlWords, rateLimitWords } from './behaviour-words.ts';

export function Why({ mockId, answer }: { readonly mockId: string; readonly answer: TryAnswer }): JSX.Element {
  const { route, chosen, graphqlReadAs: reading } = answer;
  const { problem, miss, sentOn, isPreflight, candidates, nearest, passedOn = [] } = explanationOf(answer);
  const upstream = sentOn !== undefined && (
    <p>
      It <SafeLine text={sentOn} />.
    </p>
  );
  const graphql = reading !== undefined && (
    <p>
      <SafeLine text={graphqlWords(reading)} />
    </p>
  );
  if (route === null) {
    return (
      <>
        {graphql}
        <PassedOn mockId={mockId} routes={passedOn} />
        {upstream}
        {isPreflight && <p>The mock answers this preflight itself, by its settings.</p>}
        <Circumstances explanation={explanationOf(answer)} />
        {!isPreflight && sentOn === undefined && passedOn.length > 0 && (
          <p>No other route matches: the mock answers 404.</p>
        )}
        {!isPreflight && passedOn.length === 0 && <Nearest mockId={mockId} routes={nearest} />}
      </>
    );
  }
  return (
    <div class="stack">
      {graphql}
      <PassedOn mockId={mockId} routes={passedOn} />
      <p>
        <a href={hrefOf(['mocks', mockId, 'routes', route.routeId])}>
          {route.method} <SafeLine text={route.path} />
        </a>
        , {route.reason}.
      </p>
      {upstream}
      {problem !== undefined && (
        <p class="error">
          It answers 500: <SafeLine text={problem} />
        </p>
      )}
      {miss !== undefined && (
        <p class="error">
          It answers 404: <SafeLine text={miss} />
        </p>
      )}
      <Circumstances explanation={explanationOf(answer)} />
      <Candidates candidates={candidates} chosen={chosen} />
    </div>
  );
}

interface CandidatesProps {
  readonly candidates: readonly CandidateVerdict[];
  readonly chosen?: TryAnswer['chosen'];
}

const Candidates = ({ candidates, chosen = null }: CandidatesProps): JSX.Element => (
  <ol class="stack why">
    {candidates.map((candidate, index) => (
      <CandidateItem
        key={candidate.responseId}
        candidate={candidate}
        number={index + 1}
        reason={chosen?.responseId === candidate.responseId ? chosen.reason : undefined}
      />
    ))}
  </ol>
);

interface CandidateProps {
  readonly candidate: CandidateVerdict;
  /** From 1. */
  readonly number: number;
  /** Why this response was selected. */
  readonly reason: string | undefined;
}

const CandidateItem = ({ candidate, number, reason }: CandidateProps): JSX.Element => (
  <li>
    <p>
      Response {number} {candidate.label !== '' && <SafeLine text={candidate.label} />}{' '}
      {reason !== undefined && <span class="badge good">sent: {reason}</span>}
      {reason === undefined && candidate.holds === true && <span class="badge">its conditions match too</span>}
      {candidate.rules.length > 1 && (
        <span class="muted"> {candidate.rulesOperator === 'AND' ? 'all must match' : 'any may match'}</span>
      )}
    </p>
    <ul>
      {(candidate.scenarios ?? []).map((step) => (
        <StateItem key={step.name} step={step} />
      ))}
      {candidate.rules.map((verdict, index) => (
        <VerdictItem key={index} verdict={verdict} />
      ))}
    </ul>
  </li>
);

interface VerdictProps {
  readonly holds: boolean;
  /** For screen readers. */
  readonly words?: readonly [holds: string, fails: string];
  readonly children: ComponentChildren;
}

export const Verdict = ({ holds, words = ['holds:', 'does not hold:'], children }: VerdictProps): JSX.Element => (
  <li class={holds ? 'holds' : 'fails'}>
    <span aria-hidden="true">{holds ? '✓' : '✗'}</span>
    <span class="visually-hidden">{words[holds ? 0 : 1]}</span> {children}
  </li>
);

/** The scenario state that a response requires; nothing where it answers in all states. */
const StateItem = ({ step: { name, state, requires, holds } }: { readonly step: StepVerdict }): JSX.Element | null =>
  requires === undefined ? null : (
    <Verdict holds={holds}>
      state <SafeCode text={requires.join(' or ')} max={120} /> of scenario <SafeLine text={name} max={60} />
      <span class="muted">
        {' '}
        — it is <SafeCode text={state} max={120} />
      </span>
    </Verdict>
  );

const GROUP_WORDS = { all: 'all of', any: 'any of', not: 'not', anyPart: 'some part of the body' } as const;

/** A condition, or a group with its conditions below. */
const VerdictItem = ({ verdict }: { readonly verdict: ConditionVerdict }): JSX.Element => (
  <Verdict holds={verdict.holds}>
    {'group' in verdict ? (
      <>
        {GROUP_WORDS[verdict.group]}
        {verdict.part !== undefined && ` (closest: part ${verdict.part})`}
        <ul>
          {verdict.rules.map((each, index) => (
            <VerdictItem key={index} verdict={each} />
          ))}
        </ul>
      </>
    ) : (
      <>
        {verdict.rule.target} <SafeCode text={verdict.rule.property} /> <SafeLine text={verdict.expected} />
        <span class="muted">
          {' '}
          — got{' '}
          {verdict.actual.length === 0 ? (
            'nothing'
          ) : (
            <SafeLine text={verdict.actual.map((each) => `"${each}"`).join(', ')} />
          )}
        </span>
      </>
    )}
  </Verdict>
);

interface PassedOnProps {
  readonly mockId: string;
  readonly routes: readonly PassedRoute[];
}

/** Matching routes without an answer, with the failed conditions of each response. */
const PassedOn = ({ mockId, routes }: PassedOnProps): JSX.Element => (
  <>
    {routes.map(({ routeId, method, path, candidates }) => (
      <div key={routeId}>
        <p>
          <a href={hrefOf(['mocks', mockId, 'routes', routeId])}>
            {method} <SafeLine text={path} />
          </a>{' '}
          matches, but has no matching response.
        </p>
        <Candidates candidates={candidates} />
      </div>
    ))}
  </>
);

function Nearest({ mockId, routes }: { readonly mockId: string; readonly routes: readonly NearRoute[] }): JSX.Element {
  if (routes.length === 0) return <p>No route matches: the mock has none.</p>;
  return (
    <div class="stack">
      <p>No route matches. Closest:</p>
      <ul class="stack why">
        {routes.map(({ routeId, method, path, problems }) => (
          <li key={routeId}>
            <a href={hrefOf(['mocks', mockId, 'routes', routeId])}>
              {method} <SafeLine text={path} />
            </a>
            <ul>
              {problems.map((problem) => (
                <li key={problem} class="fails">
                  <span aria-hidden="true">✗</span> <SafeLine text={problem} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The server's explanation of a dry run: docs/mocks-fields.md, `try`. */
const explanationOf = ({ explanation }: TryAnswer): Reasons => explanation as unknown as Reasons;

/** The other effects on a dry run: latency, faults, delivery, scenarios, rate limit. */
function Circumstances({ explanation }: { readonly explanation: Reasons }): JSX.Element | null {
  const lines = sideEffects(explanation);
  if (lines.length === 0) return null;
  return (
    <ul class="stack why" aria-label="Side effects">
      {lines.map((line, index) => (
        <li key={index}>
          <SafeLine text={line} />
        </li>
      ))}
    </ul>
  );
}

function pageWords({ allowed, credentials }: NonNullable<Reasons['cors']>): string {
  if (!allowed) return 'may not read this';
  return credentials ? 'may read this, and send cookies' : 'may read this, without cookies';
}

function sideEffects({
  latency,
  faults,
  delivery,
  scenarios,
  rateLimit,
  clientCert,
  cors,
}: Reasons): readonly string[] {
  return [
    ...(faults ?? []).map(
      ({ kind, of, chance, reason }) =>
        `Fault of the ${of}: ${kind} (${FAULT_WORDS[kind]}), ${chanceWords(chance)}: ${reason}.`,
    ),
    ...(latency !== undefined && latency !== null && latency.ms > 0
      ? [`Latency: ${latency.ms} ms${latency.isChance ? ', random for each request' : ''}.`]
      : []),
    ...(delivery === undefined ? [] : [`Delivery: ${deliveryWords(delivery)}.`]),
    ...(scenarios ?? []).map(({ name, before, after }) =>
      before === after ? `Scenario ${name} stays ${before}.` : `Scenario ${name} moves from ${before} to ${after}.`,
    ),
    ...(rateLimit === undefined || rateLimit === null ? [] : [`Rate limit: ${rateLimitWords(rateLimit)}.`]),
    ...(typeof clientCert === 'string' ? [`Refused before its route: it ${clientCert}.`] : []),
    ...(cors === undefined ? [] : [`Page at ${cors.origin}: ${pageWords(cors)}: ${cors.reason}.`]),
  ];
}

function chanceWords(chance: number): string {
  if (chance === 0) return 'does not apply';
  return chance === 1 ? 'applies' : `applies with probability ${chance}`;
}
