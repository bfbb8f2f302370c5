/** The book of live sessions: limits, expiry and auto-making, against a data plane that only remembers what it was told. */
import { SESSION_SWEEP_MS } from '../../src/sessions/book.ts';
import { SESSION_USE_STEP_MS } from '../../src/sessions/live-sessions.ts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import {
  EXPIRED_SESSION_MS,
  SESSION_BYTES_PER_OWNER,
  SESSION_IDLE_MS,
  SESSIONS_BYTES_MAX,
  SESSIONS_PER_MOCK_MAX,
  SESSIONS_PER_OWNER_MAX,
} from '../../src/limits.ts';
import type { MockRoute, MockSettings } from '../../src/model/mocks/definition/definition.ts';
import type { Mock } from '../../src/model/mocks/mock.ts';
import { EMPTY_OVERLAY, type OverlaySettings, type SessionUse } from '../../src/model/mocks/sessions/session.ts';
import { EMPTY_SESSION } from '../../src/model/mocks/sessions/session-payload.ts';
import type { LiveSession } from '../../src/sessions/live-sessions.ts';
import { SessionBook, type SessionPlane } from '../../src/sessions/session-book.ts';
import { define, route } from '../support/mocks.ts';

const told: string[] = [];
let epoch: string;
let isAway: boolean;
let used: SessionUse[];

const plane: SessionPlane = {
  get epoch() {
    return epoch;
  },
  putSession: async (mockId, { id }, { isNew }) => told.push(`${isNew ? 'make' : 'change'} ${mockId}/${id}`) > 0,
  refuseSession: (mockId, id) => void told.push(`refuse ${mockId}/${id}`),
  endSession: async (mockId, id, { expired } = {}) => void told.push(`${expired ? 'expire' : 'end'} ${mockId}/${id}`),
  resetSession: async () => true,
  sessionUses: async () => (isAway ? undefined : { epoch, sessions: used }),
};

function mockOf(id: string, settings: Partial<MockSettings> = {}, routes: MockRoute[] = [route('GET /')]): Mock {
  const definition = define(routes, settings);
  return {
    id,
    saved: {
      settings: definition.settings,
      routes: definition.routes.map((each, index) => ({ revision: index + 1, bytes: 1, route: each })),
    },
  } as unknown as Mock;
}

let book: SessionBook;
const mocks = new Map<string, Mock>();

beforeEach(() => {
  vi.useFakeTimers();
  told.length = 0;
  epoch = 'one';
  isAway = false;
  used = [];
  mocks.clear();
  book = newBook();
});
function newBook(bytesMax = SESSIONS_BYTES_MAX): SessionBook {
  const made = new SessionBook({
    bytesMax,
    clock: () => Date.now(),
    async mockOf(mockId) {
      const mock = mocks.get(mockId);
      return mock && { mock, ownerId: 'acme' };
    },
  });
  made.attach(plane);
  return made;
}
afterEach(() => {
  book.stop();
  vi.useRealTimers();
});

function make(mock: Mock, given: Partial<typeof EMPTY_SESSION> = {}, ownerId = 'acme'): LiveSession | Refusal {
  const made = book.create(mock, ownerId, { ...EMPTY_SESSION, ...given });
  return isRefusal(made) ? made : made.live;
}

const refusalOf = (outcome: unknown): string | undefined => (isRefusal(outcome) ? outcome.message : undefined);

// reaches SESSIONS_PER_MOCK_MAX, SESSIONS_PER_OWNER_MAX
test('a mock has 1,000 sessions, an owner 5,000, and one that ends makes room', () => {
  const [first] = Array.from({ length: SESSIONS_PER_MOCK_MAX }, () => make(mockOf('a')));
  expect(refusalOf(make(mockOf('a')))).toBe('Limit reached: 1000 sessions per mock');
  for (const id of ['b', 'c', 'd', 'e']) {
    for (let count = 0; count < SESSIONS_PER_MOCK_MAX; count++) make(mockOf(id));
  }
  expect(book.count).toBe(SESSIONS_PER_OWNER_MAX);
  expect(refusalOf(make(mockOf('f')))).toBe('Limit reached: 5000 sessions per owner');
  expect(refusalOf(make(mockOf('g'), {}, 'globex'))).toBeUndefined();
  void book.end(first as LiveSession);
  expect(refusalOf(make(mockOf('f')))).toBeUndefined();
});

