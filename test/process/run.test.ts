/** `switchyard run`: what programs do in it, whatever they are written in; its exit statuses and signals; and that nothing of it is left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { endAll, eventually, run, Running } from '../support/process.ts';
import { CLI, temporaryDirectory } from '../support/server.ts';
import { useOwnServer, useServer } from '../support/shared-server.ts';
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
const answered = {
  name: 'ruled',
  ruleType: 'Response',
  pairs: [
    { source: { key: 'Path', operator: 'Equals', value: '/ruled' }, response: { type: 'static', value: 'by a rule' } },
  ],
};

const { server, key } = await useOwnServer(['--gateway-port', '0', '--workers', '1']);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });
const named = { SWITCHYARD_SERVER: `http://127.0.0.1:${server.port}`, SWITCHYARD_API_KEY: key };

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

test('curl, Node.js and Python ask through a temporary server with mocks and rules, and trust it; what asks past it trusts what it did', async () => {
  for (const [file, text] of Object.entries(ASKS)) writeFileSync(join(cwd, file), text);
  writeFileSync(join(cwd, 'rules.json'), JSON.stringify({ switchyard: 1, kind: 'rules', rules: [answered] }));
  const routes = [{ method: 'GET', path: '/left', responses: [{ body: '7 left' }] }];
  writeFileSync(join(cwd, 'shop.json'), JSON.stringify({ switchyard: 2, kind: 'mock', name: 'Shop', routes }));
  writeFileSync(
    join(cwd, 'all.sh'),
    `sh curl.sh "$1"; node node.mjs "$1"; /usr/bin/env python3 urls.py "$1"
grep -c BEGIN "$SSL_CERT_FILE"
curl -sS -H "x-api-key: $SWITCHYARD_API_KEY" --noproxy '*' "$SWITCHYARD_SERVER/v1/mocks/shop" | grep -o '"name":"Shop"'
exit 7`,
  );
  const TMPDIR = temporaryDirectory();
  const args = ['--mock', 'shop.json', '--rules', 'rules.json', '--egress-ca', fixture('root.pem')];
  // What is trusted beside the usual authorities stays trusted.
  const env = { TMPDIR, SSL_CERT_FILE: fixture('root.pem'), NODE_EXTRA_CA_CERTS: '' };
  const command = new Running(process.execPath, [CLI, 'run', ...args, '--', 'sh', 'all.sh', real], { cwd, env });
  const { status, stdout, stderr } = await command.ended;
  const each = 'by a rule\nreal /other\n';
  const [, answers = '', count] = /^(.*)^(\d+)\n"name":"Shop"\n$/ms.exec(stdout) ?? [];
  expect([answers, stderr, status]).toEqual([`${each.repeat(3)}real /ruled\n`, '', 7]);
  expect(Number(count)).toBeGreaterThanOrEqual(rootCertificates.length + 2);
  expect(readdirSync(TMPDIR).filter((name) => !name.startsWith('switchyard-code-'))).toEqual([]);
});

test('a server that runs: its rules act, and the exit status is that of the command', async () => {
  const rule = await client.rules.create(answered as never);
  const asked = `curl -sS ${real.replace('https:', 'http:')}/ruled; echo "$NO_PROXY"; exit 3`;
  const through = await run(['run', '--direct', 'a.test, b.test', '--', 'sh', '-c', asked], { env: named });
  expect(through).toEqual({ status: 3, stdout: 'by a rulea.test,b.test\n', stderr: '' });
  await client.rules.delete(rule.id);
  const killed = await run(['run', '--', 'sh', '-c', 'kill -TERM $$'], { env: named });
  expect(killed).toEqual({ status: 143, stdout: '', stderr: '' });
});

test('in a session that lives, and in one that is made for the command: its rules act, and it ends', async () => {
  const overlay = { rules: [answered] } as never;
  const session = await client.gateway.session({ overlay });
  const ask = ['sh', '-c', 'curl -sS "$1/ruled"', 'sh', real.replace('https:', 'http:')];
  const through = await run(['run', '--session', session.id, '--', ...ask], { env: named });
  expect(through).toEqual({ status: 0, stdout: 'by a rule', stderr: '' });
  expect((await session.end()).counts).toMatchObject({ total: 1, outcomes: { served: 1 } });

  const made = await run(['run', '--new-session', '--', 'sh', '-c', 'echo "$HTTP_PROXY"'], { env: named });
  expect(made).toMatchObject({ status: 0, stderr: '' });
  expect(new URL(made.stdout).username).not.toBe('key');
  expect((await client.gateway.sessions()).records).toEqual([]);
});

test('signals are passed on, and the command decides what they do', async () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const script = signals.map((each) => `process.on('${each}', () => console.log('${each}'))`).join(';');
  const ends = `${script};process.on('SIGUSR2', () => process.exit(9));setInterval(() => {}, 1000);console.log('up')`;
  const command = new Running(process.execPath, [CLI, 'run', '--', 'node', '-e', ends], { env: named });
  let printed = 'up\n';
  for (const signal of [...signals, 'SIGUSR2'] as const) {
    expect(await eventually(() => command.stdout === printed, 20_000), command.stderr).toBe(true);
    command.child.kill(signal);
    printed += `${signal}\n`;
  }
  expect(await command.ended).toEqual({ status: 9, stdout: 'up\nSIGTERM\nSIGINT\nSIGHUP\n', stderr: '' });
});

test('what cannot be run is one line: a command, a server, a file', async () => {
  const { server: plain, key: plainKey } = await useServer();
  const without = { SWITCHYARD_SERVER: `http://127.0.0.1:${plain.port}`, SWITCHYARD_API_KEY: plainKey };
  writeFileSync(join(cwd, 'text'), 'text');
  const cases = [
    [['--', 'no-such-command'], named, 127, 'there is no command no-such-command'],
    [['--', join(cwd, 'text')], named, 126, 'EACCES'],
    [['--', 'true'], without, 2, 'has no gateway: start it with --gateway-port'],
    [[], named, 2, "missing required argument 'command'"],
    [['--session', 'none', '--', 'true'], named, 2, 'answered 404'],
    [['--rules', join(cwd, 'text'), '--', 'true'], {}, 2, `${join(cwd, 'text')}: Import is invalid`],
    [['--rules', join(cwd, 'none'), '--', 'true'], {}, 2, 'cannot read'],
  ] as const;
  for (const [args, env, status, line] of cases) {
    const outcome = await run(['run', ...args], { env, cwd });
    expect(outcome).toEqual({ status, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
    expect(outcome.stderr).toContain(line);
  }
});
