/** `switchyard run`: what programs do in it, whatever they are written in; its exit statuses and signals; and that nothing of it is left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { endAll, eventually, run, Running } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { fixture } from '../support/tls.ts';

const upstream = createServer(
  { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) },
  (req, res) => res.end(`real ${req.url}`),
);
await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
const real = `https://localhost:${(upstream.address() as AddressInfo).port}`;
afterAll(async () => {
  await endAll();
  upstream.closeAllConnections();
  upstream.close();
});

const cwd = temporaryDirectory();
const ruleFor = (path: string) => ({
  name: 'ruled',
  ruleType: 'Response',
  pairs: [
    { source: { key: 'Path', operator: 'Equals', value: path }, response: { type: 'static', value: 'by a rule' } },
  ],
});
const answered = ruleFor('/ruled');
const inSession = ruleFor('/in-session');

/** Each asks two addresses and prints the answers; the last one of Python goes past the gateway. */
const ASKS = {
  'curl.sh': `curl -sS "$1/ruled"; echo; curl -sS "$1/other"; echo`,
  'node.mjs': `import { EnvHttpProxyAgent, setGlobalDispatcher } from ${JSON.stringify(resolve(import.meta.dirname, '../../node_modules/undici/index.js'))};
setGlobalDispatcher(new EnvHttpProxyAgent());
for (const path of ['/ruled', '/other']) console.log(await (await fetch(process.argv[2] + path)).text());`,
  'urls.py': `import sys, urllib.request
for path in ['/ruled', '/other']: print(urllib.request.urlopen(sys.argv[1] + path).read().decode())
past = urllib.request.build_opener(urllib.request.ProxyHandler({}))
print(past.open(sys.argv[1] + '/ruled').read().decode())`,
};
for (const [file, text] of Object.entries(ASKS)) writeFileSync(join(cwd, file), text);
writeFileSync(join(cwd, 'rules.json'), JSON.stringify({ switchyard: 1, kind: 'rules', rules: [answered] }));
const routes = [{ method: 'GET', path: '/left', responses: [{ body: '7 left' }] }];
writeFileSync(join(cwd, 'shop.json'), JSON.stringify({ switchyard: 2, kind: 'mock', name: 'Shop', routes }));

