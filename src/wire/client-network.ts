/**
 * The network of a client, by which bounds on strangers count: a proxy in front of the service is one client. Also counts the
 * connections that each network holds.
 */
import { readFile } from 'node:fs/promises';
import type { HttpResponse } from './uws.ts';

const MAPPED_PREFIX = '00000000000000000000ffff';
/** Hexadecimal digits of the part of an IPv6 address that a provider assigns: its client may choose the rest. */
const IPV6_DIGITS = 16;

/** @returns The IPv4 address, or the first 64 bits of the IPv6 address, in hexadecimal digits. */
export function networkOf(response: HttpResponse): string {
  return toNetwork(Buffer.from(response.getRemoteAddress()));
}

function toNetwork(address: Buffer): string {
  const digits = address.toString('hex');
  if (digits.startsWith(MAPPED_PREFIX)) return digits.slice(MAPPED_PREFIX.length);
  return digits.slice(0, IPV6_DIGITS);
}

/** Those of Linux. A connection to a socket of IPv6 is in its table, whatever its address. */
const SOCKET_TABLES = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
/** An established one: its local port, and the address of the other side. */
const CONNECTION = /^ *\d+: [\dA-F]+:([\dA-F]{4}) ([\dA-F]+):[\dA-F]{4} 01 /gm;

/** A table of 3,000 connections takes the kernel 15 ms, outside of the event loop, and the parser 1 ms. */
const REFRESH_MS = 250;

/**
 * Counts the connections of each network, as the kernel lists them: uWebSockets.js does not name the client of a connection that has
 * closed. Where there is no such list, counts those of the last quarter of a second.
 */
export class HeldByNetworks {
  /** The ports that are connected to. */
  readonly ports = new Set<number>();
  readonly #threads: number;
  #held = new Map<string, number>();
  #openedSince = new Map<string, number>();
  #refreshAt = 0;

  /** @param threads Those that share the connections to the ports, in equal parts: counts are of one of them. */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /** Counts a new connection of the network. @returns false when the network holds `max` or more: it is not counted then. */
  take(network: string, max: number): boolean {
    this.#refresh();
    if ((this.#held.get(network) ?? 0) >= max) return false;
    add(this.#held, network, 1);
    add(this.#openedSince, network, 1);
    return true;
  }

  #refresh(): void {
    const now = performance.now();
    if (now < this.#refreshAt) return;
    this.#refreshAt = Infinity;
    this.#openedSince = new Map();
    void Promise.all(SOCKET_TABLES.map(readTable))
      .then((tables) => {
        // The tables may have some of these, too.
        this.#held = this.#openedSince;
        for (const table of tables) this.#addListed(table);
        this.#openedSince = new Map();
      })
      // Connections that are about to be closed may take the last descriptors: the counts stay until the next try.
      .catch(() => undefined)
      .finally(() => (this.#refreshAt = performance.now() + REFRESH_MS));
  }

  #addListed(table: string): void {
    const byAddress = new Map<string, number>();
    for (const [, port = '', address = ''] of table.matchAll(CONNECTION))
      if (this.ports.has(Number.parseInt(port, 16))) add(byAddress, address, 1);
    // The kernel writes words of 32 bits, each in the byte order of the machine.
    for (const [address, count] of byAddress)
      add(this.#held, toNetwork(Buffer.from(address, 'hex').swap32()), count / this.#threads);
  }
}

/** @returns "" where the system has none. @throws when it cannot be read now */
function readTable(file: string): Promise<string> {
  return readFile(file, 'latin1').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
