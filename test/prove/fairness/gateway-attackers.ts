/** What owners of the gateway, and clients without a key, do to others that use it. */
import { gzipSync } from 'node:zlib';
import { ask, authorization, callApi, filled, through, type Attacker, type Request } from './load.ts';

const BACKSLASHES = `${'\\'.repeat(30_000)} \\u0022`;
const NOTHING = { routes: [] };

/** To some host of that number, with the credentials of the owner. */
const tunnel =
  (host: (count: number) => string): Request =>
  ({ key }, count) =>
    `CONNECT ${host(count)}:443 HTTP/1.1\r\nHost: ${host(count)}:443\r\n${authorization(key)}\r\n\r\n`;
const someHost = (count: number): string => `h${count}.example.com`;

export const GATEWAY_ATTACKERS: readonly Attacker[] = [
  {
    name: 'runs of backslashes in a header',
    plane: 'gateway',
    heldMb: 32,
    plan: () => ({
      definition: NOTHING,
      loads: [{ kind: 'ask', port: 'gateway', connections: 4, requests: [through('GET', [`x-a: ${BACKSLASHES}`])] }],
    }),
  },
  {
    name: 'runs of backslashes in a recorded body',
    plane: 'gateway',
    heldMb: 64,
    plan: () => ({
      definition: NOTHING,
      before: [
        {
          kind: 'ask',
          port: 'api',
          connections: 1,
          times: 1,
          requests: [callApi('PUT', '/v1/gateway/settings', { record: true })],
        },
      ],
      loads: [
        {
          kind: 'ask',
          port: 'gateway',
          connections: 4,
          requests: [through('POST', [], `${'\\'.repeat(100_000)} \\u0022`)],
        },
      ],
    }),
  },
  {
    name: 'tunnels that nobody uses',
    plane: 'gateway',
    isLong: true,
    heldMb: 128,
    plan: () => ({
      definition: NOTHING,
      before: [{ kind: 'knock', port: 'gateway', atOnce: 50, request: tunnel(someHost), times: 10_050 }],
      loads: [{ kind: 'knock', port: 'gateway', atOnce: 50, request: tunnel(someHost) }],
    }),
  },
  ...[true, false].map((hasKey): Attacker => ({
    name: `pipelined requests ${hasKey ? 'of one owner' : 'without a key'}, on 20 connections`,
    plane: 'gateway',
    heldMb: 64,
    plan: () => ({
      definition: NOTHING,
      loads: [
        {
          kind: 'pour',
          port: 'gateway',
          connections: 20,
          block: ({ key, ports }) => {
            const host = `127.0.0.1:${ports.upstream}`;
            const keyed = hasKey ? `${authorization(key)}\r\n` : '';
            return filled(Buffer.from(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${keyed}\r\n`), 5_000);
          },
        },
      ],
    }),
  })),
  {
    name: 'bodies of 10 kB that a filter inflates and reads',
    plane: 'gateway',
    heldMb: 128,
    plan: () => {
      const pairs = [
        {
          source: {
            key: 'Url',
            operator: 'Contains',
            value: '127.0.0.1',
            filters: [{ requestPayload: { key: 'op', operator: 'Equals', value: 'never' } }],
          },
        },
      ];
      const rule = { name: 'filter', ruleType: 'Cancel', status: 'Active', pairs };
      const nested = gzipSync(`${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`);
      const headers = ['Content-Type: application/json', 'Content-Encoding: gzip'];
      return {
        definition: NOTHING,
        before: [
          { kind: 'ask', port: 'api', connections: 1, times: 1, requests: [callApi('POST', '/v1/rules', rule)] },
        ],
        loads: [{ kind: 'ask', port: 'gateway', connections: 4, requests: [through('POST', headers, nested)] }],
      };
    },
  },
  {
    name: 'handshakes, each for another name',
    plane: 'gateway',
    heldMb: 64,
    plan: () => ({
      definition: NOTHING,
      loads: [{ kind: 'knock', port: 'gateway', atOnce: 200, request: tunnel(someHost), tlsName: someHost }],
    }),
  },
  {
    name: 'a mock that records runs of backslashes',
    plane: 'gateway',
    heldMb: 64,
    plan: ({ upstream }) => ({
      definition: { settings: { proxy: { upstream: `http://127.0.0.1:${upstream}`, record: true } }, routes: [] },
      loads: [{ kind: 'ask', connections: 4, requests: [ask('POST', '/x', `${'\\'.repeat(100_000)} \\u0022`)] }],
    }),
  },
];
