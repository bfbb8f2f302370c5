/** What the gateway holds of sessions: their counts, their bounds, and that a process that follows another one waits for all of them. */
import { expect, test } from 'vitest';
import { GatewaySession, GatewaySessions } from '../../src/egress/live-rules/gateway-sessions.ts';
import type { ApiQuestions, FromGateway, SentGatewaySession } from '../../src/egress/process/gateway-messages.ts';
import { Asker } from '../../src/children/questions.ts';
import { silentApi } from '../support/live-gateway.ts';
import { NOT_ATTACHED_HOSTS_MAX } from '../../src/limits.ts';

const overlay = { rules: [], disabledRules: [], enabledRules: [], attach: {} };
const session = (more: Partial<SentGatewaySession> = {}): SentGatewaySession => ({
  id: 's',
  label: '',
  createdAt: 1,
  overlay,
  mocks: [],
  ...more,
});
const exchange = (host: string, problem?: string) => ({
  url: `http://${host}/`,
  outcome: problem === undefined ? ('forward' as const) : ('failed' as const),
  problem,
  ruleIds: [],
  skipped: [],
});

// reaches NOT_ATTACHED_HOSTS_MAX
test('hosts that were refused are remembered once each, up to a bound, and all exchanges are counted', () => {
  const held = new GatewaySession('acme', session());
  held.note(exchange('a.test'));
  held.note(exchange('b.test', 'unreachable'));
  for (let index = 0; index < NOT_ATTACHED_HOSTS_MAX + 5; index++) held.note(exchange(`h${index}.test`, 'notAttached'));
  held.note(exchange('h0.test', 'notAttached'));
  expect(held.notAttached.size).toBe(NOT_ATTACHED_HOSTS_MAX);
  expect(held.counts.total).toBe(NOT_ATTACHED_HOSTS_MAX + 8);
});

test('who asks before all sessions were sent waits; one that is sent again keeps its counts, another of its id does not', async () => {
  const sessions = new GatewaySessions(silentApi());
  const early = sessions.find('acme', 's');
  expect(early).toBeInstanceOf(Promise);
  sessions.put('acme', session());
  sessions.gotAll();
  const found = await early;
  expect(found?.id).toBe('s');
  found?.note(exchange('a.test'));
  sessions.put('acme', session());
  expect(sessions.counts('acme', 's')?.total).toBe(1);
  sessions.put('acme', session({ createdAt: 2 }));
  expect(sessions.counts('acme', 's')?.total).toBe(0);
  expect(sessions.find('globex', 's')).toBeUndefined();
  expect(sessions.end('acme', 's')?.counts.total).toBe(0);
  expect(sessions.find('acme', 's')).toBeUndefined();
  expect(sessions.end('acme', 's')).toBeUndefined();
});

test('the session of a mock is asked for once, however many requests wait for it', async () => {
  const sent: FromGateway[] = [];
  const api = new Asker<ApiQuestions>((message) => sent.push(message) > 0);
  const sessions = new GatewaySessions(api);
  const held = new GatewaySession('acme', session({ mocks: ['m'] }));
  expect(sessions.mockWanted(held, 'm')).toBeUndefined();
  const waiting = [sessions.mockWanted(held, 'n'), sessions.mockWanted(held, 'n')];
  const question = { ownerId: 'acme', sessionId: 's', mockId: 'n' };
  const id = sent[0]?.id as number;
  expect(sent).toEqual([{ kind: 'ask', id, name: 'mockSession', question }]);
  api.take({ kind: 'answer', id, answer: '' });
  expect(await Promise.all(waiting.map(async (each) => each))).toEqual([undefined, undefined]);
  expect(sessions.mockWanted(held, 'n')).toBeUndefined();
});
