/**
 * Servers of PostgreSQL in temporary folders, as a normal user, on free ports of 127.0.0.1: a primary, and standbys that follow it.
 *
 * They end with the test file that started them, or with its process; the one that files share ends with the process alone.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { appendFileSync, chmodSync, chownSync, mkdirSync, mkdtempSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type QueryResultRow } from 'pg';
import { freePort } from '../../support/free-port.ts';
import { onUndo, temporaryDirectory } from '../../support/server.ts';
import { findPostgres } from './find-postgres.ts';

const SETTINGS = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
wal_level = replica
max_wal_senders = 8
max_connections = 300
hot_standby = on
shared_buffers = '32MB'
dynamic_shared_memory_type = mmap
log_checkpoints = off
`;

const START_MS = 60_000;

/** The user of the servers where this process is root, which PostgreSQL refuses. */
const USER = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};

function idOf(option: string): number {
  for (const name of ['postgres', 'nobody']) {
    try {
      return Number(execFileSync('id', [option, name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());
    } catch {
      // The next one.
    }
  }
  throw new Error('there is no user for PostgreSQL');
}

export class PostgresServer {
  readonly port: number;
  readonly directory: string;
  readonly #bin: string;
  #child: ChildProcess | undefined;

  private constructor(bin: string, directory: string, port: number) {
    this.#bin = bin;
    this.directory = directory;
    this.port = port;
  }

  static #shared: Promise<PostgresServer> | undefined;

  /** The server of all test files of this process that neither stop it nor set its options: each makes databases of its own. */
  static shared(): Promise<PostgresServer> {
    return (PostgresServer.#shared ??= PostgresServer.#startShared());
  }

  static async #startShared(): Promise<PostgresServer> {
    const parent = mkdtempSync(join(tmpdir(), 'switchyard-test-'));
    const server = new PostgresServer(findPostgres() as string, newFolder(parent), await freePort());
    await server.#initialize('');
    // The runner ends its workers by a signal, of which they hear nothing: this input ends with the process, however it ends.
    const script = 'cat; kill -QUIT "$1"; sleep 0.5; rm -rf "$2"';
    const args = ['-c', script, 'sh', String(server.#child?.pid), parent];
    const watch = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    watch.unref();
    (watch.stdin as Socket).unref();
    return server;
  }

  /** A new primary. @param settings Lines for its configuration file. */
  static async start(settings = ''): Promise<PostgresServer> {
    const server = new PostgresServer(findPostgres() as string, newFolder(), await freePort());
    server.#endWithFile();
    await server.#initialize(settings);
    return server;
  }

  async #initialize(settings: string): Promise<void> {
    const args = ['-D', this.directory, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
    run(join(this.#bin, 'initdb'), args);
    appendFileSync(join(this.directory, 'postgresql.conf'), SETTINGS + settings);
    appendFileSync(join(this.directory, 'pg_hba.conf'), 'host replication all 127.0.0.1/32 trust\n');
    await this.start();
  }

  #endWithFile(): void {
    onUndo(() => void this.#child?.kill('SIGQUIT'));
  }

  /** A standby of this primary. */
  async standby(name: string): Promise<PostgresServer> {
    const standby = new PostgresServer(this.#bin, newFolder(), await freePort());
    standby.#endWithFile();
    const from = `host=127.0.0.1 port=${this.port} user=postgres application_name=${name}`;
    run(join(this.#bin, 'pg_basebackup'), ['-D', standby.directory, '-R', '-X', 'stream', '-c', 'fast', '-d', from]);
    await standby.start();
    return standby;
  }

  /** Commits wait for these standbys from now on. @param names As `synchronous_standby_names` has it; empty for none. */
  async waitFor(names: string): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${names}'`);
    await this.query('select pg_reload_conf()');
    while (
      (await this.query<{ synchronous_standby_names: string }>('show synchronous_standby_names'))[0]
        ?.synchronous_standby_names !== names
    )
      await sleep(20);
    // The checkpointer is the process that makes commits wait.
    await this.query('checkpoint');
    if (names === '') return;
    await this.#until('select 1 from pg_stat_replication where sync_state in ($$sync$$, $$quorum$$)');
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async createDatabase(name: string): Promise<string> {
    await this.query(`create database ${name}`);
    return this.url(name);
  }

  async start(): Promise<void> {
    const child = spawn(join(this.#bin, 'postgres'), ['-D', this.directory, '-p', String(this.port)], {
      stdio: ['ignore', 'ignore', 'pipe'],
      ...USER,
    });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-10_000)));
    this.#child = child;
    for (const until = performance.now() + START_MS; ;) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > until)
        throw new Error(`PostgreSQL does not start: ${log}`);
      const answers = await this.query('select 1').then(
        () => true,
        () => false,
      );
      if (answers) return;
      await sleep(20);
    }
  }

  /** @param mode `fast` ends connections, `immediate` is a crash of all but the operating system. */
  stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    return this.#end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Kills the server with all its processes, as a crash of the machine does. */
  async kill(): Promise<void> {
    const child = this.#child as ChildProcess;
    const ended = endOf(child);
    // Stopped, it starts no further process.
    signal(child.pid as number, 'SIGSTOP');
    for (const pid of this.#processes()) signal(pid, 'SIGKILL');
    await ended;
  }

  /** Stops all its processes where they are. */
  pause(): void {
    signal((this.#child as ChildProcess).pid as number, 'SIGSTOP');
    for (const pid of this.#processes()) signal(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.#processes()) signal(pid, 'SIGCONT');
  }

  /** A standby becomes the primary. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
  }

  async query<Row extends QueryResultRow>(text: string, database = 'postgres'): Promise<Row[]> {
    const client = new Client({ connectionString: this.url(database), connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Ends every connection of Switchyard. */
  async terminateConnections(): Promise<void> {
    await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'switchyard %'`,
    );
  }

  async #until(condition: string): Promise<void> {
    while ((await this.query(condition)).length === 0) await sleep(20);
  }

  async #end(name: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = endOf(child);
    child.kill(name);
    await ended;
  }

  /** The server's processes, its own the last. */
  #processes(): number[] {
    const parent = (this.#child as ChildProcess).pid as number;
    const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(parent)]).toString();
    return [...list.trim().split(/\s+/).filter(Boolean).map(Number), parent];
  }
}

function newFolder(parent = temporaryDirectory()): string {
  const directory = join(parent, 'data');
  mkdirSync(directory);
  chmodSync(directory, 0o700);
  chmodSync(join(directory, '..'), 0o755);
  if (USER.uid !== undefined) chownSync(directory, USER.uid, USER.gid);
  return directory;
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...USER });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
