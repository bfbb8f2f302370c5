/**
 * Ports and connections of uWebSockets.js apps: ports are not shared, there are never more connections than the
 * process has file descriptors for, and no network of clients takes them all.
 */
import { existsSync, readFileSync } from 'node:fs';
import { ownPorts } from '../base/own-ports.ts';
import { HeldByNetworks, networkOf } from './client-network.ts';
import { uWS, type HttpResponse, type TemplatedApp, type us_listen_socket } from './uws.ts';

/** File descriptors reserved for LMDB, logs and modules when the limit of the process is the tighter one. */
const DESCRIPTORS_RESERVED = 128;

/** Connections accepted even when the limit of the process leaves fewer. */
const CONNECTIONS_MIN = 16;

const EXCLUSIVE_PORT = 1;

/** Listens exclusively, on one of the own ports (base/own-ports.ts). @returns undefined when the port cannot be used. */
export function listenAsOwn(app: TemplatedApp, host: string, port: number): Listening | undefined {
  const socket = listenExclusively(app, host, port);
  if (socket === undefined) return undefined;
  const own = uWS.us_socket_local_port(socket);
  ownPorts.add(own);
  return { port: own, socket };
}

/**
 * By default uWebSockets.js would share the port with other processes.
 * @returns undefined when the port cannot be used.
 */
function listenExclusively(app: TemplatedApp, host: string, port: number): us_listen_socket | undefined {
  let listening: us_listen_socket | undefined;
  // The callback runs before `listen` returns.
  app.listen(host, port, EXCLUSIVE_PORT, (socket) => {
    if (socket) listening = socket;
  });
  return listening;
}

export interface Listening {
  readonly port: number;
  readonly socket: us_listen_socket;
}

/**
 * Listens on a port of mocks, exclusively. For port 0, a free port is found first and then listened on by its number: only then
 * does uWebSockets.js set SO_REUSEADDR. Without it, the closed connections of a killed process would block the port for
 * its successor for a minute.
 *
 * @returns undefined when the port cannot be used.
 */
export function listenForMocks(app: TemplatedApp, host: string, port: number): Listening | undefined {
  for (let attempt = 1; attempt <= FREE_PORT_ATTEMPTS; attempt++) {
    const free = port === 0 ? listenExclusively(app, host, 0) : undefined;
    const wanted = free === undefined ? port : uWS.us_socket_local_port(free);
    if (free !== undefined) uWS.us_listen_socket_close(free);
    const socket = listenExclusively(app, host, wanted);
    if (socket !== undefined) return { port: wanted, socket };
    // Another process may have taken the free port in between.
    if (port !== 0) return undefined;
  }
  return undefined;
}

const FREE_PORT_ATTEMPTS = 5;

/** Accepts no new connections; open ones stay. */
export function stopListening({ port, socket }: Listening): void {
  ownPorts.remove(port);
  uWS.us_listen_socket_close(socket);
}

/**
 * A network of clients may hold this many times the connections that stay free: alone four fifths of all, two of them four ninths each.
 * So some stay free for the others, however fast one opens its own and whether it sends requests or not.
 */
const HELD_PER_FREE = 4;

/** Below it, nobody can hold too many; it leaves the time to read who holds them. */
const BUSY_SHARE = 0.5;

/** Open connections of one app, or of several together. */
export class BoundedConnections {
  count = 0;
  readonly #max: number;
  readonly #held: HeldByNetworks;

  /** @param threads Those that share the ports; `max` is for one of them. */
  constructor(max: number, threads = 1) {
    this.#max = max;
    this.#held = new HeldByNetworks(threads);
  }

  /** Says which ports the connections are made to. */
  countAt(ports: readonly number[]): void {
    for (const port of ports) this.#held.ports.add(port);
  }

  /** Closes new connections beyond the bound, and those of a network that holds too many. */
  capIn(app: TemplatedApp): void {
    app.filter((res, change) => {
      this.count += change;
      if (change > 0 && !this.#hasRoomFor(res)) res.close();
    });
  }

  /** Whether the new connection, which is counted, may stay. Without free descriptors, uWebSockets.js spins in a loop. */
  #hasRoomFor(res: HttpResponse): boolean {
    if (this.count > this.#max) return false;
    if (this.count < this.#max * BUSY_SHARE) return true;
    return this.#held.take(networkOf(res), (this.#max - this.count) * HELD_PER_FREE);
  }
}

/** @param max Connections wanted. @returns At most that many, as far as the process's limit of open files allows. */
export function connectionsWithin(max: number): number {
  const soft = openFilesMax();
  const available = Number.isFinite(soft) ? soft - DESCRIPTORS_RESERVED : max;
  return Math.max(CONNECTIONS_MIN, Math.min(max, available));
}

const LINUX_LIMITS = '/proc/self/limits';

/** @returns The process's soft limit of open files; NaN without one. Linux names it sooner than a report does, which takes 5 ms. */
function openFilesMax(): number {
  if (existsSync(LINUX_LIMITS)) return Number(/^Max open files +(\d+)/m.exec(readFileSync(LINUX_LIMITS, 'utf8'))?.[1]);
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft: number | string } } } | undefined;
  return Number(report?.userLimits?.open_files?.soft);
}