// reaches SESSION_BYTES_PER_OWNER
test('the overlays and counters of an owner have 64 MiB, and a larger overlay that is refused changes nothing', () => {
  const mock = mockOf('a');
  const overlayBytes = 1_000_000;
  const made: (LiveSession | Refusal)[] = [];
  for (let count = 0; count <= SESSION_BYTES_PER_OWNER / overlayBytes; count++) made.push(make(mock, { overlayBytes }));
  expect(made.filter(isRefusal).map(refusalOf)).toEqual([
    `Limit reached: ${SESSION_BYTES_PER_OWNER} bytes of sessions per owner`,
  ]);
  const live = made[0] as LiveSession;
  const before = live.session;
  const larger = { overlay: { ...EMPTY_SESSION.overlay, disabled: [] }, overlayBytes: 2_000_000 };
  expect(refusalOf(book.putOverlay(live, mock, larger))).toContain('bytes of sessions per owner');
  expect(live.session).toBe(before);
  void book.end(made[1] as LiveSession);
  expect(refusalOf(book.putOverlay(live, mock, larger))).toBeUndefined();
});

// reaches SESSIONS_BYTES_MAX
test('the sessions of all owners have a bound, of which one has at most half where it is small', () => {
  const fill = (ownerId: string): string | undefined => {
    for (;;) {
      const made = make(mockOf(ownerId), { overlayBytes: 1_000_000 }, ownerId);
      if (isRefusal(made)) return refusalOf(made);
    }
  };
  const perOwner = `Limit reached: ${SESSION_BYTES_PER_OWNER} bytes of sessions per owner`;
  const inAll = `Limit reached: ${SESSIONS_BYTES_MAX} bytes of sessions`;
  expect(['a', 'b', 'c', 'd', 'e'].map(fill)).toEqual([perOwner, perOwner, perOwner, inAll, inAll]);
  // Who has none finds space.
  expect(isRefusal(make(mockOf('f'), { overlayBytes: 1_000_000 }, 'f'))).toBe(false);
  book = newBook(8_000_000);
  expect(['a', 'b', 'c'].map(fill)).toEqual([
    'Limit reached: 4000000 bytes of sessions per owner',
    'Limit reached: 8000000 bytes of sessions',
    'Limit reached: 8000000 bytes of sessions',
  ]);
});

test('what an overlay adds beside its text counts: routes that are counted apart, and slots of a rate limit', () => {
  const mock = mockOf('a', {}, [route('GET /a'), route('GET /b')]);
  const bytesWith = (settings: OverlaySettings): number => {
    const live = make(mock, { overlay: { ...EMPTY_OVERLAY, settings } }) as LiveSession;
    return live.bytes;
  };
  const plain = bytesWith({});
  expect(bytesWith({ latency: 5 })).toBe(plain);
  expect(bytesWith({ faults: [{ kind: 'empty' }] })).toBeGreaterThan(plain + 1_000);
  expect(bytesWith({ rateLimit: { requests: 1, perMs: 1_000, by: 'header:x-a' } })).toBeGreaterThan(plain + 16_000);
});

test('a taken id is refused, and free again once the session has ended', () => {
  const live = make(mockOf('a'), { id: 'mine' }) as LiveSession;
  expect(refusalOf(make(mockOf('a'), { id: 'mine' }))).toBe('Session id taken');
  expect(refusalOf(make(mockOf('b'), { id: 'mine' }))).toBeUndefined();
  void book.end(live);
  expect(refusalOf(make(mockOf('a'), { id: 'mine' }))).toBeUndefined();
});

