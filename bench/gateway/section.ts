/**
 * The benchmark of the gateway: what a request through it costs the process that runs it, beside other proxies with the same
 * rule, with many rules, and over TLS, in the same rounds.
 */
import { deepStrictEqual as deepEqual } from 'node:assert';
import { readFileSync } from 'node:fs';
import { mitmproxy, mockttp, relay, type Proxy } from '../contenders/proxies.ts';
import { nginx, startReverseProxy, startTlsService } from '../contenders/nginx.ts';
import { startRawApp } from '../contenders/raw.ts';
import { clientOf, startOn } from '../contenders/switchyard.ts';
import type { Generate } from '../load/load.ts';
import { startLoad } from '../load/start-load.ts';
import type { TlsLoad } from '../load/tls-client.ts';
import { startJobs, temporaryDirectory, type Server, type Service } from '../processes.ts';
import { comparedSection, type ComparedTarget, type StartCompared } from '../compared.ts';
import { progress } from '../report.ts';
import type { RunningContender } from '../rounds.ts';
import { seedOwners, type SeededOwner } from '../rules.ts';
import { sampleReply, type SampleReply } from '../sample-reply.ts';
import { certificateFor } from './certificate.ts';

const CONNECTIONS = 32;
const CONNECTIONS_TINY = 4;
const HEADER = { name: 'x-bench', value: '1' };
const PATH = '/resources/000042/details?page=1';
const HOST = 'localhost';
const RULES_FEW = 10;
const RULES_MANY = 10_000;
const RULES_MANY_TINY = 50;

/** What the service behind answers: some 100 bytes. */
const ANSWER: SampleReply = {
  status: 200,
  headerName: 'content-type',
  headerValue: 'application/json',
  body: JSON.stringify({ id: '000042', name: 'Wool jumper', price: 49.9, tags: ['new', 'warm', 'blue'], in: 'stock' }),
};

const TARGETS: readonly ComparedTarget[] = [
  { scenario: 'rule', over: 'gateway', under: 'bare relay', most: 1.8 },
  { scenario: 'rule', over: 'mockttp', under: 'gateway', least: 4.4 },
  { scenario: 'rule', over: 'mitmproxy', under: 'gateway', least: 10 },
  { scenario: 'rules', over: 'many rules', under: 'few rules', most: 1.1 },
  { scenario: 'bodies', over: 'bodies kept', under: 'not kept', most: 1.1 },
  { scenario: 'tls', over: 'gateway', under: 'nginx', most: 5 },
];

