/** Starts a server that runs until the end of the job, where post.mjs reports and stops it. Both run on the runner's Node.js, the server on the job's. */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const START_MS = 30_000;
const PACKAGE = 'node_modules/switchyard-server';

const {
  RUNNER_TEMP: temporary,
  GITHUB_WORKSPACE: workspace,
  GITHUB_OUTPUT: outputs,
  GITHUB_STATE: state,
} = process.env;
const folder = mkdtempSync(join(temporary, 'switchyard-'));
const log = join(folder, 'log');
const keyFile = join(folder, 'key');

try {
  const program = installed(input('version'));
  const server = start(program);
  // Before anything can fail: post.mjs stops whatever runs.
  write(state, { pid: server.pid, folder, program });
  const { api, mockPort } = await readiness(server);
  const key = readFileSync(keyFile, 'utf8').trim();
  process.stdout.write(`::add-mask::${key}\n`);
  write(state, { api });
  write(outputs, { 'api-url': api, 'mock-port': mockPort, 'mocks-url': `http://127.0.0.1:${mockPort}/__mock`, key });
  process.stdout.write(`Switchyard is ready: ${api}\n`);
} catch (error) {
  // A line break would end the command.
  process.stdout.write(
    `::error::${error.message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')}\n`,
  );
  process.exitCode = 1;
}

/** The runner names the variable so. */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim();
}

/** @returns The folder of the package. */
function installed(version) {
  const own = join(workspace, PACKAGE);
  if (version === '' && existsSync(own)) return own;
  const file = resolve(workspace, version);
  const isFile = version !== '' && existsSync(file);
  // npm would take it for a repository of GitHub.
  if (!isFile && /[/\\]|\.tgz$/.test(version)) throw new Error(`the packed file ${file} does not exist`);
  const { version: ours } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const wanted = isFile ? file : `switchyard-server@${version || ours}`;
  const args = ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', wanted];
  const { status, stderr, error } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) {
    const advice = 'install the package in a step before, or name a packed file in `version`';
    throw new Error(`npm could not install ${wanted}; ${advice}: ${error?.message ?? stderr}`);
  }
  return join(folder, PACKAGE);
}

function start(program) {
  const ports = ['--port', '--mock-port', '--gateway-port'].flatMap((option) => [option, '0']);
  const places = ['--data', join(folder, 'data'), '--host', '127.0.0.1', ...ports];
  const mocks = words('mocks', /\n/).flatMap((file) => ['--mock', file]);
  const args = ['serve', '--log-level', 'warn', ...places, ...mocks, ...words('args', /\s+/)];
  const output = openSync(log, 'w');
  const server = spawn('node', [join(program, 'dist/cli.js'), ...args], {
    cwd: workspace,
    detached: true,
    env: { ...process.env, SWITCHYARD_KEY_FILE: keyFile },
    stdio: ['ignore', output, output],
  });
  server.on('error', () => undefined);
  if (server.pid === undefined) throw new Error('this job has no Node.js: let actions/setup-node install one');
  server.unref();
  return server;
}

function words(name, separator) {
  return input(name)
    .split(separator)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** @throws Error with the log of a server that does not become ready. */
async function readiness(server) {
  const hasEnded = () => server.exitCode !== null || server.signalCode !== null;
  for (const until = Date.now() + START_MS; Date.now() < until && !hasEnded(); await sleep(50)) {
    const [, api, mockPort] = /ready: API (\S+) .*:(\d+)\n/.exec(readFileSync(log, 'utf8')) ?? [];
    if (api === undefined) continue;
    const answer = await fetch(new URL('/readyz', api)).catch(() => undefined);
    if (answer?.ok) return { api, mockPort };
  }
  throw new Error(`Switchyard did not start: ${readFileSync(log, 'utf8').trim()}`);
}

/** As the runner reads it. */
function write(file, values) {
  appendFileSync(
    file,
    Object.entries(values)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
}
