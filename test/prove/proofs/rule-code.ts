/**
 * Hostile code of one owner on a real gateway, beside the code of another one: every exchange is answered, the other owner's code does what it
 * should, the process of the gateway lives on and takes no more memory than its bounds.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ESCAPES, QUICK, SLOW } from '../../support/code-corpus.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const ROUNDS: Record<Effort, number> = { short: 1, full: 6 };
const SECONDS: Record<Effort, number> = { short: 20, full: 150 };
/** The process has some 95 MB; the code's memory and that of generations which are not collected yet come to it: 215 MB were measured. */
const RSS_BYTES_MAX = 400 * 1_048_576;

export const proof: Proof = {
  name: 'rule-code',
  promise:
    "The code of one owner's rules neither reaches the host nor holds up or changes what the code of another one does.",
  unavailable: () => (process.platform === 'linux' ? undefined : 'finds the process of the gateway in /proc'),
  async run(tally: Tally, effort: Effort) {
    const upstream = createServer((_req, res) => void res.end('real'));
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/`;
    const options = ['--gateway-port', '0', '--rule-code', '--log-level', 'silent', '--workers', '1'];
    const server = await TestServer.start(options);
    const port = Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)?.[1]);
    const good = await server.key('good');
    const evil = await server.key('evil');
    await save(server, good, '(a) => { globalThis.n = (globalThis.n ?? 0) + 1; return a.response + a.method; }');
    const escapes = ESCAPES.map(([what, source]) => ({ what, source: `(a) => "seen " + (${source})(a)` }));
    const corpus = Array.from({ length: ROUNDS[effort] }, () => [...escapes, ...SLOW, ...QUICK]).flat();
    for (const { what, source } of tally.within(SECONDS[effort], 'hostile code', corpus)) {
      const id = await save(server, evil, source);
      const [harmed, ...answered] = await Promise.all([
        through(port, url, evil),
        ...Array.from({ length: 3 }, () => through(port, url, good)),
      ]);
      tally.check('hostile code', harmed !== undefined && !harmed.includes('host'), () => `${what}: ${harmed}`);
      for (const each of answered) tally.check("another owner's code", each === 'realGET', () => `${what}: ${each}`);
      await server.request('DELETE', `/v1/rules/${id}`, { key: evil });
      const bytes = rssOf(server.pid);
      tally.check('memory of the gateway', bytes < RSS_BYTES_MAX, () => `${what}: ${bytes} bytes`);
    }
    const { json } = await server.request('GET', '/v1/gateway', { key: good });
    tally.check('the process of the gateway', json.data.restarts === 0, () => `${json.data.restarts} restarts`);
    await server.end();
    upstream.closeAllConnections();
    upstream.close();
  },
};

async function save(server: TestServer, key: string, value: string): Promise<string> {
  const pairs = [{ source: { key: 'Url', operator: 'Contains', value: '/' }, type: 'code', value }];
  const { json } = await server.request('POST', '/v1/rules', {
    key,
    body: { name: 'code', ruleType: 'Response', pairs },
  });
  return json.data.id;
}

function through(port: number, url: string, key: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const headers = { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
    const sent = ask({ host: '127.0.0.1', port, path: url, headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
      reply.on('end', () => resolve(body));
    });
    sent.on('error', () => resolve(undefined));
    sent.end();
  });
}

/** The largest child of the server whose program is that of the gateway. */
function rssOf(serverPid: number | undefined): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      const isChild = status.includes(`PPid:\t${serverPid}\n`);
      if (!isChild || !readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('egress.js')) continue;
      return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    } catch {
      // It has just ended.
    }
  }
  return Infinity;
}