const SCENARIOS: Readonly<Record<string, StartCompared>> = {
  /** One rule that sets a header each way, of clients that know the proxy: nginx is asked as the service itself. */
  async rule(tiny, generate) {
    const { port } = await startRawApp({ reply: ANSWER });
    const contenders: RunningContender[] = [];
    for (const proxy of [NGINX, relay, mockttp, mitmproxy]) {
      const lack = proxy.missing();
      if (lack === undefined) {
        const server = await proxy.start(port, HEADER);
        contenders.push(await contender(proxy.name, server, proxy === NGINX ? PATH : urlOf(port), {}, tiny));
      } else progress(`without ${proxy.name}: ${lack}`);
    }
    const { service, owners } = await startGateway([0]);
    await addHeaderRule(service, owners[0] as SeededOwner);
    contenders.splice(1, 0, await gatewayContender('gateway', service, owners[0] as SeededOwner, port, tiny));
    return { contenders, generate };
  },

  /** Rules of which none is for the request. */
  async rules(tiny, generate) {
    const { port } = await startRawApp({ reply: ANSWER });
    const { service, owners } = await startGateway([RULES_FEW, tiny ? RULES_MANY_TINY : RULES_MANY]);
    const names = ['few rules', 'many rules'];
    const contenders = await Promise.all(
      owners.map((owner, index) => gatewayContender(names[index] as string, service, owner, port, tiny)),
    );
    return { contenders, generate };
  },

  async bodies(tiny, generate) {
    const { port } = await startRawApp({ reply: ANSWER });
    const { service, owners } = await startGateway([0, 0]);
    const [plain, kept] = owners as [SeededOwner, SeededOwner];
    await clientOf(service, kept.key).gateway.settings.put({ record: true });
    const contenders = [
      await gatewayContender('not kept', service, plain, port, tiny),
      await gatewayContender('bodies kept', service, kept, port, tiny),
    ];
    return { contenders, generate };
  },

  /** Connections that are kept, TLS on both sides. */
  async tls(tiny) {
    const lack = nginx.missing();
    if (lack !== undefined) {
      progress(`without tls: ${lack}`);
      return { contenders: [], generate: await startLoad() };
    }
    const files = certificateFor(HOST);
    const { port } = await startTlsService(ANSWER.headerValue, ANSWER.body, files);
    const proxy = await startReverseProxy(port, HEADER, files);
    const { service, owners } = await startGateway([0], ['--egress-ca', files.ca]);
    const owner = owners[0] as SeededOwner;
    await addHeaderRule(service, owner);
    const connections = tiny ? CONNECTIONS_TINY : CONNECTIONS;
    const to = { method: 'GET', path: PATH, headers: { host: `${HOST}:${port}` }, connections, name: HOST } as const;
    const direct: Omit<TlsLoad, 'seconds'> = { ...to, port: proxy.port, ca: readFileSync(files.ca, 'utf8') };
    const through: Omit<TlsLoad, 'seconds'> = {
      ...to,
      port: gatewayOf(service).port,
      ca: await clientOf(service, owner.key).gateway.ca(),
      tunnel: { to: `${HOST}:${port}`, authorization: authorizationOf(owner) },
    };
    const { run: send } = await startJobs<TlsLoad, Awaited<ReturnType<Generate>>>('load/tls-client.ts');
    return {
      contenders: [
        { name: 'nginx', pid: proxy.pid, load: () => direct },
        { name: 'gateway', pid: gatewayOf(service).pid, load: () => through },
      ],
      generate: (load) => send(load as TlsLoad),
    };
  },
};

export const gateway = comparedSection('gateway', TARGETS, SCENARIOS);

const NGINX: Proxy = { name: nginx.name, missing: () => nginx.missing(), start: startReverseProxy };

async function startGateway(ruleCounts: readonly number[], options: readonly string[] = []) {
  const directory = temporaryDirectory();
  const owners = await seedOwners(directory, ruleCounts);
  const { service } = await startOn({ directory, key: (owners[0] as SeededOwner).key }, [
    '--gateway-port',
    '0',
    ...options,
  ]);
  return { service, owners };
}

async function addHeaderRule(service: Service, { key }: SeededOwner): Promise<void> {
  const line = { header: HEADER.name, type: 'Add', value: HEADER.value };
  await clientOf(service, key).rules.create({
    name: 'a header each way',
    ruleType: 'Headers',
    pairs: [
      {
        source: { key: 'host', operator: 'Contains', value: HOST },
        modifications: { Request: [line], Response: [line] },
      },
    ],
  });
}

function gatewayOf({ gateway: found }: Service): Server {
  if (found === undefined) throw new Error('the service has no gateway');
  return found;
}

function gatewayContender(name: string, service: Service, owner: SeededOwner, behind: number, tiny: boolean) {
  return contender(name, gatewayOf(service), urlOf(behind), { 'proxy-authorization': authorizationOf(owner) }, tiny);
}

function authorizationOf({ key }: SeededOwner): string {
  return `Basic ${Buffer.from(`key:${key}`).toString('base64')}`;
}

const urlOf = (port: number): string => `http://${HOST}:${port}${PATH}`;

/** @param path The whole URL for a proxy. */
async function contender(
  name: string,
  { pid, port }: Server,
  path: string,
  more: Record<string, string>,
  tiny: boolean,
): Promise<RunningContender> {
  const headers = { host: path.startsWith('/') ? `127.0.0.1:${port}` : new URL(path).host, ...more };
  const to = { method: 'GET', path, headers } as const;
  deepEqual((await sampleReply(port, to)).body, ANSWER.body, `${name} answers differently`);
  const load = {
    ...to,
    path: PATH,
    requests: [{ path, headers }],
    port,
    connections: tiny ? CONNECTIONS_TINY : CONNECTIONS,
  };
  return { name, pid, load: () => load };
}