// reaches EXPIRED_SESSION_MS
test('it ends when neither a request nor a call of the API has used it for so long; for an hour that is told', async () => {
  const idle = make(mockOf('a'), { id: 'idle', idleMs: 5_000 }) as LiveSession;
  make(mockOf('a'), { id: 'asked', idleMs: 5_000 });
  make(mockOf('a'), { id: 'called', idleMs: 5_000 });
  await vi.advanceTimersByTimeAsync(4_000);
  used = [{ mockId: 'a', sessionId: 'asked', lastUsedAt: Date.now(), total: 1, unmatched: 0 }];
  expect(isRefusal(book.find('a', 'called'))).toBe(false);
  await vi.advanceTimersByTimeAsync(1_000 + SESSION_USE_STEP_MS + SESSION_SWEEP_MS);
  expect(told.filter((each) => each.startsWith('expire'))).toEqual(['expire a/idle']);
  expect(book.isLive(idle)).toBe(false);
  expect(book.find('a', 'idle')).toMatchObject({ kind: 'sessionNotFound', hasExpired: true });
  expect(book.find('a', 'other')).toMatchObject({ kind: 'sessionNotFound', hasExpired: false });
  await vi.advanceTimersByTimeAsync(EXPIRED_SESSION_MS);
  expect(book.count).toBe(0);
  expect(book.find('a', 'idle')).toMatchObject({ hasExpired: false });
});

test('while the data plane is away nothing expires, and after its restart it counts from then', async () => {
  make(mockOf('a'), { id: 'kept', idleMs: 5_000 });
  isAway = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(book.count).toBe(1);
  isAway = false;
  epoch = 'two';
  await vi.advanceTimersByTimeAsync(5_000);
  expect(book.count).toBe(1);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(told.at(-1)).toBe('expire a/kept');
});

// reaches SESSION_IDLE_MS
test('what a request names is made where the mock says so, and refused where it does not, or is not there', async () => {
  mocks.set('auto', mockOf('auto', { sessions: 'auto', seed: 7 }));
  mocks.set('strict', mockOf('strict'));
  for (const [mock, id] of [
    ['auto', 'mine'],
    ['auto', 'NO'],
    ['strict', 'mine'],
    ['gone', 'mine'],
  ] as const) {
    book.wanted(mock, id);
  }
  await vi.advanceTimersByTimeAsync(0);
  expect(told.toSorted()).toEqual(['make auto/mine', 'refuse auto/NO', 'refuse gone/mine', 'refuse strict/mine']);
  const { session } = book.find('auto', 'mine') as LiveSession;
  expect(session).toMatchObject({ id: 'mine', idleMs: SESSION_IDLE_MS, overlay: { routes: [] } });
  // Wanted again: the data plane has lost it, or did not know yet.
  book.wanted('auto', 'mine');
  await vi.advanceTimersByTimeAsync(0);
  expect(told.at(-1)).toBe('change auto/mine');
  for (let count = 1; count < SESSIONS_PER_MOCK_MAX; count++) make(mocks.get('auto') as Mock);
  book.wanted('auto', 'one-more');
  await vi.advanceTimersByTimeAsync(0);
  expect(told.at(-1)).toBe('refuse auto/one-more');
});

test('with the mock its sessions end, and their room is free', () => {
  make(mockOf('a'), { overlayBytes: SESSION_BYTES_PER_OWNER - 2_000 });
  expect(refusalOf(make(mockOf('b'), { overlayBytes: 2_000 }))).toContain('bytes of sessions');
  book.endAllBut({ ownerId: 'o', createdVersion: 7 }, 'a');
  expect([...book.all()]).toEqual([]);
  expect(refusalOf(make(mockOf('b'), { overlayBytes: 2_000 }))).toBeUndefined();
});

test("of a mock with a seed, a session's seed follows from its id; a given one comes first", () => {
  const seedOf = (mock: Mock, given: Partial<typeof EMPTY_SESSION>): number => {
    const live = make(mock, given) as LiveSession;
    void book.end(live);
    return live.session.seed;
  };
  const seeded = mockOf('a', { seed: 7 });
  expect(seedOf(seeded, { id: 'x' })).toBe(seedOf(seeded, { id: 'x' }));
  expect(seedOf(seeded, { id: 'x' })).not.toBe(seedOf(seeded, { id: 'y' }));
  expect(seedOf(seeded, { id: 'x' })).not.toBe(seedOf(mockOf('a', { seed: 8 }), { id: 'x' }));
  expect(seedOf(seeded, { id: 'x', seed: -3 })).toBe(-3);
  expect(seedOf(mockOf('a'), { id: 'x' })).not.toBe(seedOf(mockOf('a'), { id: 'x' }));
});
