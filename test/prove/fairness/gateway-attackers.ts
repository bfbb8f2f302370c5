/** What owners of the gateway, and clients without a key, do to others that use it. */
import { gzipSync } from 'node:zlib';
import { SOURCE } from '../../support/samples.ts';
import {
  ask,
  atGateway,
  callApi,
  connectTo,
  filled,
  once,
  repeatedly,
  through,
  type Attacker,
  type Load,
} from './load.ts';

const NOTHING = { routes: [] };
/** A pattern that tries each of them as a start takes quadratic time. */
const backslashes = (count: number): string => `${'\\'.repeat(count)} \\u0022`;
const someHost = (count: number): string => `h${count}.example.com`;

function attacker(name: string, loads: readonly Load[], before: readonly Load[] = [], more = {}): Attacker {
  return { name, plane: 'gateway', heldMb: 64, plan: () => ({ definition: NOTHING, before, loads }), ...more };
}

function pipelined(hasKey: boolean): Attacker {
  return attacker(`pipelined requests ${hasKey ? 'of one owner' : 'without a key'}, on 20 connections`, [
    {
      kind: 'pour',
      port: 'gateway',
      connections: 20,
      block: (at, count) => filled(through('GET', [])(hasKey ? at : { ...at, key: undefined }, count), 5_000),
    },
  ]);
}

/** 10 kB that are 10 MB of brackets. */
const nested = (): Buffer => gzipSync('['.repeat(5_000_000) + ']'.repeat(5_000_000));
const JSON_IN_GZIP = ['Content-Type: application/json', 'Content-Encoding: gzip'];
const READS_BODIES = {
  name: 'filter',
  ruleType: 'Cancel',
  status: 'Active',
  pairs: [
    {
      source: {
        ...SOURCE,
        value: '127.0.0.1',
        filters: [{ requestPayload: { key: 'op', operator: 'Equals', value: 'never' } }],
      },
    },
  ],
};

export const GATEWAY_ATTACKERS: readonly Attacker[] = [
  attacker('runs of backslashes in a header', [atGateway(4, through('GET', [`x-a: ${backslashes(30_000)}`]))]),
  attacker(
    'runs of backslashes in a recorded body',
    [atGateway(4, through('POST', [], backslashes(100_000)))],
    [once(callApi('PUT', '/v1/gateway/settings', { record: true }))],
  ),
  {
    ...attacker('a mock that records runs of backslashes', []),
    plan: ({ upstream }) => ({
      definition: { settings: { proxy: { upstream: `http://127.0.0.1:${upstream}`, record: true } }, routes: [] },
      loads: [repeatedly(4, ask('POST', '/x', backslashes(100_000)))],
    }),
  },
  attacker(
    'tunnels that nobody uses',
    [{ kind: 'knock', port: 'gateway', atOnce: 50, request: connectTo(someHost) }],
    [{ kind: 'knock', port: 'gateway', atOnce: 50, request: connectTo(someHost), times: 10_050 }],
    { heldMb: 128, isLong: true },
  ),
  pipelined(true),
  pipelined(false),
  {
    ...attacker('bodies of 10 kB that a filter inflates and reads', []),
    heldMb: 128,
    plan: () => ({
      definition: NOTHING,
      before: [once(callApi('POST', '/v1/rules', READS_BODIES))],
      loads: [atGateway(4, through('POST', JSON_IN_GZIP, nested()))],
    }),
  },
  attacker(
    'requests of a session that is not there, on 600 connections',
    [atGateway(600, through('GET', ['x-mock-session: none']))],
    [],
    { heldMb: 128 },
  ),
  attacker(
    'requests of a session that is not there, on 1000 connections',
    [atGateway(1_000, through('GET', ['x-mock-session: none']))],
    [],
    { heldMb: 256 },
  ),
  attacker(
    'credentials in recorded bodies',
    [atGateway(24, through('POST', [], `[${Array(3_000).fill('{"token":"x"}').join()}]`))],
    [once(callApi('PUT', '/v1/gateway/settings', { record: true }))],
  ),
  attacker('handshakes, each for another name', [
    { kind: 'knock', port: 'gateway', atOnce: 200, request: connectTo(someHost), tlsName: someHost },
  ]),
];
