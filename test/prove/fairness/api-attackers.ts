/** What owners, and clients without a key, do to others that use the API. */
import { ask, call, callApi, filled, repeatedly, type Attacker, type Hold, type Load, type Request } from './load.ts';

const CONNECTIONS = 60;
const NOTHING = { routes: [] };

function attacker(name: string, loads: readonly Load[], more: Partial<Attacker> = {}): Attacker {
  return { name, plane: 'api', heldMb: 64, plan: () => ({ definition: NOTHING, loads }), ...more };
}

function pipelined(path: string, key?: string): Attacker {
  const block: Request = (at, count) => filled(callApi('GET', path)({ ...at, key }, count), 20_000);
  return attacker(`pipelined requests for ${path} with ${key === undefined ? 'no' : 'a wrong'} key`, [
    { kind: 'pour', port: 'api', connections: CONNECTIONS, block },
  ]);
}

/** Answers of some megabytes of which nobody reads more than the head. */
function unread(...requests: readonly Request[]): Hold[] {
  const count = CONNECTIONS / requests.length;
  return requests.map((open) => ({ kind: 'hold', port: 'api', count, open, isAnswered: true, isRead: false }));
}

const LARGE = Array.from({ length: 100 }, (_, index) => ({
  method: 'GET',
  path: `/${index}`,
  responses: [{ body: 'x'.repeat(46_000) }],
}));
const FLOODED = { method: 'POST', path: '/', responses: [{ body: 'x' }] };

export const API_ATTACKERS: readonly Attacker[] = [
  pipelined('/v1/openapi.json'),
  pipelined('/metrics'),
  pipelined('/docs'),
  pipelined('/v1/rules', 'wrong'),
  attacker('requests for /metrics', [
    { ...repeatedly(CONNECTIONS, (at) => callApi('GET', '/metrics')(at, 0)), port: 'api' },
  ]),
  attacker(
    'reads on 5000 connections',
    [{ ...repeatedly(5_000, callApi('GET', '/v1/groups?pageSize=1')), port: 'api' }],
    {
      heldMb: 256,
    },
  ),
  {
    ...attacker('answers that nobody reads, after a flood', []),
    isSmall: true,
    plan: () => ({
      definition: { routes: [...LARGE, FLOODED] },
      before: [{ ...repeatedly(CONNECTIONS, ask('POST', '/', 'q'.repeat(32_768))), times: 2_500 }],
      loads: unread(call('GET', '/export?report=true'), call('GET', '/staged'), call('GET', '/requests?limit=1000')),
    }),
  },
];
