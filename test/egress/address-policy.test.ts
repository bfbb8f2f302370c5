/** Where upstreams may be: every spelling of what is refused, what options change, and names that answer otherwise the next time. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { request, Agent } from 'undici';
import { AddressPolicy, AddressRefused, type PolicySettings } from '../../src/egress/policy/address-policy.ts';
import { policedConnector, type Lookup } from '../../src/egress/policy/connector.ts';
import { parseReachList, type ReachList } from '../../src/egress/policy/reach-list.ts';

const list = (text: string): ReachList => parseReachList(text) as ReachList;
const policyOf = (settings: Partial<PolicySettings> = {}): AddressPolicy =>
  new AddressPolicy({ allow: [], deny: [], allowsLoopback: false, ownPorts: [], ...settings });
const why = (policy: AddressPolicy, address: string, port = 80, host = address): string | undefined =>
  policy.refusal(address, port, host)?.message;

const NOT_PUBLIC = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.254',
  '169.254.1.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:10.0.0.1',
  '0:0:0:0:0:ffff:a00:1',
  '64:ff9b::7f00:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::7f00:1',
  'fe80::1',
  'fc00::1',
  'fd12::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '3fff::1',
  '100::1',
  'fec0::1',
];
const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '192.0.1.1',
  '2606:4700::1111',
  '2a00:1450::1',
  '::ffff:1.1.1.1',
  '64:ff9b::1.1.1.1',
];
const METADATA = [
  '169.254.169.254',
  '169.254.170.2',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',

  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  'fd00:ec2::254',
  'fd00:0ec2:0:0:0:0:0:0254',
  'fd20:ce::254',
];

test.each(NOT_PUBLIC)('%s is refused', (address) => {
  expect(why(policyOf(), address)).toContain('--egress-allow');
});

test.each(PUBLIC)('%s is allowed', (address) => {
  expect(why(policyOf(), address)).toBeUndefined();
});

test.each(METADATA)('%s is refused whatever is allowed', (address) => {
  const open = policyOf({ allow: list('0.0.0.0/0,::/0,metadata.internal'), allowsLoopback: true });
  expect(why(open, address, 80, 'metadata.internal')).toContain('always refused');
});

test.each(['fe80::1%lo', '127.0.0.1%lo', 'localhost', '2130706433', '0177.0.0.1', '127.1', ''])(
  'what is not an address is never one that is allowed: %s',
  (text) => {
    expect(why(policyOf({ allow: list('0.0.0.0/0,::/0'), allowsLoopback: true }), text)).toContain(
      'is not a valid address',
    );
  },
);

test('options open networks and names, with a port or all usual ones, and a refusal comes before', () => {
  const policy = policyOf({
    allow: list('10.0.0.0/8,api.internal:8443,*.corp.example,[fd12::]/16,fd34::1,192.168.0.1:22'),
    deny: list('10.9.0.0/16,bad.corp.example'),
  });
  expect(why(policy, '10.1.2.3', 8080)).toBeUndefined();
  expect(why(policy, '::ffff:10.1.2.3', 8080)).toBeUndefined();
  expect(why(policy, '10.9.2.3')).toContain('--egress-deny');
  expect(why(policy, '192.168.7.7', 8443, 'API.internal')).toBeUndefined();
  expect(why(policy, '192.168.7.7', 8444, 'api.internal')).toContain('--egress-allow');
  expect(why(policy, '192.168.7.7', 443, 'a.corp.example.')).toBeUndefined();
  expect(why(policy, '192.168.7.7', 443, 'corp.example')).toContain('--egress-allow');
  expect(why(policy, '192.168.7.7', 443, 'bad.corp.example')).toContain('--egress-deny');
  expect(why(policy, 'fd12::9', 443)).toBeUndefined();
  expect(why(policy, 'fd34::1', 443)).toBeUndefined();
  expect(why(policy, 'fd34::2', 443)).toContain('--egress-allow');
  // A port of another protocol only where it is listed itself.
  expect(why(policy, '10.1.2.3', 22)).toContain('another protocol');
  expect(why(policy, '192.168.0.1', 22)).toBeUndefined();
  expect(why(policyOf(), '1.1.1.1', 25)).toContain('another protocol');
  expect(why(policyOf(), '1.1.1.1', 6000)).toContain('another protocol');
});

test('loopback is open where only this machine asks, without the own ports', () => {
  const policy = policyOf({ allowsLoopback: true, allow: list('0.0.0.0/0'), ownPorts: [8080] });
  expect(why(policy, '127.0.0.1', 3000)).toBeUndefined();
  expect(why(policy, '::1', 3000)).toBeUndefined();
  for (const address of ['127.0.0.1', '127.9.9.9', '0.0.0.0', '::', '::1', '::ffff:127.0.0.1'])
    expect(why(policy, address, 8080)).toContain('a port of this server');
  expect(why(policyOf({ allowsLoopback: true }), '0.0.0.0', 3000)).toContain('--egress-allow');
});

test.each([
  '10.0.0.0/33',
  '10.0.0/8',
  '1.2.3',
  '::1/129',
  'a b',
  'host:0',
  'host:70000',
  'http://a',
  '[::1',
  'fd00::/8:80x',
  '*',
])('a list with %s is refused', (text) => expect(parseReachList(`a.example,${text}`)).toBe(JSON.stringify(text)));

let asked = 0;
const server = await new Promise<Server>((resolve) => {
  const made = createServer((_request, response) => (asked++, response.end('secret')));
  made.listen(0, '127.0.0.1', () => resolve(made));
});
afterAll(() => server.close());
const port = (server.address() as AddressInfo).port;

/** Asks through the connector. @returns The status, or the error. */
async function ask(url: string, settings: Partial<PolicySettings>, lookup?: Lookup): Promise<number | Error> {
  const connect = policedConnector({
    policy: policyOf(settings),
    ca: [],
    insecure: [],
    ...(lookup === undefined ? {} : { lookup }),
  });
  const agent = new Agent({ connect });
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent });
    await body.dump();
    return statusCode;
  } catch (error) {
    return error as Error;
  } finally {
    await agent.destroy();
  }
}

