/** A proxy on a port of this machine that adds the gateway's credentials to each request: a browser would ask a person for them. */
import {
  Agent,
  createServer,
  request,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { OperatorError } from '../base/operator-error.ts';
import type { ProxySettings } from '../client/shapes.ts';

/** Larger than what the gateway accepts, so that the gateway refuses it. */
const HEAD_BYTES_MAX = 65_536;
/** Shorter than the gateway keeps idle connections, so that no request meets their end. */
const IDLE_MS = 30_000;

interface KeyProxy {
  readonly port: number;
  /** Ends all connections. */
  readonly close: () => void;
}

/** @throws OperatorError where the gateway cannot be reached from here, or refuses the key. */
export async function startKeyProxy({ server: address, username, password }: ProxySettings): Promise<KeyProxy> {
  const { hostname, port } = new URL(address);
  const gateway = { host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port) || 80 };
  const credentials = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const sockets = new Set<Socket>();
  await checkGateway(address, { ...gateway, headers: { 'proxy-authorization': credentials } });

  const answer = (req: IncomingMessage, res: ServerResponse): void => {
    const sent = request({
      ...gateway,
      agent,
      method: req.method,
      path: req.url,
      headers: [...req.rawHeaders, 'proxy-authorization', credentials],
      setHost: false,
      maxHeaderSize: HEAD_BYTES_MAX,
    });
    sent.on('error', ({ message }) => {
      if (res.headersSent) res.destroy();
      else
        res.writeHead(502, { 'content-type': 'text/plain' }).end(`The gateway ${address} did not answer: ${message}`);
    });
    sent.once('response', (reply) => {
      res.sendDate = false;
      res.writeHead(reply.statusCode as number, reply.statusMessage, reply.rawHeaders);
      pipeline(reply, res, () => undefined);
    });
    res.once('close', () => {
      if (!res.writableFinished) sent.destroy();
    });
    pipeline(req, sent, () => undefined);
  };

  const tunnel = ({ url = '' }: IncomingMessage, client: Socket, head: Buffer): void => {
    const opened = connect(gateway);
    keep(opened);
    opened.write(`CONNECT ${url} HTTP/1.1\r\nhost: ${url}\r\nproxy-authorization: ${credentials}\r\n\r\n`);
    opened.write(head);
    pipeline(client, opened, client, () => undefined);
  };

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };

  const server = createServer({ maxHeaderSize: HEAD_BYTES_MAX, requestTimeout: 0, requireHostHeader: false }, answer)
    .on('connect', tunnel)
    .on('connection', keep);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Sends a request for no URL, which a gateway refuses with 400 once it has accepted the key. */
function checkGateway(address: string, options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new OperatorError(
          `cannot use the gateway at ${address}: ${why}; for other machines, start the server with --host and --gateway-port, or forward the port`,
        ),
      );
    request(options)
      .on('error', ({ message }) => fail(message))
      .on('response', ({ statusCode }) => (statusCode === 400 ? resolve() : fail(`it answered ${statusCode}`)))
      .end();
  });
}
