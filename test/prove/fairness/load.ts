/**
 * What one owner sends at a server: the kinds of load that attackers are put together of, over raw connections.
 *
 * A load is data but for its requests, which are made when their mocks are there.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { RawConnection, rawRequest } from '../../support/raw-http.ts';

export interface Ports {
  readonly api: number;
  readonly mocks: number;
  /** The same with HTTPS. */
  readonly https: number;
  readonly gateway: number;
  /** A service that answers everything with 200. */
  readonly upstream: number;
}

/** One owner, and the mocks that it has made. */
export interface At {
  readonly ports: Ports;
  /** Undefined for a client without one. */
  readonly key: string | undefined;
  readonly mocks: readonly string[];
}

/** @param count How many were sent, or opened, before. */
export type Request = (at: At, count: number) => Buffer;

interface Common {
  /** `mocks` when absent. */
  readonly port?: keyof Ports;
}

/** Requests one after the other on each connection, each behind the answer to the one before. */
export interface Ask extends Common {
  readonly kind: 'ask';
  readonly connections: number;
  readonly requests: readonly Request[];
  /** So many in all; without it they go on. */
  readonly times?: number;
  /** Pause behind each answer. */
  readonly everyMs?: number;
}

/** The same bytes again and again, without waiting for an answer. */
export interface Pour extends Common {
  readonly kind: 'pour';
  readonly connections: number;
  readonly block: Request;
}

/** Connections that stay open: streams, sockets, uploads. Those that the server closes are opened again. */
export interface Hold extends Common {
  readonly kind: 'hold';
  readonly count: number;
  readonly open: Request;
  /** Whether the server answers before more is sent; uploads have no answer. */
  readonly isAnswered: boolean;
  /** Whether the client reads what follows. */
  readonly isRead: boolean;
  /** What so many of them send, in turns with this pause, or as fast as the server reads. */
  readonly sends?: { readonly by: number; readonly bytes: Request; readonly everyMs: number };
}

/** Connections that are left as soon as the server has answered. */
export interface Knock extends Common {
  readonly kind: 'knock';
  readonly atOnce: number;
  /** Absent for TLS from the first byte on. */
  readonly request?: Request;
  readonly times?: number;
  /** Name for a TLS handshake, behind the answer. */
  readonly tlsName?: (count: number) => string;
}

export type Load = Ask | Pour | Hold | Knock;

/** What an owner has, and does. */
export interface Plan {
  /** Body of `POST /v1/mocks`. */
  readonly definition: object;
  /** How many mocks of this definition. */
  readonly mocks?: number;
  /** Done before anything is measured. */
  readonly before?: readonly Load[];
  readonly loads: readonly Load[];
}

export interface Attacker {
  readonly name: string;
  /** Whether the victim asks its mock, the gateway or the API. */
  readonly plane: 'mocks' | 'gateway' | 'api';
  /** Whether the server has as little memory as it may. */
  readonly isSmall?: true;
  /** How many owners do it at once; one when absent. */
  readonly owners?: number;
  /** What the documented bounds allow its owners to hold, in MiB. */
  readonly heldMb: number;
  /** Whether it takes many seconds to prepare: for full effort alone. */
  readonly isLong?: true;
  readonly plan: (ports: Ports) => Plan;
}

/** Answers by status; 0 for connections that ended without one. */
export type Statuses = Record<string, number>;

// ---- Requests ----

const HOST = 'Host: 127.0.0.1';
const JSON_TYPE = 'Content-Type: application/json';

function request(line: string, headers: readonly string[], body?: string | Buffer): Buffer {
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([Buffer.from(rawRequest(`${line} HTTP/1.1`, [...headers, ...length])), Buffer.from(body ?? '')]);
}

type Path = string | ((count: number) => string);

const pathOf = (path: Path, count: number): string => (typeof path === 'string' ? path : path(count));

/** To a mock of the owner, the mocks in turn. */
export function ask(
  method: string,
  path: Path,
  body?: string | Buffer,
  headers: readonly string[] = body === undefined ? [] : [JSON_TYPE],
): Request {
  return ({ mocks }, count) =>
    request(`${method} /__mock/${mocks[count % mocks.length]}${pathOf(path, count)}`, [HOST, ...headers], body);
}

