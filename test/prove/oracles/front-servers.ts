/** nginx and mitmproxy before an upstream: other readers of what the gateway has sent on. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../support/free-port.ts';

export interface FrontServer {
  readonly name: string;
  readonly port: number;
  end(): Promise<void>;
}

const READY_MS = 30_000;

function has(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore', env: PATHS });
    return true;
  } catch {
    return false;
  }
}

/** nginx is where only an administrator looks. */
const PATHS = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };

export const FRONT_SERVERS = {
  nginx: { isInstalled: () => has('nginx', ['-v']), start: startNginx },
  mitmproxy: { isInstalled: () => has('mitmdump', ['--version']), start: startMitmproxy },
} as const;

async function startNginx(upstreamPort: number): Promise<FrontServer> {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'switchyard-nginx-')), await freePort()];
  mkdirSync(join(folder, 'tmp'));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/tmp;`);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log crit;
events { worker_connections 256; }
http { access_log off; ${paths.join(' ')} underscores_in_headers on;
  server { listen 127.0.0.1:${port}; server_name _;
    location / { proxy_pass http://127.0.0.1:${upstreamPort}; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection ""; } } }`,
  );
  const child = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], { stdio: 'ignore', env: PATHS });
  return ready('nginx', port, child, folder);
}

async function startMitmproxy(upstreamPort: number): Promise<FrontServer> {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'switchyard-mitmproxy-')), await freePort()];
  const child = spawn(
    'mitmdump',
    [
      '--mode',
      `reverse:http://127.0.0.1:${upstreamPort}`,
      '--listen-host',
      '127.0.0.1',
      '-p',
      `${port}`,
      '-q',
      '--set',
      `confdir=${folder}`,
      '--set',
      'keep_host_header=true',
    ],
    { stdio: 'ignore' },
  );
  return ready('mitmproxy', port, child, folder);
}

async function ready(name: string, port: number, child: ChildProcess, folder: string): Promise<FrontServer> {
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const until = performance.now() + READY_MS;
  while (performance.now() < until && child.exitCode === null) {
    if (await listens(port)) return { name, port, end };
    await sleep(50);
  }
  await end();
  throw new Error(`${name} does not start`);
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), resolve(true)));
    socket.on('error', () => resolve(false));
  });
}