/** The command of a temporary server, which serves the whole file: it prints its environment, and the signals that it gets. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const SCRIPT = `${SIGNALS.map((each) => `process.on('${each}', () => console.log('${each}'))`).join(';')};
process.on('SIGUSR2', () => process.exit(9));setInterval(() => {}, 1000);
console.log(JSON.stringify(process.env), process.argv.slice(1).join('|'))`;
const TMPDIR = temporaryDirectory();
const OWN = ['run', '--mock', 'shop.json', '--rules', 'rules.json', '--egress-ca', fixture('root.pem')];
// What is trusted beside the usual authorities stays trusted.
const trusted = { TMPDIR, SSL_CERT_FILE: fixture('root.pem'), NODE_EXTRA_CA_CERTS: '' };
const WORDS = ['a  b', '$HOME', '', '--port'];
const own = new Running(process.execPath, [CLI, ...OWN, '--', 'node', '-e', SCRIPT, '--', ...WORDS], {
  cwd,
  env: { ...trusted, HTTP_PROXY: 'http://before.test:1', https_proxy: 'http://before.test:1' },
});
expect(await eventually(() => own.stdout.endsWith('\n'), 30_000), own.stderr).toBe(true);
const [, printed = '', words] = /^(\{.*\}) (.*)\n$/s.exec(own.stdout) ?? [];
const environment = JSON.parse(printed) as Record<string, string>;
const { SWITCHYARD_SERVER = '', SWITCHYARD_API_KEY = '' } = environment;
const named = { SWITCHYARD_SERVER, SWITCHYARD_API_KEY };
const client = createClient({ apiUrl: `${SWITCHYARD_SERVER}/v1`, key: SWITCHYARD_API_KEY });

test('curl, Node.js and Python ask through a temporary server with mocks and rules, and trust it; what asks past it trusts what it did', async () => {
  expect(words).toBe(WORDS.join('|'));
  writeFileSync(
    join(cwd, 'all.sh'),
    `sh curl.sh "$1"; node node.mjs "$1"; /usr/bin/env python3 urls.py "$1"
grep -c BEGIN "$SSL_CERT_FILE"
curl -sS -H "x-api-key: $SWITCHYARD_API_KEY" --noproxy '*' "$SWITCHYARD_SERVER/v1/mocks/shop" | grep -o '"name":"Shop"'
exit 7`,
  );
  const command = new Running('sh', ['all.sh', real], { cwd, env: environment });
  const { status, stdout, stderr } = await command.ended;
  const each = 'by a rule\nreal /other\n';
  const [, answers = '', count] = /^(.*)^(\d+)\n"name":"Shop"\n$/ms.exec(stdout) ?? [];
  expect([answers, stderr, status]).toEqual([`${each.repeat(3)}real /ruled\n`, '', 7]);
  expect(Number(count)).toBeGreaterThanOrEqual(rootCertificates.length + 2);
});

test('a server that runs: its rules act, and the exit status is that of the command', async () => {
  const asked = `curl -sS ${real.replace('https:', 'http:')}/ruled; echo "$NO_PROXY"; kill -TERM $$`;
  const through = await run(['run', '--direct', 'a.test, b.test', '--', 'sh', '-c', asked], { env: named });
  expect(through).toEqual({ status: 143, stdout: 'by a rulea.test,b.test\n', stderr: '' });
});

test('in a session that lives, and in one that is made for the command: its rules act, and it ends', async () => {
  const overlay = { rules: [inSession] } as never;
  const session = await client.gateway.session({ overlay });
  const ask = ['sh', '-c', 'curl -sS "$1/in-session"', 'sh', real.replace('https:', 'http:')];
  const through = await run(['run', '--session', session.id, '--', ...ask], { env: named });
  expect(through).toEqual({ status: 0, stdout: 'by a rule', stderr: '' });
  expect((await session.end()).counts).toMatchObject({ total: 1, outcomes: { served: 1 } });

  const made = await run(['run', '--new-session', '--', 'sh', '-c', 'echo "$HTTP_PROXY"'], { env: named });
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(new URL(made.stdout).username).not.toBe('key');
  expect((await client.gateway.sessions()).records).toEqual([]);
});

test('what cannot be run is one line: a command, a server, a file', async () => {
  const status = { running: false, server: null as string | null };
  const other = createPlainServer((_req, res) => res.end(JSON.stringify({ success: true, data: status })));
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void other.close());
  const SERVER = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const without = { ...named, SWITCHYARD_SERVER: SERVER };
  const cases = [
    [['--', 'no-such-command'], named, 127, 'command not found: no-such-command'],
    [['--', 'true'], without, 2, 'has no gateway: start it with --gateway-port'],
    [['--', join(cwd, 'rules.json', 'below')], named, 126, 'ENOTDIR'],
    [['--', ''], named, 127, "command not found: ''"],
    [['--session', 'none', '--', 'true'], named, 2, 'answered 404'],
    [['--rules', join(cwd, 'none'), '--', 'true'], {}, 2, 'cannot read'],
  ] as const;
  for (const [args, env, exit, line] of cases) {
    const outcome = await run(['run', ...args], { env, cwd });
    expect(outcome).toEqual({ status: exit, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    expect(outcome.stderr).toContain(line);
  }
});

test('signals are passed on, and the command decides what they do; nothing is left of its server', async () => {
  let lines = own.stdout;
  for (const signal of [...SIGNALS, 'SIGUSR2'] as const) {
    own.child.kill(signal);
    if (signal !== 'SIGUSR2') lines += `${signal}\n`;
    expect(await eventually(() => own.stdout === lines, 20_000), own.stderr).toBe(true);
  }
  expect(await own.ended).toEqual({ status: 9, stdout: lines, stderr: '' });
  expect(readdirSync(TMPDIR).filter((name) => !name.startsWith('switchyard-code-'))).toEqual([]);
});