test.each([
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '127.1',
  '127.0.0.1.',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  'localhost',
  'localhost.',
  '[64:ff9b::7f00:1]',
  '0',
])('no connection is made to this machine as %s', async (host) => {
  const before = asked;
  // A resolver need not know the name with a dot at its end.
  const expected = host === 'localhost.' ? Error : AddressRefused;
  expect(await ask(`http://${host}:${port}/`, {})).toBeInstanceOf(expected);
  expect(asked).toBe(before);
});

test('a name that has a public address and then one of this machine is refused: the second is not asked for', async () => {
  const answers = ['1.1.1.1', '127.0.0.1'];
  let lookups = 0;
  const rebinding: Lookup = (_host, _options, done) => {
    const address = answers[Math.min(lookups++, 1)] as string;
    done(null, [{ address, family: 4 }]);
  };
  const before = asked;
  const outcome = await Promise.race([
    ask(`http://rebind.example:${port}/`, {}, rebinding),
    new Promise<string>((resolve) => setTimeout(resolve, 500, 'no answer')),
  ]);
  expect(outcome).not.toBe(200);
  expect(lookups).toBe(1);
  expect(await ask(`http://rebind.example:${port}/`, {}, rebinding)).toBeInstanceOf(AddressRefused);
  expect(asked).toBe(before);
});

test('of several addresses of a name only those are connected to that are allowed', async () => {
  const both: Lookup = (_host, _options, done) =>
    done(null, [
      { address: '10.255.255.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
  expect(await ask(`http://both.example:${port}/`, { allowsLoopback: true }, both)).toBe(200);
});
