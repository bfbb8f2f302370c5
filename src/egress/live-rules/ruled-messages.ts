/** Messages on either side of their rules: what is sent of a request, what rules see of its answer, and how much of that is read. */
import type { IncomingMessage } from 'node:http';
import type { ReplyHeadSent } from '../../forward/envelope.ts';
import { readsAnswer, type RequestHalf, type Upstream } from '../../rules-table/evaluate.ts';
import type { HeaderLine, HeaderLines } from '../../rules-table/header-list.ts';
import type { FinalResponse } from '../../rules-table/outcome.ts';
import type { UpstreamRequest } from '../forward/upstreams.ts';
import { withReadableCodings } from './answer-body.ts';
import { toClientLines, rawLines, sentLines, textOfBytes } from './message-lines.ts';

/** How much is read of a body that a rule replaces, to keep the connection. */
export const DISCARDED_BYTES_MAX = 65_536;
export const DISCARDED_MS = 1_000;

/** A request as its rules got it. */
interface GivenMessage {
  readonly url: string;
  readonly target: URL;
  /** Byte by byte. */
  readonly path: string;
  readonly lines: HeaderLines;
  readonly via: string;
}

/** Makes the request that rules have left. */
export function ruledRequest(
  half: RequestHalf,
  { url, target, path, lines, via }: GivenMessage,
): Pick<UpstreamRequest, 'method' | 'target' | 'path'> & { readonly headers: string[] } {
  const { request } = half;
  const { method, headers } = request;
  const isElsewhere = request.url !== url;
  return {
    method,
    target: isElsewhere ? new URL(request.url) : target,
    path: isElsewhere ? pathOf(request.url) : path,
    headers: sentLines(readsAnswer(half) ? withReadableCodings(headers) : headers, lines, via, true),
  };
}

/** The header lines of an answer to a client of the gateway. @param given Those that came from the upstream, if it has answered. */
export function answerLines(
  { status, headers, body }: FinalResponse,
  given: HeaderLines | undefined,
  via: string,
  method: string | undefined,
): string[] {
  const keepsLength = body === undefined && status !== 101;
  const raw = given === undefined ? rawLines(headers) : sentLines(headers, given, via, keepsLength);
  if (status === 101) raw.push('connection', 'Upgrade', 'upgrade', 'websocket');
  if (body !== undefined && !isBodyless(status, method)) raw.push('content-length', `${body.length}`);
  return raw;
}

/** Its body is not read. */
export function answerOf({ status, reason, headers }: ReplyHeadSent): Exclude<Upstream, { failed: true }> & {
  readonly headers: readonly HeaderLine[];
} {
  return { status, statusText: textOfBytes(reason), headers: toClientLines(headers), body: undefined };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function isBodyless(status: number, method = ''): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** The path and query of a URL as rules write it. */
export function pathOf(url: string): string {
  const [, path = ''] = /^https?:\/\/[^/?#]*([^#]*)/i.exec(url) ?? [];
  return path.startsWith('/') ? path : `/${path}`;
}
