/**
 * Owners that are drawn: a random definition, or rules of the gateway, and loads on it that keep the owner as busy as its limits allow.
 *
 * A seed makes the same owner again: `npm run prove -- fairness --seed 12345`.
 */
import { gzipSync } from 'node:zlib';
import { QUICK, SLOW } from '../../support/code-corpus.ts';
import { SAMPLES, SOURCE } from '../../support/samples.ts';
import { Draws } from '../simulation/draws.ts';
import { BODIES, bodyOf, typeOf } from '../stall/bodies.ts';
import { caseOf, FAMILY_COUNT, radixesOfFamily, seedOf } from '../stall/cases.ts';
import {
  ask,
  authorization,
  call,
  callApi,
  filled,
  frame,
  handshake,
  through,
  type Attacker,
  type Load,
  type Request,
} from './load.ts';

/** What of a definition one kind of load needs, and that load. */
interface Part {
  /** What was drawn. */
  readonly words: string;
  readonly routes?: readonly object[];
  readonly settings?: { readonly sessions?: 'auto' };
  readonly stores?: readonly object[];
  readonly before?: readonly Load[];
  readonly loads: readonly Load[];
}

/** Bounds of the server, beyond which it refuses or drops: a 24 GB machine has all of them at their most. */
const HELD_MB = 512;
const SHAPES = Object.keys(BODIES) as (keyof typeof BODIES)[];

const pick = <Item>(draws: Draws, items: readonly Item[]): Item => draws.of(items) as Item;

const MOCK_PARTS: readonly ((draws: Draws) => Part)[] = [
  work,
  plain,
  stores,
  sessions,
  sockets,
  streams,
  saves,
  uploads,
];
const GATEWAY_PARTS: readonly ((draws: Draws) => Part)[] = [rules, code, heads, tunnels];

export function drawnAttacker(seed: number): Attacker {
  const draws = new Draws(seed);
  const plane = draws.percent(25) ? 'gateway' : 'mocks';
  const left = [...(plane === 'mocks' ? MOCK_PARTS : GATEWAY_PARTS)];
  const parts: Part[] = [];
  for (let count = 1 + draws.below(3); count > 0; count--) {
    const [part] = left.splice(draws.below(left.length), 1);
    parts.push((part as (typeof MOCK_PARTS)[number])(draws));
  }
  const settings = {
    ...(Object.assign({}, ...parts.map((part) => part.settings)) as object),
    stores: parts.flatMap((part) => part.stores ?? []),
  };
  const definition = { settings, routes: parts.flatMap(({ routes = [] }) => routes) };
  return {
    name: parts.map(({ words }) => words).join('; and '),
    plane,
    heldMb: HELD_MB,
    plan: () => ({
      definition,
      before: parts.flatMap(({ before = [] }) => before),
      loads: parts.flatMap(({ loads }) => loads),
    }),
  };
}

// ---- Mocks ----

/** A request that takes long, as the proof `stall` makes it. */
function work(draws: Draws): Part {
  const family = draws.below(FAMILY_COUNT);
  const seed = seedOf({ family, digits: radixesOfFamily(family).map((radix) => draws.below(radix)) });
  const { words, definition, request } = caseOf(seed);
  const connections = pick(draws, [4, 60, 300]);
  const lines = request.headers.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  const asked = ask(request.method, `${request.path}?${request.query}`, body, lines);
  return {
    words: `${connections} connections ask for ${words}`,
    routes: definition.routes,
    loads: [{ kind: 'ask', connections, requests: [asked] }],
  };
}

function plain(draws: Draws): Part {
  const bytes = pick(draws, [1, 1_000, 100_000, 900_000]);
  const connections = pick(draws, [4, 60, 200]);
  const blockBytes = pick(draws, [1_000, 60_000, 500_000]);
  const method = pick(draws, ['GET', 'HEAD', 'OPTIONS']);
  const path = pick(draws, ['/plain', '/missing']);
  return {
    words: `${connections} connections pipeline ${method} ${path} of ${bytes} bytes in blocks of ${blockBytes}`,
    routes: [{ method: 'GET', path: '/plain', responses: [{ body: 'x'.repeat(bytes) }] }],
    loads: [
      {
        kind: 'pour',
        connections,
        block: (at, count) => filled(Buffer.from(ask(method, path)(at, count)), blockBytes),
      },
    ],
  };
}

