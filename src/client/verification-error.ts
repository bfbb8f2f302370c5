/** A failed verification, in words: the expectation, how many requests match it, and the closest ones. */
import type { ExchangeExpectation, ExchangeVerification } from './gateway-shapes.ts';
import type { ExchangeSummary, Expectation, RequestSummary, Verification } from './shapes.ts';
import type { CallbackExpectation } from './upstream-shapes.ts';

type Verified = Verification | ExchangeVerification;

/** Members that not all verifications have. */
type AnyVerified = Pick<Verification, 'count' | 'truncated' | 'callbacks'> &
  Pick<Verified, 'unjudged' | 'closest' | 'order'>;

type Expected = Expectation | CallbackExpectation | ExchangeExpectation;

type Difference = NonNullable<Verification['closest']>[number]['differences'][number];

export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly expectation: Expected;
  readonly verification: Verified;

  /** @param hint The last line of the message; none when it is empty. @param who Got the requests. */
  constructor(expectation: Expected, verification: Verified, hint = '', who: 'the mock' | 'the gateway' = 'the mock') {
    super(messageOf(expectation, verification, who) + (hint === '' ? '' : `\n${hint}`));
    this.expectation = expectation;
    this.verification = verification;
  }
}

function messageOf(expectation: Expected, verification: AnyVerified, who: string): string {
  if (isOfCallbacks(expectation)) return callbackMessage(expectation, verification);
  const { match, inOrder, ...asked }: Exclude<Expected, CallbackExpectation> = expectation;
  const { count, truncated, unjudged = 0, closest = [] } = verification;
  const onRecord = truncated ? ', of those still on record' : '';
  return [
    ...(inOrder === undefined
      ? [`expected ${timesOf(asked)} ${JSON.stringify(match)}, but ${count} arrived${onRecord}`]
      : orderLines(inOrder, verification, onRecord)),
    ...(unjudged === 0
      ? []
      : [`${unjudged} more could not be compared: their bodies were not recorded completely, or took too much work`]),
    closest.length === 0 ? `${who} received no requests` : 'closest:',
    ...closest.flatMap((request) => [
      `  ${lineOf(request)} (${request.differs.length === 0 ? 'counts' : `differs in ${request.differs.join(', ')}`})`,
      ...request.differences.map(differenceLine),
    ]),
  ].join('\n');
}

function isOfCallbacks(expectation: Expected): expectation is CallbackExpectation {
  return expectation.match !== undefined && 'kind' in expectation.match;
}

function callbackMessage({ match, ...asked }: CallbackExpectation, verification: AnyVerified): string {
  const { count, truncated, callbacks = [] } = verification;
  return [
    `expected ${timesOf(asked)} ${JSON.stringify(match)}, but ${count} were sent${truncated ? ', of those still on record' : ''}`,
    callbacks.length === 0 ? 'the mock sent no callbacks' : 'the newest:',
    ...callbacks.map(
      ({ name, method, url, state, problem, attempts }) =>
        `  ${name === '' ? '' : `${name}: `}${method} ${url} -> ${state}${problem === null ? '' : ` (${problem})`}, attempts: ${attempts.length}`,
    ),
  ].join('\n');
}

type Steps = NonNullable<Exclude<Expected, CallbackExpectation>['inOrder']>;

function orderLines(steps: Steps, { order }: AnyVerified, onRecord: string): string[] {
  const { missing = 0, found = [] } = order ?? {};
  const last = found.at(-1);
  const place = last === undefined ? 'among the requests' : `after ${lineOf(last)}, which is step ${missing}`;
  return [
    `expected ${steps.length} requests in order; step ${missing + 1} ${JSON.stringify(steps[missing])} was not found ${place}${onRecord}`,
  ];
}

function lineOf(request: RequestSummary | ExchangeSummary): string {
  const { method, status } = request;
  if ('url' in request) return `${method} ${request.url} -> ${status}`;
  const { path, query } = request;
  return `${method} ${query === '' ? path : `${path}?${query}`} -> ${status}`;
}

function differenceLine({ path, expected, actual, unjudged }: Difference): string {
  const got = actual.length === 0 ? 'nothing' : actual.map((value) => JSON.stringify(value)).join(', ');
  const [, member = ''] = /^\/(?:match|inOrder\/\d+)\/(.*)$/s.exec(path) ?? [];
  const isCondition = member.startsWith('rules');
  const wanted = isCondition ? expected : JSON.stringify(expected);
  return `    ${member}: expected ${wanted}, ${unjudged === undefined ? `got ${got}` : `not judged: ${unjudged}`}`;
}

function timesOf({ atLeast, atMost, exactly }: Omit<Expectation, 'match' | 'inOrder'>): string {
  if (exactly !== undefined) return `exactly ${exactly} of`;
  const bounds = [atLeast === undefined ? '' : `at least ${atLeast}`, atMost === undefined ? '' : `at most ${atMost}`];
  return `${bounds.filter((bound) => bound !== '').join(' and ') || 'at least 1'} of`;
}
