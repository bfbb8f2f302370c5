/** One look at a victim beside an attacker: a server, the attacker, the victim and this process, each a process of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.ts';
import { issueKey } from '../../../src/store/issue-key.ts';
import { LmdbStore } from '../../../src/store/lmdb-store.ts';
import { childrenOf, serve, type Running } from '../../support/process.ts';
import { SMALL_MACHINE, temporaryDirectory } from '../../support/server.ts';
import { residentMb } from '../../support/vital-signs.ts';
import type { FloodOrder } from '../flood.ts';
import { forkFlood } from '../fork-flood.ts';
import type { AttackOrder } from './attack.ts';
import { attackerOf } from './attackers.ts';
import {
  ask,
  callApi as apiCall,
  through,
  type At,
  type Attacker,
  type Ports,
  type Request,
  type Statuses,
} from './load.ts';
import type { VictimOrder, Waits } from './victim.ts';

export interface Look {
  /** Beside a process that burns as much processor time as an attacker does. */
  readonly control: Waits;
  readonly beside: Waits;
  /** What the attacker got. */
  readonly statuses: Statuses;
  /** What ended, or was ended, though nobody asked for it. */
  readonly restarts: readonly string[];
  /** Whether the server counts every request of the victim; where it asks a mock. */
  readonly isVerified: boolean;
  /** The process that answers. */
  readonly mb: { readonly before: number; readonly most: number };
}

const RSS_EVERY_MS = 50;
/** Threads that are held answer no question of the API: what was recorded is looked for again. */
const VERIFY_LOOKS = 3;
const VERIFY_AGAIN_MS = 1_000;
const PROCESS_OF = { mocks: '/data-plane.js', gateway: '/egress.js' } as const;
/** What the victim asks of each plane, in turns. */
const ASKED: Readonly<Record<Attacker['plane'], readonly Request[]>> = {
  mocks: [ask('GET', '/')],
  gateway: [through('GET', [])],
  api: [apiCall('GET', '/v1/groups?pageSize=1'), apiCall('POST', '/v1/groups', { name: 'g' })],
};

/** A server with a victim, for one attacker or for one after the other. */
export class Scene {
  readonly #server: Running;
  readonly #keys: string[];
  readonly #ports: Ports;
  readonly #victimMock: string;
  readonly #close: () => void;
  /** Keys that were given to attackers. */
  #given = 0;

  private constructor(server: Running, keys: string[], ports: Ports, victimMock: string, close: () => void) {
    this.#server = server;
    this.#keys = keys;
    this.#ports = ports;
    this.#victimMock = victimMock;
    this.#close = close;
  }

