/** Ports and connections of a uWebSockets.js app: listened on by nobody else, and never more than the process has descriptors for. */
import * as uWS from 'uWebSockets.js';
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { CONNECTIONS_MIN, DESCRIPTORS_RESERVED } from '../limits.ts';

/** A form of `listen` that uWebSockets.js has and its types do not. */
interface ListenWithOptions {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): void;
}

const EXCLUSIVE_PORT = 1;

/** Without being asked to, uWebSockets.js would share the port. @returns undefined when it cannot be listened on. */
export function listenExclusively(app: TemplatedApp, host: string, port: number): us_listen_socket | undefined {
  let listening: us_listen_socket | undefined;
  // It listens at once, and calls back before it returns.
  (app as TemplatedApp & ListenWithOptions).listen(host, port, EXCLUSIVE_PORT, (socket) => {
    if (socket) listening = socket;
  });
  return listening;
}

export interface Listening {
  readonly port: number;
  readonly socket: us_listen_socket;
}

/**
 * Port 0 is exchanged for a free one that is then listened on by its number: only so does uWebSockets.js set SO_REUSEADDR, without
 * which the closed connections of a killed process would keep its successor from the port for a minute.
 *
 * @returns undefined when it cannot be listened on.
 */
export function listenOnOwnPort(app: TemplatedApp, host: string, port: number): Listening | undefined {
  for (let attempt = 1; attempt <= FREE_PORT_ATTEMPTS; attempt++) {
    const free = port === 0 ? listenExclusively(app, host, 0) : undefined;
    const wanted = free === undefined ? port : uWS.us_socket_local_port(free);
    if (free !== undefined) uWS.us_listen_socket_close(free);
    const socket = listenExclusively(app, host, wanted);
    if (socket !== undefined) return { port: wanted, socket };
    // Somebody else may have taken the free one in between.
    if (port !== 0) return undefined;
  }
  return undefined;
}

const FREE_PORT_ATTEMPTS = 5;

/** Takes no new connections; those that are open stay. */
export function stopListening({ socket }: Listening): void {
  uWS.us_listen_socket_close(socket);
}

/** Connections of one app, or of several together. */
export interface ConnectionCount {
  connections: number;
}

/** Counts what is open, and closes what is opened beyond `max`: uWebSockets.js spins when the process has no descriptors left. */
export function capConnections(app: TemplatedApp, max: number, count: ConnectionCount): void {
  app.filter((res, change) => {
    count.connections += change;
    if (count.connections > max && change > 0) res.close();
  });
}

/** @param max What is wanted. @returns What the process's limit of open files leaves of it. */
export function connectionsWithin(max: number): number {
  const report = process.report?.getReport() as { userLimits?: { open_files?: { soft: number | string } } } | undefined;
  const soft = Number(report?.userLimits?.open_files?.soft);
  const available = Number.isFinite(soft) ? soft - DESCRIPTORS_RESERVED : max;
  return Math.max(CONNECTIONS_MIN, Math.min(max, available));
}
