/** How owners share the connections to another node. */
import { FORWARDS_WAITING_MAX, FORWARD_WAIT_MS } from '../../src/forward/connection-shares.ts';
import { afterEach, expect, test, vi } from 'vitest';
import { ConnectionShares } from '../../src/forward/connection-shares.ts';
import { PEER_CONNECTIONS_MAX } from '../../src/limits.ts';

afterEach(() => void vi.useRealTimers());

/** Takes connections for owners, and counts what becomes of it. */
class Takers {
  readonly shares: ConnectionShares;
  readonly begun: string[] = [];
  readonly refused: string[] = [];

  constructor(connectionsMax: number) {
    this.shares = new ConnectionShares(connectionsMax);
  }

  take(ownerId: string, count = 1): () => void {
    let leave = (): void => undefined;
    for (let each = 0; each < count; each++) {
      leave = this.shares.take(
        ownerId,
        () => this.begun.push(ownerId),
        () => this.refused.push(ownerId),
      );
    }
    return leave;
  }

  countOf(ownerId: string): number {
    return this.begun.filter((each) => each === ownerId).length;
  }
}

// reaches PEER_CONNECTIONS_MAX
test('an owner holds half of the connections at most, and the next ones still find some', () => {
  const takers = new Takers(PEER_CONNECTIONS_MAX);
  for (const ownerId of ['a', 'b', 'c', 'd']) takers.take(ownerId, PEER_CONNECTIONS_MAX);
  const counts = ['a', 'b', 'c', 'd'].map((ownerId) => takers.countOf(ownerId));
  expect(counts).toEqual([128, 64, 32, 16]);
});

test('owners that wait take turns, each in its own order', () => {
  const takers = new Takers(4);
  takers.take('a', 5);
  takers.take('b', 3);
  expect(takers.begun).toEqual(['a', 'a', 'b']);
  for (const ownerId of ['a', 'a', 'b']) takers.shares.release(ownerId);
  expect(takers.begun).toEqual(['a', 'a', 'b', 'a', 'b', 'a']);
});

test('who leaves while waiting is not called', () => {
  const takers = new Takers(2);
  takers.take('a');
  const leave = takers.take('a');
  leave();
  takers.shares.release('a');
  expect([takers.begun, takers.refused]).toEqual([['a'], []]);
});

// reaches FORWARDS_WAITING_MAX
test('too many that wait are refused', () => {
  const takers = new Takers(2);
  takers.take('a', FORWARDS_WAITING_MAX + 3);
  expect(takers.refused).toHaveLength(2);
  takers.take('b');
  expect(takers.countOf('b')).toBe(1);
});

// reaches FORWARD_WAIT_MS
test('who has waited too long is refused', () => {
  vi.useFakeTimers();
  const takers = new Takers(2);
  takers.take('a', 2);
  vi.advanceTimersByTime(FORWARD_WAIT_MS + 1);
  expect([takers.begun, takers.refused]).toEqual([['a'], ['a']]);
});