  /** @param owners How many attackers it has keys for. @param isSmall Whether it has as little memory as it may. */
  static async start(workers: number, owners: number, isSmall = false): Promise<Scene> {
    const data = temporaryDirectory();
    const store = LmdbStore.open(data);
    const keys: string[] = [];
    for (let count = 0; count <= owners; count++) {
      const who = { ownerId: `o${count}`, userId: 'u', role: 'editor' } as const;
      keys.push(await issueKey(store.keys, who, systemClock));
    }
    await store.close();
    const upstream = createServer((_asked, answer) => void answer.end('real'));
    await new Promise<void>((listening) => upstream.listen(0, '127.0.0.1', listening));
    const options = [
      '--workers',
      `${workers}`,
      '--gateway-port',
      '0',
      '--rule-code',
      '--https',
      '--https-port',
      '0',
      '--log-level',
      'warn',
      '--text-max',
      '1000000',
    ];
    const server = serve(data, options, isSmall ? { env: SMALL_MACHINE } : {});
    const close = (): void => {
      upstream.closeAllConnections();
      upstream.close();
      // A server that is held would take its time: nothing here is about its end.
      const { pid } = server.child;
      if (pid === undefined || server.child.exitCode !== null) return;
      for (const each of [...childrenOf(pid), pid]) process.kill(each, 'SIGKILL');
    };
    const api = await server.ready();
    if (api === undefined) throw new Error(`the server did not start: ${server.stderr}${server.stdout}`);
    const ports: Ports = {
      api,
      mocks: Number(/mocks http:\S*:(\d+)/.exec(server.stdout)?.[1]),
      https: Number(/HTTPS https:\/\/<mock_id>\.localhost:(\d+)/.exec(server.stdout)?.[1]),
      gateway: Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)?.[1]),
      upstream: (upstream.address() as AddressInfo).port,
    };
    const [victim = '', ...others] = keys;
    const definition = { name: 'm', start: true, routes: [{ method: 'GET', path: '/', responses: [{ body: 'hi' }] }] };
    const { data: made } = await callApi(api, victim, '/v1/mocks', definition);
    // The gateway's process starts with the first look at what it has.
    if (ports.gateway > 0) await callApi(api, victim, '/v1/gateway/counts');
    return new Scene(server, [victim, ...others], ports, (made as { id: string }).id, close);
  }

  close(): void {
    this.#close();
  }

  /** @param attacker As `attackerOf` takes it. @param ms How long the victim asks, alone and beside it. */
  async look(attacker: number, ms: { readonly control: number; readonly beside: number }): Promise<Look> {
    const { plane, owners = 1 } = attackerOf(attacker);
    const processes: ChildProcess[] = [];
    const begin = (file?: string): ChildProcess => {
      const child = forkFlood(file);
      processes.push(child);
      return child;
    };
    try {
      const [attack, victim] = [begin('fairness/attack.ts'), begin('fairness/victim.ts')];
      const keys = this.#keys.slice(1 + this.#given, 1 + this.#given + owners);
      this.#given += owners;
      const pid = this.#pidOf(plane);
      const { mb, stop } = memoryOf(pid);
      const control = await this.#control(victim, begin(), plane, ms.control);
      const prepared = await replied<unknown>(attack, { ports: this.#ports, keys, attacker } satisfies AttackOrder);
      if (prepared !== 'prepared') throw new Error(`attacker ${attacker} is not prepared: ${JSON.stringify(prepared)}`);
      attack.send('go');
      await sleep(ms.beside / 20);
      const beside = await replied<Waits>(victim, this.#order(plane, ms.beside));
      const statuses = await replied<Statuses>(attack, 'stop');
      stop();
      attack.kill('SIGKILL');
      const isVerified = plane !== 'mocks' || (await this.#verify(beside));
      return { control, beside, statuses, restarts: this.#restarts(plane, pid), isVerified, mb };
    } finally {
      for (const child of processes) child.kill('SIGKILL');
    }
  }

  async #control(victim: ChildProcess, burner: ChildProcess, plane: Attacker['plane'], ms: number): Promise<Waits> {
    await replied(burner, { port: 0, key: '', connections: 0, kind: 'burn' } satisfies FloodOrder);
    const control = await replied<Waits>(victim, this.#order(plane, ms));
    burner.kill('SIGKILL');
    return control;
  }

  #order(plane: Attacker['plane'], forMs: number): VictimOrder {
    const at: At = { ports: this.#ports, key: this.#keys[0], mocks: [this.#victimMock] };
    const requests = ASKED[plane].map((asked) => asked(at, 0).toString());
    return { port: this.#ports[plane], requests, forMs, pid: this.#pidOf(plane) };
  }

  async #verify({ waits, unanswered, errors }: Waits): Promise<boolean> {
    const failed = Object.values(errors).reduce((sum, count) => sum + count, unanswered);
    const body = { match: { path: '/' }, atLeast: waits.length - failed };
    for (let look = 1; ; look++) {
      const answer = await callApi(
        this.#ports.api,
        this.#keys[0] as string,
        `/v1/mocks/${this.#victimMock}/verify`,
        body,
      );
      if ((answer.data as { verified?: boolean } | undefined)?.verified === true) return true;
      if (look === VERIFY_LOOKS) return false;
      await sleep(VERIFY_AGAIN_MS);
    }
  }

  #pidOf(plane: Attacker['plane']): number {
    const { pid } = this.#server.child;
    if (plane === 'api') return pid as number;
    const found = childrenOf(pid as number).find((child) =>
      readFileSync(`/proc/${child}/cmdline`, 'latin1').includes(PROCESS_OF[plane]),
    );
    return found ?? 0;
  }

  #restarts(plane: Attacker['plane'], pid: number): string[] {
    const lines = this.#server.stdout
      .split('\n')
      .filter((line) => /exited, restarting|unresponsive|wrote to stderr/.test(line));
    this.#server.stdout = '';
    if (lines.length === 0 && this.#pidOf(plane) !== pid) return ['its process is another one'];
    return lines.map((line) => line.slice(0, 300));
  }
}

/** Watches what a process holds. */
function memoryOf(pid: number): { mb: { before: number; most: number }; stop: () => void } {
  const held = (): number => {
    try {
      return residentMb(pid) || 0;
    } catch {
      // It has ended.
      return 0;
    }
  };
  const before = held();
  const mb = { before, most: before };
  const timer = setInterval(() => (mb.most = Math.max(mb.most, held())), RSS_EVERY_MS);
  return { mb, stop: () => clearInterval(timer) };
}

async function replied<Reply>(child: ChildProcess, order: object | string): Promise<Reply> {
  const reply = once(child, 'message');
  child.send(order);
  return ((await reply) as [Reply])[0];
}

async function callApi(port: number, key: string, path: string, body?: object): Promise<{ readonly data?: unknown }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await answer.json()) as { readonly data?: unknown };
}
