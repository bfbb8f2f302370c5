/**
 * The conformance suite of the Model Context Protocol asks the server, in the current revision and the one before, over HTTP and by way of
 * `switchyard mcp`. Scenarios that want tools, prompts or resources of their own are left out, and so are two checks of subscriptions, which
 * the server refuses: it has no streams.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { REVISIONS } from '../../support/mcp.ts';
import { Running } from '../../support/process.ts';
import { CLI, TestServer } from '../../support/server.ts';
import type { Proof, Tally } from '../proof.ts';

const FOLDER = resolve(import.meta.dirname, '../../conformance/node_modules');
const SUITE = join(FOLDER, '@modelcontextprotocol/conformance/dist/index.js');
const NODE_22 = join(FOLDER, 'node-22/bin/node');

/** Those that a server passes without tools of the suite's own. The second group is about headers and statuses of HTTP. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'sep-2164-resource-not-found',
  'caching',
];
const HTTP_SCENARIOS = [
  'dns-rebinding-protection',
  'http-header-validation',
  'server-sse-multiple-streams',
  'server-stateless',
];

/** Checks that the suite cannot make without tools of its own, and the two of subscriptions. */
const NOT_ASKED = /Not testable|subscription/;

export const proof: Proof = {
  name: 'conformance',
  promise: 'Agents are served as the Model Context Protocol says, in two revisions and over both transports.',
  onlyByName: true,
  unavailable: () => (existsSync(SUITE) ? undefined : 'needs `npm ci --prefix test/conformance`'),
  async run(tally: Tally) {
    const server = await TestServer.start(['--log-level', 'warn', '--no-bootstrap']);
    const key = await server.key('acme', 'ann');
    const child = spawn(process.execPath, [CLI, 'mcp', '--server', `http://127.0.0.1:${server.port}`], {
      env: { ...process.env, SWITCHYARD_API_KEY: key },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const over = { HTTP: await listening(keyed(server.port, key)), stdio: await listening(bridged(child)) };
    for (const [transport, front] of Object.entries(over)) {
      const scenarios = transport === 'HTTP' ? [...SCENARIOS, ...HTTP_SCENARIOS] : SCENARIOS;
      for (const revision of REVISIONS) {
        for (const scenario of scenarios) await ask(tally, front, `${transport}, ${revision}`, revision, scenario);
      }
      front.close();
      front.closeAllConnections();
    }
    child.stdin.end();
    await server.end();
  },
};

async function ask(tally: Tally, front: Server, fault: string, revision: string, scenario: string): Promise<void> {
  const { port } = front.address() as AddressInfo;
  const node = Number.parseInt(process.versions.node, 10) >= 22 ? process.execPath : NODE_22;
  const args = [
    SUITE,
    'server',
    '--url',
    `http://127.0.0.1:${port}/mcp`,
    '--scenario',
    scenario,
    '--spec-version',
    revision,
    '--verbose',
  ];
  const { stdout } = await new Running(node, args).ended;
  const checks = JSON.parse(/^\[[^]*^\]/m.exec(stdout)?.[0] ?? '[]') as {
    id: string;
    status: string;
    errorMessage?: string;
  }[];
  for (const { id, status, errorMessage = '' } of checks) {
    if (status === 'FAILURE' && (NOT_ASKED.test(errorMessage) || NOT_ASKED.test(id))) continue;
    tally.check(fault, status !== 'FAILURE', () => `${scenario}, ${id}: ${errorMessage}`);
  }
}

/** The suite has no key to send. */
function keyed(port: number, key: string): Server {
  return createServer((incoming, outgoing) => {
    const { url, method, headers } = incoming;
    const asked = request(
      { host: '127.0.0.1', port, path: url, method, headers: { ...headers, 'x-api-key': key } },
      (answer) => {
        outgoing.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.on('error', () => outgoing.destroy());
    incoming.pipe(asked);
  });
}

/** The suite speaks HTTP alone: each message is a line of the program, and so is its answer. */
function bridged({ stdin, stdout }: ChildProcess): Server {
  const waiting = new Map<unknown, (line: string) => void>();
  if (stdin === null || stdout === null) throw new Error('the program has no pipes');
  createInterface({ input: stdout }).on('line', (line) =>
    waiting.get((JSON.parse(line) as { id: unknown }).id)?.(line),
  );
  let count = 0;
  return createServer((incoming, outgoing) => {
    void textOf(incoming).then((text) => {
      if (incoming.method !== 'POST') return outgoing.writeHead(405).end();
      const message = JSON.parse(text) as { id?: unknown };
      if (message.id === undefined) {
        stdin.write(`${text}\n`);
        return outgoing.writeHead(202).end();
      }
      // Requests of several clients of the suite have the same ids.
      const id = `${++count}`;
      waiting.set(id, (line) => {
        waiting.delete(id);
        outgoing
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...JSON.parse(line), id: message.id }));
      });
      return stdin.write(`${JSON.stringify({ ...message, id })}\n`);
    });
  });
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function listening(front: Server): Promise<Server> {
  return new Promise((ready) => front.listen(0, '127.0.0.1', () => ready(front)));
}
