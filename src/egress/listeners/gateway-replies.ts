/** Answers of the gateway itself: its failures and refusals, as JSON, each with its kind in a header. */
import type { ServerResponse } from 'node:http';
import { UPSTREAM_FAILURES } from '../../forward/upstream-failures.ts';

/** Kinds of failures; docs/gateway.md lists them. */
const FAILURES = {
  ...UPSTREAM_FAILURES,
  notAttached: [502, 'Not attached'],
  home: [503, 'The node that runs the gateway of the owner is unreachable'],
  session: [404, 'Session not found'],
  malformed: [400, 'Bad Request'],
  notSupported: [501, 'Not supported'],
  credentials: [407, 'Proxy authentication required'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type GatewayFailure = keyof typeof FAILURES;

interface FailureReply {
  readonly status: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** @param said What the client can do about it. @param upstream The host that was asked, if one was. */
export function failureReply(kind: GatewayFailure, said: string, upstream?: string): FailureReply {
  const [status, message] = FAILURES[kind];
  const body = Buffer.from(JSON.stringify({ success: false, message, upstream, reason: said }));
  const headers = ['content-type', 'application/json; charset=utf-8', 'x-switchyard-error', kind];
  if (status === 503) headers.push('retry-after', '1');
  if (status === 407) headers.push('proxy-authenticate', 'Basic realm="switchyard"');
  headers.push('content-length', `${body.length}`);
  return { status, headers, body };
}

export function refuse(res: ServerResponse, kind: GatewayFailure, said: string): void {
  const { status, headers, body } = failureReply(kind, said);
  // What follows of the request is not read.
  if (!res.req.complete || status === 400) res.shouldKeepAlive = false;
  res.writeHead(status, [...headers]).end(body);
}
