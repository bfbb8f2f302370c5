/**
 * A request or a reply between two nodes: the length of its head, its head as JSON, and its body, in the body of a plain
 * HTTP message. So no HTTP client or server on the way reads, changes or refuses a method, a target or a header line.
 */

import type { ConsoleLine, SkippedRule } from '../model/rule-reports.ts';

/** A request that another node has received. */
export interface RequestHeadSent {
  /** The client's address. */
  readonly client: string;
  readonly method: string;
  readonly path: string;
  /** Without "?"; "" when absent. */
  readonly query: string;
  /** Names in lower case and values, alternating, in the order received. */
  readonly headers: readonly string[];
  /** Length of the body, as received or as announced. Of a body that is too large, less is sent. */
  readonly bodyBytes: number;
  /** The client came to a port with TLS. */
  readonly isSecure?: boolean;
  /** Its certificate, PEM, where it came to a port that asks for one. */
  readonly clientCert?: string | undefined;
}

/** Its answer as the home wrote it. */
export interface ReplyHeadSent {
  readonly status: number;
  readonly reason: string;
  /** Names and values, alternating, without those of the connection. */
  readonly headers: readonly string[];
  /** Bytes by its `Content-Length`; undefined for an answer in chunks. */
  readonly bodyBytes?: number | undefined;
  /** Present where rules of the owner act on requests of the mock to its upstream. */
  readonly rules?: RulesActed | undefined;
  /** Whether the body is all that the client gets, behind `HTTP/1.1 `, before the connection closes. */
  readonly isRaw?: boolean | undefined;
}

/** Effects of rules on a request to an upstream. */
export interface RulesActed {
  readonly outcome: 'forward' | 'blocked' | 'served' | 'failed';
  /** Those that acted, in this order: the first of them where they are many. */
  readonly ruleIds: readonly string[];
  /** Where the request was sent, or would have been. */
  readonly host: string;
  /** Status of the upstream; 0 where it has not. */
  readonly status: number;
  /** Why it has not, where a rule has answered in its place. */
  readonly problem?: string | undefined;
  /** Rules that the exchange itself kept from acting, and why: absent where there are none. The first of them where they are many. */
  readonly skipped?: readonly SkippedRule[] | undefined;
  /** Console of code, without credentials: absent where it wrote nothing. */
  readonly console?: readonly ConsoleLine[] | undefined;
}

/**
 * Why there is no answer. Nothing was done when the node is `unreachable`, too `busy`, or not the home (`moved`). What was
 * `lost` may have been done. `broken`: the home closed the connection, as some faults do.
 */
export type NoAnswerReason = 'unreachable' | 'busy' | 'moved' | 'lost' | 'broken';

export type SentBack = ReplyHeadSent | { readonly unanswered: NoAnswerReason };

const LENGTH_BYTES = 4;

export function pack(head: object, ...bodies: readonly Buffer[]): Buffer {
  const text = JSON.stringify(head);
  let at = LENGTH_BYTES + Buffer.byteLength(text);
  const packed = Buffer.allocUnsafe(bodies.reduce((sum, body) => sum + body.length, at));
  packed.writeUInt32BE(at - LENGTH_BYTES);
  packed.write(text, LENGTH_BYTES);
  for (const body of bodies) at += body.copy(packed, at);
  return packed;
}

/** @returns The head that was packed, and a view of what follows it; undefined while the head is not complete. */
export function unpack(bytes: Buffer): { readonly head: unknown; readonly body: Buffer } | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const end = LENGTH_BYTES + bytes.readUInt32BE();
  if (bytes.length < end) return undefined;
  return { head: JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as unknown, body: bytes.subarray(end) };
}
