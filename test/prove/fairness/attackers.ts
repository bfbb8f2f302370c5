/**
 * Owners that are as busy as their limits allow, each in one way. Those listed here did hold up or end a server once; their figures of that
 * time are in the history of this file. Others are drawn from a seed (drawn.ts).
 */
import { drawnAttacker } from './drawn.ts';
import { GATEWAY_ATTACKERS } from './gateway-attackers.ts';
import { ask, call, filled, frame, handshake, type Attacker, type Hold, type Plan } from './load.ts';

const RECORDED_MB = 256;
const MESSAGE_BYTES = 950_000;

const route = (method: string, path: string, response: object, more: object = {}): object => ({
  method,
  path,
  responses: [response],
  ...more,
});
const ws = (path: string, response: object, more: object = {}): object =>
  route('GET', path, response, { kind: 'ws', ...more });
const sockets = (count: number, path: string, more: Partial<Hold> = {}): Hold => ({
  kind: 'hold',
  count,
  open: handshake(path),
  isAnswered: true,
  isRead: true,
  ...more,
});

const WORK = {
  templated: true,
  body: "{{#repeat 1000}}{{setVar 'q' (faker 'lorem.paragraphs' 10)}}{{/repeat}}{{q}}",
};

function broadcast(count: number, bytes: number, isRead: boolean): Attacker {
  const unread = isRead ? '' : ' that nobody reads';
  return {
    name: `messages of ${bytes / 1_000} kB to ${count} sockets${unread}`,
    plane: 'mocks',
    heldMb: 64,
    plan: () => ({
      definition: { routes: [ws('/b', { to: 'all', body: 'x'.repeat(bytes) })] },
      loads: [sockets(count, '/b', { isRead, sends: { by: 1, bytes: () => frame('go'), everyMs: 500 } })],
    }),
  };
}

