/** A failed verification, in words: the expectation, how many requests match it, and the closest ones. */
import type { Expectation, Verification } from './shapes.ts';

export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly expectation: Expectation;
  readonly verification: Verification;

  /** @param hint The last line of the message; none when it is empty. */
  constructor(expectation: Expectation, verification: Verification, hint = '') {
    super(messageOf(expectation, verification) + (hint === '' ? '' : `\n${hint}`));
    this.expectation = expectation;
    this.verification = verification;
  }
}

function messageOf({ match, ...asked }: Expectation, { count, truncated, closest = [] }: Verification): string {
  const requests = closest.map(({ method, path, query, status, differs }) => {
    const target = query === '' ? path : `${path}?${query}`;
    return `  ${method} ${target} -> ${status} (${differs.length === 0 ? 'counts' : `differs in ${differs.join(', ')}`})`;
  });
  return [
    `expected ${timesOf(asked)} ${JSON.stringify(match)}, but ${count} came${truncated ? ', of those still on record' : ''}`,
    requests.length === 0 ? 'the mock got no request' : 'closest:',
    ...requests,
  ].join('\n');
}

function timesOf({ atLeast, atMost, exactly }: Omit<Expectation, 'match'>): string {
  if (exactly !== undefined) return `exactly ${exactly} of`;
  const bounds = [atLeast === undefined ? '' : `at least ${atLeast}`, atMost === undefined ? '' : `at most ${atMost}`];
  return `${bounds.filter((bound) => bound !== '').join(' and ') || 'at least 1'} of`;
}
