/**
 * Owners that are drawn: random definitions, or rules of the gateway, with loads on them that keep the owner as busy as its limits allow.
 *
 * A seed makes the same owner again: `npm run prove -- fairness --seed 12345`.
 */
import { gzipSync } from 'node:zlib';
import { STORES_MAX } from '../../../src/limits.ts';
import { QUICK, SLOW } from '../../support/code-corpus.ts';
import { SAMPLES, SOURCE } from '../../support/samples.ts';
import { Draws } from '../simulation/draws.ts';
import { BODIES, bodyOf, typeOf } from '../stall/bodies.ts';
import { chosenOf, radixesOf, type Choices, type Chosen } from '../stall/case-family.ts';
import { caseOf, FAMILY_COUNT, radixesOfFamily, seedOf } from '../stall/cases.ts';
import {
  ask,
  atGateway,
  call,
  callApi,
  connectTo,
  filled,
  frame,
  handshake,
  once,
  repeatedly,
  through,
  type Attacker,
  type Load,
} from './load.ts';

/** What of a definition one kind of load needs, and that load. */
interface Part {
  readonly routes?: readonly object[];
  readonly stores?: readonly object[];
  readonly hasAutoSessions?: true;
  readonly before?: readonly Load[];
  readonly loads: readonly Load[];
  /** What was drawn, where the choices do not tell. */
  readonly words?: string;
}

type DrawnPart = Part & { readonly words: string };

export const LEAST_SEED = 1_000;
/** Several bounds of the server come together. */
const HELD_MB = 512;
const GATEWAY_PERCENT = 25;
const PARTS_MAX = 3;

export function drawnAttacker(seed: number): Attacker {
  const draws = new Draws(seed);
  const isGateway = draws.percent(GATEWAY_PERCENT);
  const left = [...(isGateway ? GATEWAY_PARTS : MOCK_PARTS)];
  const count = 1 + draws.below(PARTS_MAX);
  const parts = Array.from({ length: count }, () => left.splice(draws.below(left.length), 1)[0]?.(draws) as DrawnPart);
  const stores = parts.flatMap((part) => part.stores ?? []);
  const settings = parts.some((part) => part.hasAutoSessions) ? { sessions: 'auto', stores } : { stores };
  const definition = { settings, routes: parts.flatMap(({ routes = [] }) => routes) };
  return {
    name: parts.map(({ words }) => words).join('; '),
    plane: isGateway ? 'gateway' : 'mocks',
    heldMb: HELD_MB,
    plan: () => ({
      definition,
      before: parts.flatMap(({ before = [] }) => before),
      loads: parts.flatMap(({ loads }) => loads),
    }),
  };
}

function drawPart<All extends Choices>(name: string, choices: All, made: (chosen: Chosen<All>, draws: Draws) => Part) {
  return (draws: Draws): DrawnPart => {
    const chosen = chosenOf(
      choices,
      radixesOf(choices).map((radix) => draws.below(radix)),
    );
    return { words: `${name} ${JSON.stringify(chosen)}`, ...made(chosen, draws) };
  };
}

const SHAPES = Object.keys(BODIES) as (keyof typeof BODIES)[];
const EITHER = [true, false] as const;

const encoded = (shape: keyof typeof BODIES, bytes: number, isCompressed: boolean): [Buffer, string[]] => [
  isCompressed ? gzipSync(bodyOf(shape, bytes)) : bodyOf(shape, bytes),
  [`Content-Type: ${typeOf(shape)}`, ...(isCompressed ? ['Content-Encoding: gzip'] : [])],
];

// ---- Mocks ----

/** A request that takes long, as the proof `stall` makes it. */
const work = drawPart('work', { connections: [4, 60, 300] }, ({ connections }, draws) => {
  const family = draws.below(FAMILY_COUNT);
  const seed = seedOf({ family, digits: radixesOfFamily(family).map((radix) => draws.below(radix)) });
  const { words, definition, request } = caseOf(seed);
  const headers = request.headers.flatMap((name, at, all) => (at % 2 === 0 ? [`${name}: ${all[at + 1]}`] : []));
  const body = request.body === undefined ? undefined : Buffer.from(request.body);
  const asked = ask(request.method, `${request.path}?${request.query}`, body, headers);
  return {
    words: `${connections} connections ask what is stall --seed ${seed}: ${words}`,
    routes: definition.routes,
    loads: [repeatedly(connections, asked)],
  };
});

const plain = drawPart(
  'plain',
  {
    bytes: [1, 1_000, 100_000, 900_000],
    connections: [4, 60, 200],
    blockBytes: [1_000, 60_000, 500_000],
    method: ['GET', 'HEAD', 'OPTIONS'],
    path: ['/plain', '/missing'],
  },
  ({ bytes, connections, blockBytes, method, path }) => ({
    routes: [{ method: 'GET', path: '/plain', responses: [{ body: 'x'.repeat(bytes) }] }],
    loads: [{ kind: 'pour', connections, block: (at, count) => filled(ask(method, path)(at, count), blockBytes) }],
  }),
);

