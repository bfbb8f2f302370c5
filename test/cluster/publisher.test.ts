/** What could not be published is published later, once for however many saves wait for it. */
import { PUBLISH_RETRY_MS } from '../../src/cluster/publisher.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Publisher } from '../../src/cluster/publisher.ts';
import { StoreUnavailableError } from '../../src/errors.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

type Outcome = boolean | undefined | Error;

/** A publisher whose attempts have these outcomes, one after the other. */
function publisherOf(...outcomes: Outcome[]) {
  const attempts: string[] = [];
  const publisher = new Publisher(async (mockId) => {
    attempts.push(mockId);
    const outcome = outcomes.shift();
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return { publisher, attempts };
}

test('what the first attempt says is final, unless another one has to follow', async () => {
  const { publisher, attempts } = publisherOf(true, false);
  expect(await publisher.publishWithRetry('a')).toBe(true);
  expect(await publisher.publishWithRetry('b')).toBe(false);
  await vi.advanceTimersByTimeAsync(10 * PUBLISH_RETRY_MS);
  expect(attempts).toEqual(['a', 'b']);
});

test('while the store is away, or a home does not answer, it is tried again', async () => {
  const { publisher, attempts } = publisherOf(new StoreUnavailableError('away'), undefined, true);
  expect(await publisher.publishWithRetry('a')).toBe(false);
  await vi.advanceTimersByTimeAsync(10 * PUBLISH_RETRY_MS);
  expect(attempts).toEqual(['a', 'a', 'a']);
});

test('several saves of a mock wait for one attempt', async () => {
  const { publisher, attempts } = publisherOf(undefined, undefined, undefined, true, true);
  const saves = ['a', 'a', 'b'].map((mockId) => publisher.publishWithRetry(mockId));
  expect(await Promise.all(saves)).toEqual([false, false, false]);
  await vi.advanceTimersByTimeAsync(PUBLISH_RETRY_MS);
  expect(attempts.slice(3).toSorted()).toEqual(['a', 'b']);
});

test('any other error of the first attempt is thrown, and ends the later ones', async () => {
  const { publisher, attempts } = publisherOf(new Error('a bug'), undefined, new Error('a bug'));
  await expect(publisher.publishWithRetry('a')).rejects.toThrow('a bug');
  expect(await publisher.publishWithRetry('a')).toBe(false);
  await vi.advanceTimersByTimeAsync(10 * PUBLISH_RETRY_MS);
  expect(attempts).toHaveLength(3);
});