/** To the API, below the owner's first mock. */
export function call(method: string, path: Path, body?: (count: number) => object): Request {
  return (at, count) => callApi(method, `/v1/mocks/${at.mocks[0]}${pathOf(path, count)}`, body?.(count))(at, count);
}

/** To the API, at a path of its own. */
export function callApi(method: string, path: string, body?: object): Request {
  return ({ key }) => {
    const headers = [HOST, ...(key === undefined ? [] : [`x-api-key: ${key}`]), JSON_TYPE];
    return request(`${method} ${path}`, headers, body && JSON.stringify(body));
  };
}

export function handshake(path: Path): Request {
  return ask('GET', path, undefined, [
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]);
}

/** Through the gateway to the service. */
export function through(method: string, headers: readonly string[], body?: string | Buffer): Request {
  return ({ ports, key }) => {
    const host = `127.0.0.1:${ports.upstream}`;
    return request(`${method} http://${host}/`, [`Host: ${host}`, ...credentials(key), ...headers], body);
  };
}

/** A tunnel through the gateway. */
export function connectTo(host: (count: number) => string): Request {
  return ({ key }, count) => {
    const to = `${host(count)}:443`;
    return request(`CONNECT ${to}`, [`Host: ${to}`, ...credentials(key)]);
  };
}

function credentials(key: string | undefined): string[] {
  return key === undefined ? [] : [`Proxy-Authorization: Basic ${btoa(`key:${key}`)}`];
}

export function repeatedly(connections: number, ...requests: readonly Request[]): Ask {
  return { kind: 'ask', connections, requests };
}

export function atGateway(connections: number, ...requests: readonly Request[]): Ask {
  return { ...repeatedly(connections, ...requests), port: 'gateway' };
}

/** A call of the API. */
export function once(requested: Request): Ask {
  return { ...repeatedly(1, requested), port: 'api', times: 1 };
}

/** A text message, as clients send it: masked, here with zeros. At most 65,535 bytes. */
export function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const short = body.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x81;
  head[1] = 0x80 | (short ? body.length : 126);
  if (!short) head.writeUInt16BE(body.length, 2);
  return Buffer.concat([head, body]);
}

/** The same bytes as often as they fit. */
export function filled(bytes: Buffer, most: number): Buffer {
  return Buffer.alloc(bytes.length * Math.max(1, Math.floor(most / bytes.length)), bytes);
}

// ---- Loads ----

const NOTHING: Request = () => Buffer.alloc(0);
const REOPEN_MS = 100;
const OPENED_AT_ONCE = 200;

/** One load of one owner. */
export class RunningLoad {
  readonly #load: Load;
  readonly #at: At;
  readonly #statuses: Statuses;
  readonly #port: number;
  readonly #held: Socket[] = [];
  #count = 0;
  #goesOn = true;

  constructor(load: Load, at: At, statuses: Statuses) {
    this.#load = load;
    this.#at = at;
    this.#statuses = statuses;
    this.#port = at.ports[load.port ?? 'mocks'];
  }

  /** Opens what stays open. */
  async prepare(): Promise<void> {
    const load = this.#load;
    if (load.kind !== 'hold') return;
    for (let count = 0; count < load.count; count += OPENED_AT_ONCE) {
      const many = Math.min(OPENED_AT_ONCE, load.count - count);
      await Promise.all(Array.from({ length: many }, (_, index) => this.#open(load, count + index)));
    }
  }

  /** Resolves when all has been sent, or at `stop`. */
  async run(): Promise<void> {
    const load = this.#load;
    switch (load.kind) {
      case 'ask':
        return this.#each(load.connections, () => this.#ask(load));
      case 'pour':
        return this.#each(load.connections, () => this.#pour(load));
      case 'knock':
        return this.#each(load.atOnce, () => this.#knockAll(load));
      case 'hold':
        return this.#sendAll(load);
    }
  }

  stop(): void {
    this.#goesOn = false;
  }

  async #each(count: number, work: (index: number) => Promise<void>): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, index) => work(index)));
  }

  #next(requested: Request): Buffer {
    return requested(this.#at, this.#count++);
  }

  #note(outcome: number | string): void {
    const status = this.#load.port === 'api' ? `API ${outcome}` : outcome;
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
  }

