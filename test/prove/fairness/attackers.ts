/**
 * Owners that are as busy as their limits allow, each in one way: those listed here held up or ended a server once. Others are drawn from a
 * seed (drawn.ts).
 */
import { API_ATTACKERS } from './api-attackers.ts';
import { drawnAttacker, LEAST_SEED } from './drawn.ts';
import { NEWER_ATTACKERS } from './newer-attackers.ts';
import { GATEWAY_ATTACKERS } from './gateway-attackers.ts';
import { ask, call, filled, frame, handshake, repeatedly, type Attacker, type Hold, type Plan } from './load.ts';

const MESSAGE_BYTES = 950_000;

function attacker(name: string, plan: () => Plan, more: Partial<Attacker> = {}): Attacker {
  return { name, plane: 'mocks', heldMb: 64, plan, ...more };
}

const route = (method: string, path: string, response: object): object => ({ method, path, responses: [response] });
const ws = (path: string, response: object, more: object = {}): object => ({
  kind: 'ws',
  ...route('GET', path, response),
  ...more,
});
const held = (count: number, open: Hold['open'], more: Partial<Hold> = {}): Hold => {
  return { kind: 'hold', count, open, isAnswered: true, isRead: true, ...more };
};

/** Some 70 ms of a thread. */
const WORK = {
  templated: true,
  body: "{{#repeat 1000}}{{setVar 'q' (faker 'lorem.paragraphs' 10)}}{{/repeat}}{{q}}",
};
const ECHO = { templated: true, body: '{{body}}' };
const SMALL_FRAMES = filled(frame('h'), 1_000_000);

function broadcast(count: number, bytes: number, isRead: boolean): Attacker {
  const name = `messages of ${bytes / 1_000} kB to ${count} sockets${isRead ? '' : ' that nobody reads'}`;
  const plan = (): Plan => ({
    definition: { routes: [ws('/b', { to: 'all', body: 'x'.repeat(bytes) })] },
    loads: [held(count, handshake('/b'), { isRead, sends: { by: 1, bytes: () => frame('go'), everyMs: 500 } })],
  });
  // What nobody reads: half of the rendered replies of a thread.
  return attacker(name, plan, { heldMb: 128 });
}

function heavyRequests(connections: number, owners: number): Attacker {
  const name = `requests of much work, of ${owners} owners on ${connections} connections each`;
  const definition = { routes: [route('GET', '/w', WORK)] };
  return attacker(name, () => ({ definition, loads: [repeatedly(connections, ask('GET', '/w'))] }), { owners });
}

/** 5,000 routes that are compiled at each save, and sessions whose overlays are laid over them. */
function largeSaves(): Plan {
  const large = (path: string): object =>
    route('GET', path, {
      templated: true,
      body: `{{query 'a'}}${'x'.repeat(1_000)}`,
      rules: [{ target: 'header', property: 'x-a', operator: 'equals', value: path }],
    });
  const overlay = { routes: Array.from({ length: 5 }, (_, index) => large(`/overlaid/${index}`)) };
  const routes = Array.from({ length: 5_000 }, (_, index) => ({ id: `r${index}`, ...large(`/r/${index}`) }));
  const session = call('POST', '/sessions', (count) => ({ id: `x${count}`, overlay }));
  return {
    definition: { routes },
    before: [{ ...repeatedly(4, session), port: 'api', times: 500 }],
    loads: [
      {
        ...repeatedly(
          1,
          call('DELETE', (count) => `/staged/routes/r${count}`),
          call('POST', '/save'),
        ),
        port: 'api',
      },
      repeatedly(
        20,
        ask('GET', (count) => `/__session/x${count % 500}/r/4999`),
      ),
    ],
  };
}

