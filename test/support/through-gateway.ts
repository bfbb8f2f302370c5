/** Requests through the gateway of a real server, over plain HTTP or a tunnel that ends in it. */
import { request as ask, type ClientRequest, type RequestOptions } from 'node:http';
import { request as askSecurely } from 'node:https';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TestServer } from './server.ts';

export interface GatewayReply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** The kind of a failure. */
  readonly error: unknown;
}

export interface GatewayAsk {
  readonly key: string;
  readonly user?: string;
  readonly method?: string;
  /** `host` is that of the URL by default. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function gatewayPortOf({ stdout }: TestServer): number {
  return Number(/, gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(stdout)?.[1]);
}

/** @param url With `https:` a tunnel is asked for first. @param ca Of its authority; TLS is refused without it. */
export async function throughGateway(port: number, url: string, asked: GatewayAsk, ca?: string): Promise<GatewayReply> {
  const { key, user = 'key', method = 'GET', headers, body } = asked;
  const to = new URL(url);
  const credentials = { 'proxy-authorization': `Basic ${btoa(`${user}:${key}`)}` };
  const options = { method, headers: { host: to.host, ...headers } };
  if (to.protocol === 'http:') {
    const sent = ask({
      ...options,
      agent: false,
      host: '127.0.0.1',
      port,
      path: url,
      headers: { ...options.headers, ...credentials },
    });
    return replyOf(sent, body);
  }
  const tunnel = await openTunnel(port, `${to.hostname}:${to.port || 443}`, credentials);
  if (!('write' in tunnel)) return tunnel;
  const socket = connectTls({ socket: tunnel, servername: to.hostname, ...(ca === undefined ? {} : { ca }) });
  const secured: RequestOptions = { ...options, path: `${to.pathname}${to.search}`, createConnection: () => socket };
  return replyOf(askSecurely(secured), body).finally(() => socket.destroy());
}

/** @returns The connection of the tunnel, or what refuses it. */
export function openTunnel(
  port: number,
  to: string,
  headers: Readonly<Record<string, string>>,
): Promise<Socket | GatewayReply> {
  const sent = ask({ host: '127.0.0.1', port, method: 'CONNECT', path: to, headers, agent: false });
  return new Promise((resolve, reject) => {
    sent.on('connect', (reply, socket, head) => {
      if (reply.statusCode === 200) return resolve(socket);
      socket.destroy();
      const { 'x-switchyard-error': error } = reply.headers;
      return resolve({ status: reply.statusCode ?? 0, body: head.toString(), headers: reply.headers, error });
    });
    sent.on('error', reject);
    sent.end();
  });
}

function replyOf(sent: ClientRequest, body: string | undefined): Promise<GatewayReply> {
  return new Promise((resolve, reject) => {
    sent.on('response', (reply) => {
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
      reply.on('end', () => {
        const { statusCode: status = 0, headers } = reply;
        resolve({ status, body: text, headers, error: headers['x-switchyard-error'] });
      });
      reply.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