const MOCK_ATTACKERS: readonly Attacker[] = [
  {
    name: 'templated first values of sessions',
    plane: 'mocks',
    heldMb: 64,
    plan: () => {
      const items = `"a": [${Array(1_000).fill('{}').join()}]`;
      const value = `[{{#repeat 200}}{"id": {{@index}}, ${items}},{{/repeat}} {"id": 99999}]`;
      const settings = { sessions: 'auto', stores: [{ name: 'a', templated: 'json', value }] };
      const requests = [ask('GET', (count) => `/__session/x${count}/a?limit=1`)];
      return {
        definition: { settings, routes: [{ kind: 'crud', path: '/a', store: 'a' }] },
        loads: [{ kind: 'ask', connections: 8, requests }],
      };
    },
  },
  {
    name: 'stores of small things, of four owners',
    plane: 'mocks',
    owners: 4,
    heldMb: 256,
    plan: () => {
      const names = Array.from({ length: 16 }, (_, index) => `s${index}`);
      const body = `{"a":[${Array(100_000).fill('{}').join()}]}`;
      return {
        definition: {
          settings: { stores: names.map((name) => ({ name, value: [] })) },
          routes: names.map((store) => ({ kind: 'crud', path: `/${store}`, store })),
        },
        loads: [{ kind: 'ask', connections: 4, requests: names.map((name) => ask('POST', `/${name}`, body)) }],
      };
    },
  },
  broadcast(4_800, 200_000, true),
  broadcast(2_000, MESSAGE_BYTES, true),
  broadcast(400, MESSAGE_BYTES, false),
  {
    name: 'pushes of 200 kB to 2000 streams',
    plane: 'mocks',
    heldMb: 64,
    plan: () => {
      const stream = { channel: 'c', events: [{ data: 'first' }], end: 'open' };
      const events = [{ data: 'x'.repeat(200_000) }];
      return {
        definition: { routes: [route('GET', '/s', { stream })] },
        loads: [
          { kind: 'hold', count: 2_000, open: ask('GET', '/s'), isAnswered: true, isRead: true },
          {
            kind: 'ask',
            port: 'api',
            connections: 2,
            requests: [call('POST', '/streams/send', { channel: 'c', events })],
          },
        ],
      };
    },
  },
  {
    name: 'ticks to 2000 sockets at once',
    plane: 'mocks',
    heldMb: 64,
    plan: () => ({
      definition: {
        routes: [ws('/t', { when: 'tick', body: 'x'.repeat(20_000) }, { tickMs: 10, tickTo: 'all' })],
      },
      loads: [sockets(2_000, '/t', { isAnswered: true })],
    }),
  },
  {
    name: 'ends of sessions with 2000 sockets',
    plane: 'mocks',
    heldMb: 64,
    plan: () => {
      const count = 2_000;
      const session = (opened: number): string => `/__session/s${Math.floor(opened / count)}/e`;
      const ends = call('DELETE', (ended) => `/sessions/s${ended}`);
      return {
        definition: { settings: { sessions: 'auto' }, routes: [ws('/e', { templated: true, body: '{{body}}' })] },
        loads: [
          sockets(count, '/e', { open: handshake(session) }),
          { kind: 'ask', port: 'api', connections: 1, everyMs: 1_000, requests: [ends] },
        ],
      };
    },
  },
  {
    name: 'small messages in large writes, on 60 sockets',
    plane: 'mocks',
    heldMb: 64,
    plan: () => ({
      definition: { routes: [ws('/e', { templated: true, body: '{{body}}' })] },
      loads: [sockets(60, '/e', { sends: { by: 60, bytes: () => SMALL_FRAMES, everyMs: 0 } })],
    }),
  },
  {
    name: 'requests of much work, on 300 connections',
    plane: 'mocks',
    heldMb: 64,
    plan: () => ({
      definition: { routes: [route('GET', '/w', WORK)] },
      loads: [{ kind: 'ask', connections: 300, requests: [ask('GET', '/w')] }],
    }),
  },
  {
    name: 'requests of much work, of a hundred owners',
    plane: 'mocks',
    owners: 100,
    heldMb: 64,
    plan: () => ({
      definition: { routes: [route('GET', '/w', WORK)] },
      loads: [{ kind: 'ask', connections: 3, requests: [ask('GET', '/w')] }],
    }),
  },
  {
    name: 'plain requests in blocks of 500 kB, on 60 connections',
    plane: 'mocks',
    heldMb: 64,
    plan: () => ({
      definition: { routes: [route('GET', '/', { body: 'x' })] },
      loads: [
        {
          kind: 'pour',
          connections: 60,
          block: (at, count) => filled(Buffer.from(ask('GET', '/')(at, count)), 500_000),
        },
      ],
    }),
  },
  {
    name: 'recorded traffic of 22 mocks',
    plane: 'mocks',
    heldMb: RECORDED_MB,
    plan: () => ({
      definition: { routes: [route('POST', '/', { body: 'x' })] },
      mocks: 22,
      loads: [{ kind: 'ask', connections: 60, requests: [ask('POST', '/', 'q'.repeat(32_768))] }],
    }),
  },
  {
    name: 'saves of a mock of 5000 routes with 500 sessions',
    plane: 'mocks',
    isLong: true,
    heldMb: 256,
    plan: () => {
      const large = (path: string, id?: string): object =>
        route(
          'GET',
          path,
          {
            templated: true,
            body: `{{query 'a'}}${'x'.repeat(1_000)}`,
            rules: [{ target: 'header', property: 'x-a', operator: 'equals', value: path }],
          },
          id === undefined ? {} : { id },
        );
      const overlay = { routes: Array.from({ length: 5 }, (_, index) => large(`/overlaid/${index}`)) };
      const made: Plan['before'] = [
        {
          kind: 'ask',
          port: 'api',
          connections: 4,
          times: 500,
          requests: [(at, count) => call('POST', '/sessions', { id: `x${count}`, overlay })(at, count)],
        },
      ];
      return {
        definition: { routes: Array.from({ length: 5_000 }, (_, index) => large(`/r/${index}`, `r${index}`)) },
        before: made,
        loads: [
          {
            kind: 'ask',
            port: 'api',
            connections: 1,
            requests: [call('DELETE', (count) => `/staged/routes/r${count}`), call('POST', '/save')],
          },
          {
            kind: 'ask',
            connections: 20,
            requests: [ask('GET', (count) => `/__session/x${count % 500}/r/4999`)],
          },
        ],
      };
    },
  },
  {
    name: 'uploads that never end, on 60 connections',
    plane: 'mocks',
    heldMb: 256,
    plan: () => {
      const upload = ask('POST', '/', 'u'.repeat(9_000_000));
      return {
        definition: { routes: [route('POST', '/', { body: 'x' })] },
        loads: [
          {
            kind: 'hold',
            count: 60,
            open: (at, count) => (upload(at, count) as Buffer).subarray(0, -1_000_000),
            isAnswered: false,
            isRead: true,
            sends: { by: 60, bytes: () => 'u', everyMs: 500 },
          },
        ],
      };
    },
  },
];

const SMALL_FRAMES = filled(frame('h'), 1_000_000);

export const ATTACKERS: readonly Attacker[] = [...MOCK_ATTACKERS, ...GATEWAY_ATTACKERS];

/** Numbers below it are those of listed attackers, all others are seeds of drawn ones. */
const LISTED_MAX = 100;

/** @param number Its place in the list, or a seed: `firstSeed` and above. */
export function attackerOf(number: number): Attacker {
  const listed = ATTACKERS[number];
  if (listed !== undefined) return listed;
  if (number < LISTED_MAX)
    throw new Error(`attackers have numbers below ${ATTACKERS.length}, seeds from ${LISTED_MAX} on`);
  return drawnAttacker(number);
}