const MOCK_ATTACKERS: readonly Attacker[] = [
  attacker('templated first values of sessions', () => {
    const items = `"a": [${Array(1_000).fill('{}').join()}]`;
    const value = `[{{#repeat 200}}{"id": {{@index}}, ${items}},{{/repeat}} {"id": 99999}]`;
    const settings = { sessions: 'auto', stores: [{ name: 'a', templated: 'json', value }] };
    return {
      definition: { settings, routes: [{ kind: 'crud', path: '/a', store: 'a' }] },
      loads: [
        repeatedly(
          8,
          ask('GET', (count) => `/__session/x${count}/a?limit=1`),
        ),
      ],
    };
  }),
  attacker(
    'stores of small things, of four owners',
    () => {
      const names = Array.from({ length: 16 }, (_, index) => `s${index}`);
      const body = `{"a":[${Array(100_000).fill('{}').join()}]}`;
      return {
        definition: {
          settings: { stores: names.map((name) => ({ name, value: [] })) },
          routes: names.map((store) => ({ kind: 'crud', path: `/${store}`, store })),
        },
        loads: [repeatedly(4, ...names.map((name) => ask('POST', `/${name}`, body)))],
      };
    },
    { owners: 4, heldMb: 256 },
  ),
  broadcast(4_800, 200_000, true),
  broadcast(2_000, MESSAGE_BYTES, true),
  broadcast(400, MESSAGE_BYTES, false),
  attacker('pushes of 200 kB to 2000 streams', () => {
    const stream = { channel: 'c', events: [{ data: 'first' }], end: 'open' };
    const push = call('POST', '/streams/send', () => ({ channel: 'c', events: [{ data: 'x'.repeat(200_000) }] }));
    return {
      definition: { routes: [route('GET', '/s', { stream })] },
      loads: [held(2_000, ask('GET', '/s')), { ...repeatedly(2, push), port: 'api' }],
    };
  }),
  attacker('ticks to 2000 sockets at once', () => ({
    definition: { routes: [ws('/t', { when: 'tick', body: 'x'.repeat(20_000) }, { tickMs: 10, tickTo: 'all' })] },
    loads: [held(2_000, handshake('/t'))],
  })),
  attacker('ends of sessions with 2000 sockets', () => ({
    definition: { settings: { sessions: 'auto' }, routes: [ws('/e', ECHO)] },
    loads: [
      held(
        2_000,
        handshake((opened) => `/__session/s${Math.floor(opened / 2_000)}/e`),
      ),
      {
        ...repeatedly(
          1,
          call('DELETE', (ended) => `/sessions/s${ended}`),
        ),
        port: 'api',
        everyMs: 1_000,
      },
    ],
  })),
  attacker('small messages in large writes, on 60 sockets', () => ({
    definition: { routes: [ws('/e', ECHO)] },
    loads: [held(60, handshake('/e'), { sends: { by: 60, bytes: () => SMALL_FRAMES, everyMs: 0 } })],
  })),
  heavyRequests(300, 1),
  heavyRequests(3, 100),
  attacker('plain requests in blocks of 500 kB, on 60 connections', () => ({
    definition: { routes: [route('GET', '/', { body: 'x' })] },
    loads: [{ kind: 'pour', connections: 60, block: (at, count) => filled(ask('GET', '/')(at, count), 500_000) }],
  })),
  attacker(
    'recorded traffic of 22 mocks',
    () => ({
      definition: { routes: [route('POST', '/', { body: 'x' })] },
      mocks: 22,
      loads: [repeatedly(60, ask('POST', '/', 'q'.repeat(32_768)))],
    }),
    { heldMb: 256 },
  ),
  attacker(
    'values of stores that the API sets',
    () => {
      const value = Array.from({ length: 9_000 }, (_, id) => ({ id, a: id % 7, t: 'x'.repeat(60) }));
      return {
        definition: {
          settings: { stores: [{ name: 's', value: [] }] },
          routes: [{ kind: 'crud', path: '/s', store: 's' }],
        },
        loads: [
          {
            ...repeatedly(
              16,
              call('PUT', '/stores/s', () => ({ value })),
            ),
            port: 'api',
          },
        ],
      };
    },
    { heldMb: 128 },
  ),
  attacker('saves of a mock of 5000 routes with 500 sessions', largeSaves, { heldMb: 320, isLong: true }),
  attacker(
    'uploads that never end, on 60 connections',
    () => {
      const upload = ask('POST', '/', 'u'.repeat(9_000_000));
      const open: Hold['open'] = (at, count) => upload(at, count).subarray(0, -1_000_000);
      return {
        definition: { routes: [route('POST', '/', { body: 'x' })] },
        loads: [held(60, open, { isAnswered: false, sends: { by: 60, bytes: () => Buffer.from('u'), everyMs: 500 } })],
      };
    },
    { heldMb: 256 },
  ),
];

export const ATTACKERS: readonly Attacker[] = [
  ...MOCK_ATTACKERS,
  ...GATEWAY_ATTACKERS,
  ...API_ATTACKERS,
  ...NEWER_ATTACKERS,
];

/** @param number Its place in the list, or the seed of a drawn one. */
export function attackerOf(number: number): Attacker {
  if (number >= LEAST_SEED) return drawnAttacker(number);
  const listed = ATTACKERS[number];
  if (listed === undefined)
    throw new Error(`attackers are 0 to ${ATTACKERS.length - 1}, and seeds from ${LEAST_SEED} on`);
  return listed;
}