function stores(draws: Draws): Part {
  const count = pick(draws, [1, 4, 16]);
  const shape = pick(draws, SHAPES);
  const bytes = pick(draws, [20, 1_000, 100_000, 1_000_000]);
  const connections = pick(draws, [4, 60]);
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  const list = pick(draws, ['', '?q=a', '?_sort=a&_limit=1', '?a=1']);
  const body = Buffer.concat([Buffer.from('{"a":'), bodyOf(shape, bytes), Buffer.from('}')]);
  return {
    words: `${connections} connections fill ${count} stores by ${bytes} bytes of ${shape}, and list them by "${list}"`,
    stores: names.map((name) => ({ name, value: [] })),
    routes: names.map((store) => ({ kind: 'crud', path: `/${store}`, store })),
    loads: [
      {
        kind: 'ask',
        connections,
        requests: names.flatMap((name) => [ask('POST', `/${name}`, body), ask('GET', `/${name}${list}`)]),
      },
    ],
  };
}

function sessions(draws: Draws): Part {
  const repeat = pick(draws, [1, 100, 1_000]);
  const item = pick(draws, ['{}', '"x"', '[[],[],[]]', '{"name": "{{faker \'person.fullName\'}}"}']);
  const connections = pick(draws, [4, 60]);
  const known = pick(draws, [1, 1_000, 1_000_000]);
  const value = `[{{#repeat ${repeat}}}{"id": {{@index}}, "a": ${item}},{{/repeat}} {"id": 99999}]`;
  return {
    words: `${connections} connections ask ${known} sessions, each of ${repeat} items ${item}`,
    settings: { sessions: 'auto' },
    stores: [{ name: 'first', templated: 'json', value }],
    routes: [{ kind: 'crud', path: '/first', store: 'first' }],
    loads: [
      { kind: 'ask', connections, requests: [ask('GET', (count) => `/__session/x${count % known}/first?limit=1`)] },
    ],
  };
}

function sockets(draws: Draws): Part {
  const count = pick(draws, [20, 200, 2_000]);
  const by = pick(draws, [1, 20, 200]);
  const to = pick(draws, ['sender', 'all', 'others']);
  const replyBytes = pick(draws, [0, 1, 1_000, 100_000, 900_000]);
  const messageBytes = pick(draws, [1, 100, 60_000]);
  const writeBytes = pick(draws, [1, 60_000, 1_000_000]);
  const everyMs = pick(draws, [0, 10, 500]);
  const tickMs = pick(draws, [undefined, 10, 1_000]);
  const isRead = draws.percent(80);
  const body = replyBytes === 0 ? '{{body}}' : 'x'.repeat(replyBytes);
  const responses = [
    { to, templated: replyBytes === 0, body },
    ...(tickMs === undefined ? [] : [{ when: 'tick', body: 'x'.repeat(1_000) }]),
  ];
  const ticks = tickMs === undefined ? {} : { tickMs, tickTo: pick(draws, ['each', 'all']) };
  const messages = filled(frame('h'.repeat(messageBytes)), writeBytes);
  return {
    words:
      `${count} sockets${isRead ? '' : ', unread'}: ${by} send messages of ${messageBytes} bytes in writes of ${writeBytes} each ${everyMs} ms; ` +
      `replies of ${replyBytes} bytes to ${to}, ticks ${JSON.stringify(ticks)}`,
    routes: [{ kind: 'ws', method: 'GET', path: '/ws', responses, ...ticks }],
    loads: [
      {
        kind: 'hold',
        count,
        open: handshake('/ws'),
        isAnswered: true,
        isRead,
        sends: { by, bytes: () => messages, everyMs },
      },
    ],
  };
}