  async #ask({ requests, times = Infinity, everyMs = 0 }: Ask): Promise<void> {
    let connection: RawConnection | undefined;
    while (this.#goesOn && this.#count < times) {
      const requested = requests[this.#count % requests.length] as Request;
      try {
        if (connection === undefined || connection.closed) connection = await RawConnection.open(this.#port);
        void connection.write(this.#next(requested));
        this.#note((await connection.answer()).status);
      } catch {
        this.#note(0);
        connection = undefined;
        await sleep(10);
      }
      if (everyMs > 0) await sleep(everyMs);
    }
    await connection?.close();
  }

  async #pour({ block }: Pour): Promise<void> {
    while (this.#goesOn) {
      const socket = connect({ port: this.#port, host: '127.0.0.1' });
      socket.on('error', () => undefined).resume();
      const bytes = this.#next(block);
      while (this.#goesOn && !socket.destroyed) await written(socket, bytes);
      this.#note(0);
      await sleep(REOPEN_MS);
    }
  }

  async #knockAll(load: Knock): Promise<void> {
    while (this.#goesOn && this.#count < (load.times ?? Infinity)) {
      const name = load.tlsName?.(this.#count);
      this.#note(await knock(this.#port, this.#next(load.request ?? NOTHING), name));
    }
  }

  /** Resolves when the server has answered, or has closed it. */
  #open(load: Hold, place: number): Promise<void> {
    return new Promise((opened) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1' });
      const hold = (): void => {
        this.#held[place] = socket;
        opened();
      };
      socket.write(this.#next(load.open), () => void (load.isAnswered || hold()));
      socket.once('data', (chunk: Buffer) => {
        this.#note(chunk.toString('latin1', 9, 12));
        if (!load.isRead) socket.pause();
        hold();
      });
      socket.on('data', () => undefined).on('error', () => undefined);
      socket.on('close', () => {
        opened();
        this.#note(0);
        setTimeout(() => void (this.#goesOn && this.#open(load, place)), REOPEN_MS);
      });
    });
  }

  async #sendAll({ sends, count }: Hold): Promise<void> {
    if (sends !== undefined) await this.#each(Math.min(sends.by, count), (index) => this.#send(sends, index));
  }

  async #send(sends: Required<Hold>['sends'], place: number): Promise<void> {
    while (this.#goesOn) {
      const socket = this.#held[place];
      if (socket === undefined || socket.destroyed) await sleep(REOPEN_MS);
      else await written(socket, this.#next(sends.bytes));
      if (sends.everyMs > 0) await sleep(sends.everyMs);
    }
  }
}

/** Resolves when the kernel has taken the bytes, or the connection has ended. */
function written(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((taken) => {
    socket.once('close', taken);
    socket.write(bytes, () => {
      socket.off('close', taken);
      taken();
    });
  });
}

/** @returns The status, 0 without an answer, `tls` behind a handshake. */
function knock(port: number, asked: string | Buffer, tlsName: string | undefined): Promise<number | string> {
  return new Promise((left) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const leave = (status: number | string): void => {
      socket.destroy();
      left(status);
    };
    const secure = (): void => {
      const secured = connectTls({ socket, servername: tlsName ?? '', rejectUnauthorized: false });
      secured.on('secureConnect', () => leave('tls')).on('error', () => leave(0));
    };
    socket.on('error', () => leave(0)).on('close', () => leave(0));
    if (asked.length === 0) return void socket.once('connect', secure);
    socket.write(asked);
    socket.once('data', (chunk: Buffer) => {
      const status = Number(chunk.toString('latin1', 9, 12));
      if (tlsName === undefined || status !== 200) leave(status);
      else secure();
    });
  });
}
