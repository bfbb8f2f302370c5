/**
 * The port of `--tls-fault-port`: faults of TLS that need the connection itself. It reads which host a client asks for, and passes all
 * bytes on to the port of HTTPS, or resets the connection, or waits first. docs/guide-https.md.
 */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { labelsOfHost, tlsFaultOf } from '../../model/mocks/sessions/address.ts';
import { serverNameIn } from './client-hello.ts';

const CONNECTIONS_MAX = 500;
/** A client begins its handshake within this time. */
const HELLO_MS = 10_000;
const SILENCE_MS = 300_000;
const SLOW_MS = 3_000;
const SLOW_MS_MAX = 60_000;

interface FaultPort {
  readonly host: string;
  readonly port: number;
  readonly httpsPort: number;
  readonly mockDomain: string;
}

/** @returns Its port; undefined where it cannot listen there. */
export function openFaultPort({ host, port, httpsPort, mockDomain }: FaultPort): Promise<number | undefined> {
  const pass = (client: Socket, begin: Buffer): void => {
    const to = connect(httpsPort, host === '0.0.0.0' || host === '::' ? undefined : host);
    for (const [from, into] of [
      [client, to],
      [to, client],
    ] as const) {
      from.on('error', () => into.destroy());
      // What was received before goes on to its end.
      from.on('close', () => into.end());
      from.setTimeout(SILENCE_MS, () => from.destroy());
    }
    to.write(begin);
    client.pipe(to).pipe(client);
  };
  const server = createServer({ noDelay: true }, (client) => {
    client.on('error', () => client.destroy());
    client.setTimeout(HELLO_MS, () => client.destroy());
    let begin = Buffer.alloc(0);
    const read = (bytes: Buffer): void => {
      begin = Buffer.concat([begin, bytes]);
      const name = serverNameIn(begin);
      if (name === 'incomplete') return;
      client.off('data', read).pause().setTimeout(0);
      const fault = faultOf(name.host, mockDomain);
      if (fault === 'reset') client.resetAndDestroy();
      else if (fault === 0) pass(client, begin);
      else setTimeout(() => client.destroyed || pass(client, begin), fault);
    };
    client.on('data', read);
  });
  server.maxConnections = CONNECTIONS_MAX;
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen({ host, port, exclusive: true }, () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** @returns Milliseconds to wait, or that the connection is reset. */
function faultOf(host: string, mockDomain: string): number | 'reset' {
  const labels = labelsOfHost(host, `.${mockDomain}`) ?? '';
  const [kind, ms = SLOW_MS] = tlsFaultOf(labels.slice(labels.indexOf('.') + 1))?.split('-') ?? [];
  if (kind === 'reset') return kind;
  return kind === 'slow' ? Math.min(Number(ms), SLOW_MS_MAX) : 0;
}
