/**
 * Load over TLS, with an authority of its own, and through tunnels of a proxy: neither wrk nor autocannon can make those
 * connections, which are opened in the first round. In a process of its own. All answers of a load have one length.
 */
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { requestText, type Load, type Sent } from './load.ts';
import { serveJobs } from './serve-jobs.ts';

export interface TlsLoad extends Load {
  /** PEM. */
  readonly ca: string;
  /** In the certificate of the server. */
  readonly name: string;
  /** Of a proxy that listens on the port: `host:port` of the tunnel, and the value of `proxy-authorization`. */
  readonly tunnel?: { readonly to: string; readonly authorization: string };
}

interface Counts {
  requests: number;
  others: number;
  errors: number;
}

/** By the place that they lead to: they are kept for the next round, as handshakes are not what a round measures. */
const kept = new Map<string, readonly TLSSocket[]>();

async function generate(load: TlsLoad): Promise<Sent> {
  const counts: Counts = { requests: 0, others: 0, errors: 0 };
  const place = `${load.port} ${load.tunnel?.to ?? ''}`;
  const open = kept.get(place)?.filter((socket) => !socket.destroyed) ?? [];
  const more = Array.from({ length: load.connections - open.length }, () => connect(load));
  const sockets = [...open, ...(await Promise.all(more))];
  kept.set(place, sockets);
  const startedAt = performance.now();
  const until = startedAt + load.seconds * 1e3;
  await Promise.all(sockets.map((socket) => sendUntil(until, socket, load, counts)));
  const seconds = (performance.now() - startedAt) / 1e3;
  return { requestCount: counts.requests, otherCount: counts.others, errorCount: counts.errors, seconds };
}

async function connect({ port, ca, name, tunnel }: TlsLoad): Promise<TLSSocket> {
  const socket = connectPlain(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay();
  if (tunnel !== undefined) await openTunnel(socket, tunnel);
  const secure = connectTls({ socket, ca, servername: name });
  await once(secure, 'secureConnect');
  // It may end between two rounds.
  return secure.on('error', () => undefined);
}

async function openTunnel(socket: Socket, { to, authorization }: Required<TlsLoad>['tunnel']): Promise<void> {
  socket.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\nproxy-authorization: ${authorization}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(answer.toString('latin1'));
}

/** Sends the next request when the one before is answered. */
function sendUntil(until: number, socket: TLSSocket, load: TlsLoad, counts: Counts): Promise<void> {
  const text = requestText(load);
  const expected = `HTTP/1.1 ${load.status ?? 200} `;
  let length = 0;
  let received = 0;
  return new Promise((resolve) => {
    const over = (): void => {
      socket.removeAllListeners('data').off('error', onError).off('close', over);
      resolve();
    };
    const onError = (): void => void counts.errors++;
    socket.on('error', onError);
    socket.on('close', over);
    socket.on('data', (chunk: Buffer) => {
      // The head and a small body come at once.
      if (length === 0) length = lengthOf(chunk);
      if (received === 0) counts[chunk.toString('latin1', 0, expected.length) === expected ? 'requests' : 'others']++;
      received += chunk.length;
      if (received < length) return;
      received = 0;
      if (performance.now() < until) socket.write(text);
      else over();
    });
    socket.write(text);
  });
}

function lengthOf(answer: Buffer): number {
  const head = answer.indexOf('\r\n\r\n') + 4;
  return head + Number(/\r\ncontent-length: (\d+)/i.exec(answer.toString('latin1', 0, head))?.[1] ?? Number.NaN);
}

serveJobs(generate);
