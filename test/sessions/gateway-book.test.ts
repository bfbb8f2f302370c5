/** The book of live sessions of gateways: its bounds, and that what it refuses changes nothing. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal, type Refusal } from '../../src/errors.ts';
import { SESSION_BYTES_PER_OWNER, SESSION_IDLE_MS, SESSIONS_PER_MOCK_MAX } from '../../src/limits.ts';
import { GatewayBook, type GatewaySessionDraft, type LiveGatewaySession } from '../../src/sessions/gateway-book.ts';
import { SessionBook } from '../../src/sessions/session-book.ts';

const OVERLAY = { rules: [], disabledRules: [], enabledRules: [], attach: {} };
const DRAFT: GatewaySessionDraft = {
  id: undefined,
  label: '',
  idleMs: SESSION_IDLE_MS,
  seed: 1,
  overlay: OVERLAY,
  mocks: new Map(),
  bytes: 0,
};

/** What the egress process has. */
const served = new Map<string, LiveGatewaySession['session']>();

let book: GatewayBook;
beforeEach(() => {
  served.clear();
  const mocks = new SessionBook({ clock: () => 0, mockOf: async () => undefined });
  book = new GatewayBook({ clock: () => 0, mocks, mockOf: async () => undefined });
  book.attach({
    epoch: 'one',
    put: async ({ ownerId, session }) => served.set(`${ownerId}/${session.id}`, session) !== undefined,
    end: async (ownerId, id) => void served.delete(`${ownerId}/${id}`),
    reset: async () => true,
    uses: async () => undefined,
  });
});
afterEach(() => book.stop());

async function make(more: Partial<GatewaySessionDraft> = {}, ownerId = 'acme'): Promise<LiveGatewaySession | Refusal> {
  const made = await book.create(ownerId, { ...DRAFT, ...more });
  return isRefusal(made) ? made : made.live;
}

const refusalOf = (outcome: unknown): string | undefined => (isRefusal(outcome) ? outcome.message : undefined);

test('an owner has 1,000 sessions of its gateway, another has its own, and one that ends makes room', async () => {
  const made = await Promise.all(Array.from({ length: SESSIONS_PER_MOCK_MAX }, () => make()));
  expect(made.filter(isRefusal)).toEqual([]);
  expect(refusalOf(await make({ id: 'more' }))).toBe('Limit reached: 1000 sessions per gateway');
  expect([book.list('acme').length, served.size]).toEqual([SESSIONS_PER_MOCK_MAX, SESSIONS_PER_MOCK_MAX]);
  expect(refusalOf(await make({}, 'globex'))).toBeUndefined();
  await book.end(made[0] as LiveGatewaySession);
  expect(refusalOf(await make({ id: 'more' }))).toBeUndefined();
  expect(refusalOf(await make())).toBe('Limit reached: 1000 sessions per gateway');
});

test('the overlays of an owner have 64 MiB, and a larger one that is refused changes nothing', async () => {
  const bytes = 2 ** 20;
  const made: (LiveGatewaySession | Refusal)[] = [];
  for (let count = 0; count < SESSION_BYTES_PER_OWNER / bytes; count++) made.push(await make({ bytes }));
  const text = `Limit reached: ${SESSION_BYTES_PER_OWNER} bytes of sessions per owner`;
  // Each takes something beside its overlay.
  expect(made.map(refusalOf)).toEqual([...made.slice(1).map(() => undefined), text]);
  expect(refusalOf(await make({ bytes }, 'globex'))).toBeUndefined();

  const [live, other] = made as LiveGatewaySession[] as [LiveGatewaySession, LiveGatewaySession];
  const { session } = live;
  const larger = { overlay: { ...OVERLAY, others: 'refuse' as const }, mocks: new Map(), bytes: 2 * bytes };
  expect(refusalOf(await book.putOverlay(live, larger))).toBe(text);
  expect([live.session, served.get(`acme/${session.id}`)]).toEqual([session, session]);
  await book.end(other);
  expect(await book.putOverlay(live, larger)).toBe(true);
  expect(served.get(`acme/${session.id}`)?.overlay.others).toBe('refuse');
  // What it took before is free again.
  expect(refusalOf(await make({ bytes }))).toBe(text);
  expect(await book.putOverlay(live, { ...larger, bytes: 0 })).toBe(true);
  expect(refusalOf(await make({ bytes }))).toBeUndefined();
});
