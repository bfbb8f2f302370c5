/**
 * Calls of WireMock's interface at a port that has it beside its mock: passed on to the API, which applies its own checks, and answered as
 * they come back. Loaded with the first of them.
 */
import type { Pool } from 'undici';
import { PASSED_ON_HOP_HEADERS } from '../../base/hop-headers.ts';
import { FORWARDED_CALL_MS, FORWARDED_SILENCE_MS } from '../../limits.ts';
import { makePool } from '../../forward/pool.ts';
import { send } from '../../forward/send.ts';
import type { AdminTarget } from './admin-target.ts';
import type { Exchange } from './reply/exchange.ts';
import { ForwardedReply } from './reply/forwarded-reply.ts';

/** Connections to the API from this thread: more calls wait. */
const CONNECTIONS_MAX = 100;

let pool: Pool | undefined;

/** uWebSockets.js writes the last two itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([...PASSED_ON_HOP_HEADERS, 'http2-settings', 'date', 'uwebsockets']);

function passedOn(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index] as string;
    if (!OF_CONNECTION.has(name.toLowerCase())) kept.push(name, lines[index + 1] as string);
  }
  return kept;
}

/** Call it once the exchange waits. @param onUnanswered Called when the API cannot be reached. */
export function askAdmin(
  exchange: Exchange,
  { origin, path }: AdminTarget,
  body: Buffer | undefined,
  onUnanswered: () => void,
): void {
  // It is this server's own certificate, at its own address.
  pool ??= makePool(origin, { connections: CONNECTIONS_MAX, connect: { rejectUnauthorized: false } });
  const { method, headers } = exchange.head;
  const reply = new ForwardedReply(exchange, onUnanswered, 'latin1');
  const outgoing = {
    method,
    path,
    headers: passedOn(headers),
    body: body ?? null,
    encoding: 'latin1',
    headMs: FORWARDED_CALL_MS,
    silenceMs: FORWARDED_SILENCE_MS,
  } as const;
  const flow = send(pool, outgoing, {
    onHead(status, reason, lines) {
      const length = lines.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length');
      const bodyBytes = length === -1 ? undefined : Number(lines[length + 1]);
      reply.onHead({ status, reason, headers: passedOn(lines), bodyBytes }, flow);
    },
    onData: (chunk) => reply.onData(chunk),
    onEnd: () => reply.onEnd(),
    onLost: (wasSent) => (wasSent ? reply.onCut() : reply.onUnanswered('unreachable')),
  });
  exchange.whenFinished(() => flow.cancel());
}