const stores = drawPart(
  'stores',
  {
    count: [1, 4, STORES_MAX - 1],
    shape: SHAPES,
    bytes: [20, 1_000, 100_000, 1_000_000],
    connections: [4, 60],
    list: ['', '?q=a', '?_sort=a&_limit=1', '?a=1'],
  },
  ({ count, shape, bytes, connections, list }) => {
    const names = Array.from({ length: count }, (_, index) => `s${index}`);
    const body = Buffer.concat([Buffer.from('{"a":'), bodyOf(shape, bytes), Buffer.from('}')]);
    const asked = names.flatMap((name) => [ask('POST', `/${name}`, body), ask('GET', `/${name}${list}`)]);
    return {
      stores: names.map((name) => ({ name, value: [] })),
      routes: names.map((store) => ({ kind: 'crud', path: `/${store}`, store })),
      loads: [repeatedly(connections, ...asked)],
    };
  },
);

const sessions = drawPart(
  'sessions',
  {
    items: [1, 100, 1_000],
    item: ['{}', '"x"', '[[],[],[]]', '{"name": "{{faker \'person.fullName\'}}"}'],
    connections: [4, 60],
    known: [1, 1_000, 1_000_000],
  },
  ({ items, item, connections, known }) => {
    const value = `[{{#repeat ${items}}}{"id": {{@index}}, "a": ${item}},{{/repeat}} {"id": 99999}]`;
    return {
      hasAutoSessions: true,
      stores: [{ name: 'first', templated: 'json', value }],
      routes: [{ kind: 'crud', path: '/first', store: 'first' }],
      loads: [
        repeatedly(
          connections,
          ask('GET', (count) => `/__session/x${count % known}/first?limit=1`),
        ),
      ],
    };
  },
);

const sockets = drawPart(
  'sockets',
  {
    count: [20, 200, 2_000],
    by: [1, 20, 200],
    to: ['sender', 'all', 'others'],
    replyBytes: [0, 1, 1_000, 100_000, 900_000],
    messageBytes: [1, 100, 60_000],
    writeBytes: [1, 60_000, 1_000_000],
    everyMs: [0, 10, 500],
    ticks: [{}, { tickMs: 10, tickTo: 'each' }, { tickMs: 10, tickTo: 'all' }, { tickMs: 500, tickTo: 'all' }],
    isRead: [true, true, true, false],
  },
  ({ count, by, to, replyBytes, messageBytes, writeBytes, everyMs, ticks, isRead }) => {
    const reply = replyBytes === 0 ? { templated: true, body: '{{body}}' } : { body: 'x'.repeat(replyBytes) };
    const tick = 'tickMs' in ticks ? [{ when: 'tick', body: 'x'.repeat(1_000) }] : [];
    const messages = filled(frame('h'.repeat(messageBytes)), writeBytes);
    const sends = { by, bytes: () => messages, everyMs };
    return {
      routes: [{ kind: 'ws', method: 'GET', path: '/ws', responses: [{ to, ...reply }, ...tick], ...ticks }],
      loads: [{ kind: 'hold', count, open: handshake('/ws'), isAnswered: true, isRead, sends }],
    };
  },
);

const streams = drawPart(
  'streams',
  {
    count: [20, 200, 2_000],
    data: ['x', 'x'.repeat(1_000), "{{#repeat 100}}{{faker 'lorem.word'}}{{/repeat}}"],
    delay: [10, 100, 1_000],
    isRead: [true, true, true, false],
    pushBytes: [0, 1, 200_000],
  },
  ({ count, data, delay, isRead, pushBytes }) => {
    const stream = { channel: 'c', repeat: 'forever', events: [{ data, delay }] };
    const push = call('POST', '/streams/send', () => ({ channel: 'c', events: [{ data: 'x'.repeat(pushBytes) }] }));
    return {
      routes: [{ method: 'GET', path: '/stream', responses: [{ templated: true, stream }] }],
      loads: [
        { kind: 'hold', count, open: ask('GET', '/stream'), isAnswered: true, isRead },
        ...(pushBytes === 0 ? [] : [{ ...repeatedly(1, push), port: 'api' } as const]),
      ],
    };
  },
);