function streams(draws: Draws): Part {
  const count = pick(draws, [20, 200, 2_000]);
  const bytes = pick(draws, [1, 1_000, 200_000]);
  const delay = pick(draws, [10, 100, 1_000]);
  const isRead = draws.percent(80);
  const isTemplated = draws.percent(50);
  const pushBytes = pick(draws, [0, 1, 200_000]);
  const data = isTemplated ? `{{#repeat 100}}{{faker 'lorem.word'}}{{/repeat}}` : 'x'.repeat(bytes);
  const stream = { channel: 'c', repeat: 'forever', events: [{ data, delay }] };
  const push = call('POST', '/streams/send', { channel: 'c', events: [{ data: 'x'.repeat(pushBytes) }] });
  return {
    words:
      `${count} streams${isRead ? '' : ', unread'}: each ${delay} ms ${isTemplated ? data : `${bytes} bytes`}; ` +
      `pushes of ${pushBytes} bytes`,
    routes: [{ method: 'GET', path: '/stream', responses: [{ templated: isTemplated, stream }] }],
    loads: [
      { kind: 'hold', count, open: ask('GET', '/stream'), isAnswered: true, isRead },
      ...(pushBytes === 0 ? [] : [{ kind: 'ask', port: 'api', connections: 1, requests: [push] } as const]),
    ],
  };
}

function saves(draws: Draws): Part {
  const count = pick(draws, [10, 500, 3_000]);
  const bytes = pick(draws, [10, 1_000]);
  const sessionCount = pick(draws, [0, 20, 300]);
  const responses = [
    {
      templated: true,
      body: `{{query 'a'}}${'x'.repeat(bytes)}`,
      rules: [{ target: 'header', property: 'x-a', operator: 'regex', value: `^${'a?'.repeat(10)}$` }],
    },
  ];
  const overlay = { routes: [{ method: 'GET', path: '/saved/overlaid', responses }] };
  const make: Request = (at, made) => call('POST', '/sessions', { id: `saved${made}`, overlay })(at, made);
  return {
    words: `saves of ${count} routes of ${bytes} bytes, with ${sessionCount} sessions`,
    routes: Array.from({ length: count }, (_, index) => ({ method: 'GET', path: `/saved/${index}`, responses })),
    before:
      sessionCount === 0 ? [] : [{ kind: 'ask', port: 'api', connections: 4, times: sessionCount, requests: [make] }],
    loads: [
      {
        kind: 'ask',
        port: 'api',
        connections: 1,
        requests: [
          (at, saved) => call('PUT', '/staged', { settings: { variables: { saved } } })(at, saved),
          call('POST', '/save'),
        ],
      },
      {
        kind: 'ask',
        connections: 4,
        requests: [
          ask('GET', (asked) => `${sessionCount === 0 ? '' : `/__session/saved${asked % sessionCount}`}/saved/0`),
        ],
      },
    ],
  };
}

/** Bodies that come slowly or not at all, or that a condition reads; some are compressed. */
function uploads(draws: Draws): Part {
  const count = pick(draws, [4, 60]);
  const shape = pick(draws, SHAPES);
  const bytes = pick(draws, [100_000, 1_000_000, 9_000_000]);
  const isCompressed = draws.percent(50);
  const isWhole = draws.percent(50);
  const plainBody = bodyOf(shape, bytes);
  const body = isCompressed ? gzipSync(plainBody) : plainBody;
  const encoding = isCompressed ? ['Content-Encoding: gzip'] : [];
  const upload = ask('POST', '/up', body, [`Content-Type: ${typeOf(shape)}`, ...encoding]);
  const rule = { target: 'body', property: '$..a', operator: 'equals', value: 'never' };
  return {
    words: `${count} uploads of ${bytes} bytes of ${shape}${isCompressed ? ', compressed' : ''}${isWhole ? '' : ', that never end'}`,
    routes: [
      {
        method: 'POST',
        path: '/up',
        responses: [
          { body: 'a', rules: [rule] },
          { body: 'x', default: true },
        ],
      },
    ],
    loads: [
      isWhole
        ? { kind: 'ask', connections: count, requests: [upload] }
        : {
            kind: 'hold',
            count,
            open: (at, opened) => (upload(at, opened) as Buffer).subarray(0, -10),
            isAnswered: false,
            isRead: true,
          },
    ],
  };
}

