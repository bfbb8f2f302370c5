/** Bounds of the replies that hold connections. What clients see: process/connections.test.ts and contract/ended-replies.test.ts. */
import { OwnerTurns } from '../../src/base/owner-turns.ts';
import { HELD_MS } from '../../src/serving/thread/reply/held-replies.ts';
import { HANGING_MAX } from '../../src/serving/thread/reply/held-replies.ts';
import { describe, expect, test } from 'vitest';
import { KEEP_ALIVE_SECONDS, MOCK_SOCKETS_MAX } from '../../src/limits.ts';
import type { MockAnswer } from '../../src/serving/matching/request/mock-request.ts';
import type { Exchange } from '../../src/serving/thread/reply/exchange.ts';
import { HeldReplies } from '../../src/serving/thread/reply/held-replies.ts';

const TURNS = new OwnerTurns(() => undefined);
const REFUSED = { status: 0, latencyMs: 60_000, plan: { kind: 'close' } } as MockAnswer;
const HANGS = { latencyMs: 0, plan: { kind: 'hang', ms: undefined, refused: REFUSED } } as MockAnswer;
const DRIBBLES = {
  latencyMs: 0,
  plan: { kind: 'paced', delivery: { firstByteMs: 1 }, refused: REFUSED },
} as MockAnswer;
const late = (latencyMs: number): MockAnswer => ({ latencyMs, plan: undefined }) as MockAnswer;
const LATE = late(60_000);

/** What is admitted holds its place until it is finished. */
function admits(held: HeldReplies, answer: MockAnswer, ownerId: string): (() => void) | undefined {
  const releases: (() => void)[] = [];
  const exchange = { whenFinished: (release: () => void) => releases.push(release) } as unknown as Exchange;
  const admitted = held.admit(exchange, answer, {
    ownerId,
    mockId: 'm',
    sessionId: '',
    cors: false,
    overlaysCors: false,
    account: undefined,
  });
  if (admitted === answer) return () => releases.forEach((release) => release());
  expect(releases).toEqual([]);
  // What is refused does not wait either.
  expect(admitted).toEqual(answer.plan === undefined ? undefined : { ...REFUSED, latencyMs: 0 });
  return undefined;
}

describe('of a thread', () => {
  // reaches OWNER_CONNECTIONS_PART
  test('one owner holds half of the connections, and what ends makes room', () => {
    const held = new HeldReplies(10, TURNS);
    const kinds = [HANGS, DRIBBLES, LATE, HANGS, LATE];
    const ends = kinds.map((each) => admits(held, each, 'acme'));
    expect(ends.every((each) => each !== undefined)).toBe(true);
    for (const each of [HANGS, DRIBBLES, LATE]) expect(admits(held, each, 'acme')).toBeUndefined();
    expect(held.admitLong({ whenFinished: () => undefined } as unknown as Exchange, 'acme')).toBe(false);
    ends[2]?.();
    expect(admits(held, HANGS, 'acme')).toBeDefined();
    expect(admits(held, LATE, 'acme')).toBeUndefined();
  });

  test('two owners that hold all they may leave connections to a third, and replies that hang', () => {
    for (const [max, kind] of [
      [1_000, LATE],
      [1_000_000, HANGS],
    ] as const) {
      const held = new HeldReplies(max, TURNS);
      for (const ownerId of ['evil', 'other'])
        for (let count = 0; count < HANGING_MAX; count++) admits(held, kind, ownerId);
      expect(admits(held, kind, 'acme')).toBeDefined();
    }
  });

  // reaches HELD_MS
  test('a late reply is long when it comes later than an idle connection is closed', () => {
    expect(HELD_MS).toBe(KEEP_ALIVE_SECONDS * 1_000);
    const held = new HeldReplies(10, TURNS);
    for (let count = 0; count < 100; count++) expect(admits(held, late(HELD_MS), 'acme')).toBeDefined();
    for (let count = 0; count < 5; count++) expect(admits(held, late(HELD_MS + 1), 'acme')).toBeDefined();
    expect(admits(held, late(HELD_MS + 1), 'acme')).toBeUndefined();
  });

  // reaches MOCK_SOCKETS_MAX
  test('a mock has 5,000 WebSockets, an owner half of the connections, and what closes makes room', () => {
    const held = new HeldReplies(20_000, TURNS);
    const releases: (() => void)[] = [];
    const admitsSocket = (mockId: string): boolean => {
      const own: (() => void)[] = [];
      const exchange = { whenFinished: (release: () => void) => own.push(release) } as unknown as Exchange;
      releases.push(() => own.forEach((release) => release()));
      return held.admitSocket(exchange, {
        ownerId: 'acme',
        mockId,
        sessionId: '',
        cors: false,
        overlaysCors: false,
        account: undefined,
      });
    };
    for (let count = 0; count < MOCK_SOCKETS_MAX; count++) expect(admitsSocket('m')).toBe(true);
    expect(admitsSocket('m')).toBe(false);
    for (let count = 0; count < 10_000 - MOCK_SOCKETS_MAX; count++) expect(admitsSocket('n')).toBe(true);
    expect(admitsSocket('o')).toBe(false);
    releases[0]?.();
    expect(admitsSocket('m')).toBe(true);
    expect(admitsSocket('o')).toBe(false);
  });

  // reaches HANGING_MAX
  test('10,000 replies hang, of all owners together', () => {
    const held = new HeldReplies(1_000_000, TURNS);
    for (let count = 0; count < 2 * HANGING_MAX; count++) admits(held, HANGS, `owner ${count % 16}`);
    expect(admits(held, HANGS, 'owner 0')).toBeUndefined();
    expect(admits(held, DRIBBLES, 'owner 0')).toBeDefined();
  });
});
