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
const INITIALIZE = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
};

function mcp(connections: number, message: object): Load {
  const posted = callApi('POST', '/mcp', { jsonrpc: '2.0', id: 1, ...message });
  return { ...repeatedly(connections, posted), port: 'api' };
}

/** Definitions of 5,000 routes whose patterns are checked as they are staged. */
function stagedPatterns(): Attacker {
  const routes = Array.from({ length: 5_000 }, (_, index) => ({
    method: 'GET',
    path: `/r/${index}`,
    responses: [
      {
        body: 'x',
        rules: [{ target: 'header', property: 'x-a', operator: 'regex', value: `^a${index}(b|c)+[0-9]{2,4}$` }],
      },
    ],
  }));
  const body = JSON.stringify({ routes });
  const put: Request = (at, count) => {
    const head = call('PUT', '/staged')(at, count).toString().replace('\r\n\r\n', '');
    return Buffer.from(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  };
  return attacker('stagings of 5000 routes with patterns', [{ ...repeatedly(16, put), port: 'api' }], { heldMb: 320 });
}

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
  attacker('MCP servers that agents ask for', [mcp(64, INITIALIZE)]),
  attacker('lists of MCP tools', [mcp(32, { method: 'tools/list' })]),
  stagedPatterns(),
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