const saves = drawPart(
  'saves',
  { count: [10, 500, 3_000], bytes: [10, 1_000], sessionCount: [0, 20, 300] },
  ({ count, bytes, sessionCount }) => {
    const rule = { target: 'header', property: 'x-a', operator: 'regex', value: `^${'a?'.repeat(10)}$` };
    const responses = [{ templated: true, body: `{{query 'a'}}${'x'.repeat(bytes)}`, rules: [rule] }];
    const overlay = { routes: [{ method: 'GET', path: '/saved/overlaid', responses }] };
    const session = call('POST', '/sessions', (made) => ({ id: `saved${made}`, overlay }));
    const edit = call('PUT', '/staged', (saved) => ({ settings: { variables: { saved } } }));
    const below = (asked: number): string => (sessionCount === 0 ? '' : `/__session/saved${asked % sessionCount}`);
    return {
      routes: Array.from({ length: count }, (_, index) => ({ method: 'GET', path: `/saved/${index}`, responses })),
      before: sessionCount === 0 ? [] : [{ ...repeatedly(4, session), port: 'api', times: sessionCount }],
      loads: [
        { ...repeatedly(1, edit, call('POST', '/save')), port: 'api' },
        repeatedly(
          4,
          ask('GET', (asked) => `${below(asked)}/saved/0`),
        ),
      ],
    };
  },
);

/** A condition reads them, unless they never end. */
const uploads = drawPart(
  'uploads',
  { count: [4, 60], shape: SHAPES, bytes: [100_000, 1_000_000, 9_000_000], isCompressed: EITHER, isWhole: EITHER },
  ({ count, shape, bytes, isCompressed, isWhole }) => {
    const upload = ask('POST', '/up', ...encoded(shape, bytes, isCompressed));
    const responses = [{ rules: [{ target: 'body', property: '$..a', operator: 'equals', value: 'never' }] }, {}];
    return {
      routes: [{ method: 'POST', path: '/up', responses }],
      loads: [
        isWhole
          ? repeatedly(count, upload)
          : {
              kind: 'hold',
              count,
              open: (at, opened) => upload(at, opened).subarray(0, -10),
              isAnswered: false,
              isRead: true,
            },
      ],
    };
  },
);

const MOCK_PARTS = [work, plain, stores, sessions, sockets, streams, saves, uploads];

// ---- The gateway ----

/** Rules of every type, with a filter that reads bodies. */
const rules = drawPart(
  'rules',
  {
    sample: SAMPLES,
    shape: SHAPES,
    bytes: [1_000, 100_000, 9_000_000],
    isCompressed: EITHER,
    isRecorded: EITHER,
    connections: [4, 60],
    key: ['op', 'a', 'a.a.a'],
  },
  ({ sample: { ruleType, pair }, shape, bytes, isCompressed, isRecorded, connections, key }) => {
    const filters = [{ requestPayload: { key, operator: 'Equals', value: 'never' } }];
    const pairs = [{ ...pair, source: { ...SOURCE, value: '127.0.0.1', filters } }];
    const [body, headers] = encoded(shape, bytes, isCompressed);
    return {
      before: [
        once(callApi('POST', '/v1/rules', { name: 'r', ruleType, pairs })),
        once(callApi('PUT', '/v1/gateway/settings', { record: isRecorded })),
      ],
      loads: [atGateway(connections, through('POST', headers, body))],
    };
  },
);

const code = drawPart(
  'code',
  { code: [...QUICK, ...SLOW], connections: [4, 60] },
  ({ code: { source }, connections }) => {
    const pairs = [{ source: { ...SOURCE, value: '127.0.0.1' }, type: 'code', value: source }];
    return {
      before: [once(callApi('POST', '/v1/rules', { name: 'c', ruleType: 'Response', pairs }))],
      loads: [atGateway(connections, through('GET', []))],
    };
  },
);

const heads = drawPart(
  'heads',
  {
    unit: ['a', '\\', '%20', '"token":"x",', 'eyJa.b ', '=', ';', '\\u0022'],
    count: [1, 300, 3_000],
    connections: [4, 20],
    blockBytes: [1_000, 60_000],
    hasKey: EITHER,
  },
  ({ unit, count, connections, blockBytes, hasKey }) => {
    const head = through('GET', [`x-a: ${unit.repeat(count).slice(0, 14_000)}`]);
    return {
      loads: [
        {
          kind: 'pour',
          port: 'gateway',
          connections,
          block: (at, sent) => filled(head(hasKey ? at : { ...at, key: undefined }, sent), blockBytes),
        },
      ],
    };
  },
);

const tunnels = drawPart(
  'tunnels',
  { atOnce: [4, 50, 200], names: [1, 100, 1_000_000], isSecured: EITHER },
  ({ atOnce, names, isSecured }) => {
    const host = (count: number): string => `h${count % names}.example.com`;
    const tls = isSecured ? { tlsName: host } : {};
    return { loads: [{ kind: 'knock', port: 'gateway', atOnce, request: connectTo(host), ...tls }] };
  },
);

const GATEWAY_PARTS = [rules, code, heads, tunnels];