// ---- The gateway ----

/** Rules of every type, with a filter that reads the body, on exchanges with one. */
function rules(draws: Draws): Part {
  const { ruleType, pair } = pick(draws, SAMPLES);
  const shape = pick(draws, SHAPES);
  const bytes = pick(draws, [1_000, 100_000, 9_000_000]);
  const isCompressed = draws.percent(50);
  const isRecorded = draws.percent(50);
  const connections = pick(draws, [4, 60]);
  const requestPayload = { key: pick(draws, ['op', 'a', 'a.a.a']), operator: 'Equals', value: 'never' };
  const source = { ...SOURCE, value: '127.0.0.1', filters: [{ requestPayload }] };
  const body = isCompressed ? gzipSync(bodyOf(shape, bytes)) : bodyOf(shape, bytes);
  const headers = [`Content-Type: ${typeOf(shape)}`, ...(isCompressed ? ['Content-Encoding: gzip'] : [])];
  const rule = { name: 'r', ruleType, status: 'Active', pairs: [{ ...pair, source }] };
  return {
    words: `${connections} connections send ${bytes} bytes of ${shape}${isCompressed ? ', compressed' : ''}${isRecorded ? ', recorded' : ''}, to ${JSON.stringify(rule)}`,
    before: [
      once(callApi('POST', '/v1/rules', rule)),
      once(callApi('PUT', '/v1/gateway/settings', { record: isRecorded })),
    ],
    loads: [{ kind: 'ask', port: 'gateway', connections, requests: [through('POST', headers, body)] }],
  };
}

function code(draws: Draws): Part {
  const { what, source: value } = pick(draws, [...QUICK, ...SLOW]);
  const connections = pick(draws, [4, 60]);
  const pairs = [{ source: { ...SOURCE, value: '127.0.0.1' }, type: 'code', value }];
  return {
    words: `${connections} connections have code called: ${what}`,
    before: [once(callApi('POST', '/v1/rules', { name: 'c', ruleType: 'Response', status: 'Active', pairs }))],
    loads: [{ kind: 'ask', port: 'gateway', connections, requests: [through('GET', [])] }],
  };
}

/** Heads in one write, with a key or without. */
function heads(draws: Draws): Part {
  const unit = pick(draws, ['a', '\\', '%20', '"token":"x",', 'eyJa.b ', '=', ';', '\\u0022']);
  const chars = pick(draws, [1, 1_000, 14_000]);
  const connections = pick(draws, [4, 20]);
  const blockBytes = pick(draws, [1_000, 60_000]);
  const hasKey = draws.percent(50);
  return {
    words: `${connections} connections pipeline heads of ${chars} characters ${unit} in blocks of ${blockBytes}, ${hasKey ? 'with' : 'without'} a key`,
    loads: [
      {
        kind: 'pour',
        port: 'gateway',
        connections,
        block: (at, count) => {
          const keyed = hasKey ? at : { ...at, key: 'none' };
          const asked = through('GET', [`x-a: ${unit.repeat(Math.ceil(chars / unit.length))}`])(keyed, count);
          return filled(Buffer.from(asked), blockBytes);
        },
      },
    ],
  };
}

function tunnels(draws: Draws): Part {
  const atOnce = pick(draws, [4, 50, 200]);
  const names = pick(draws, [1, 100, 1_000_000]);
  const host = (count: number): string => `h${count % names}.example.com`;
  const isSecured = draws.percent(50);
  const request: Request = ({ key }, count) =>
    `CONNECT ${host(count)}:443 HTTP/1.1\r\nHost: ${host(count)}:443\r\n${authorization(key)}\r\n\r\n`;
  return {
    words: `${atOnce} clients open tunnels to ${names} names${isSecured ? ', with a handshake' : ''}, and leave`,
    loads: [{ kind: 'knock', port: 'gateway', atOnce, request, ...(isSecured ? { tlsName: host } : {}) }],
  };
}

function once(request: Request): Load {
  return { kind: 'ask', port: 'api', connections: 1, times: 1, requests: [request] };
}
