/** An exchange as it is kept: one buffer without any credential. Packed once, and read when somebody asks. */
import { isUtf8 } from 'node:buffer';
import { bodyMembers } from '../../base/body-members.ts';
import { inSlices } from '../../base/slices.ts';
import { pack, unpack } from '../../forward/envelope.ts';
import { upstreamUrl } from '../../forward/upstream-call.ts';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { BodyOmitted, RecordedExchange } from '../../model/mocks/upstream/recording.ts';
import { codingsOf, decodedBody } from '../../base/content-coding.ts';
import { targetPath, headerValue } from '../forward/lines.ts';
import type { Capture } from './capture.ts';
import { redactBody, redactPairs } from './redact-body.ts';
import { redactLines, redactPath } from './redact-head.ts';
import type { RecordedEntry } from './ring.ts';
import type { Secrets } from './secrets.ts';

/** Without its bodies: they follow it. */
interface KeptHead {
  readonly number: number;
  readonly session: string;
  readonly time: number;
  readonly headMs: number | undefined;
  readonly durationMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** Absent where it is that path and query below the upstream. */
  readonly url: string | undefined;
  readonly upstream: string;
  readonly request: KeptPart;
  readonly response: (KeptPart & { readonly status: number; readonly reason: string }) | undefined;
  readonly isOpen: boolean;
  readonly failed: Capture['failed'];
}

interface KeptPart {
  /** Names and values, alternating. */
  readonly lines: readonly string[];
  readonly bodyBytes: number;
  readonly omitted: BodyOmitted | undefined;
}

/** A request or an answer, its body without content coding. */
interface Part {
  readonly lines: readonly string[];
  readonly body: Buffer;
  readonly omitted: BodyOmitted | undefined;
  readonly isDecoded: boolean;
}

const NO_BODY = Buffer.alloc(0);

/** Whether a body has to be decoded first. */
export function isEncoded({ requestLines, requestBody, head, responseBody }: Capture): boolean {
  return (
    (requestBody.bytes > 0 && codingsOf(headerValue(requestLines, 'content-encoding')).length > 0) ||
    (responseBody.bytes > 0 && codingsOf(headerValue(head?.headers ?? [], 'content-encoding')).length > 0)
  );
}

/** @param isOpen Whether the answer has not ended. @param decoded Its parts; those that are not encoded by default. */
export function* keep(
  capture: Capture,
  secrets: Secrets,
  isOpen: boolean,
  { request, response }: Parts = partsOf(capture),
): Generator<void, RecordedEntry> {
  const { number, time, call, of, head, headMs, ms, failed } = capture;
  const [asked, askedBody] = yield* kept(
    request,
    secrets,
    call.requestHeaders.map((edit) => edit.name),
  );
  const [answered, answeredBody] = yield* kept(response, secrets);
  const [path, query] = [redactPath(of.path, secrets), yield* redactPairs(of.query, secrets)];
  const isSame = call.path === of.path && call.query === of.query;
  const url = isSame
    ? undefined
    : urlOf(call.upstream, redactPath(call.path, secrets), yield* redactPairs(call.query, secrets));
  const packed: KeptHead = {
    number,
    session: of.session,
    time,
    headMs,
    durationMs: ms,
    method: call.method,
    path,
    query,
    url,
    upstream: call.upstream,
    request: asked,
    response: head && { status: head.status, reason: redactPath(head.reason, secrets), ...answered },
    isOpen,
    failed: failed && { ...failed, reason: redactPath(failed.reason, secrets) },
  };
  return {
    number,
    session: of.session,
    time,
    status: head?.status ?? 0,
    upstream: call.upstream,
    packed: pack(packed, askedBody, answeredBody),
  };
}

function urlOf(upstream: string, path: string, query: string): string {
  const target = upstreamUrl(upstream);
  return `${target.origin}${targetPath(target, path, query)}`;
}

interface Parts {
  readonly request: Part;
  readonly response: Part;
}

function partsOf({ call, of, requestLines, requestBody, head, responseBody }: Capture): Parts {
  return {
    request: { lines: requestLines, body: requestBody.read(), omitted: requestBody.omitted, isDecoded: false },
    response: {
      lines: withoutRoot(withoutOwnVia(head?.headers ?? []), call.root, of.path),
      body: responseBody.read(),
      omitted: responseBody.omitted,
      isDecoded: false,
    },
  };
}

/** @param isOpen As for `keep`. */
export async function decodedParts(capture: Capture, isOpen: boolean): Promise<Parts> {
  const { request, response } = partsOf(capture);
  return { request: await decoded(request, false), response: await decoded(response, isOpen) };
}

async function decoded(part: Part, isCut: boolean): Promise<Part> {
  const coding = headerValue(part.lines, 'content-encoding');
  const body = await decodedBody(part.body, coding, { bytesMax: RECORDED_BODY_BYTES_MAX, isCut });
  if (body === part.body) return part;
  return typeof body === 'string' ? { ...part, body: NO_BODY, omitted: body } : { ...part, body, isDecoded: true };
}

function* kept(
  { lines, body, omitted, isDecoded }: Part,
  secrets: Secrets,
  added: readonly string[] = [],
): Generator<void, readonly [KeptPart, Buffer]> {
  const redacted = yield* redactBody(body, headerValue(lines, 'content-type') ?? '', secrets);
  const isSame = redacted === body && !isDecoded;
  const own = isSame || redacted === undefined ? lines : withoutLines(lines, isDecoded ? FRAMING : LENGTH);
  const part = {
    lines: redactLines(own, secrets, added),
    bodyBytes: redacted?.length ?? 0,
    omitted: redacted === undefined ? 'undecodable' : omitted,
  } as const;
  return [part, redacted ?? NO_BODY];
}

const LENGTH: ReadonlySet<string> = new Set(['content-length']);
const FRAMING: ReadonlySet<string> = new Set(['content-length', 'content-encoding']);

function withoutLines(lines: readonly string[], names: ReadonlySet<string>): readonly string[] {
  return lines.filter((_, at) => !names.has((lines[at - (at % 2)] as string).toLowerCase()));
}

const OWN_VIA = /(?:^|, )1\.1 switchyard-\w+$/;

/** A mock that is made of it would have it twice. */
function withoutOwnVia(lines: readonly string[]): readonly string[] {
  const at = lines.findLastIndex((name, index) => index % 2 === 0 && name === 'via');
  if (at === -1) return lines;
  const others = (lines[at + 1] as string).replace(OWN_VIA, '');
  return lines.toSpliced(at, 2, ...(others === '' ? [] : ['via', others]));
}

/** For one that has not ended. */
export async function keepNow(capture: Capture, secrets: Secrets): Promise<RecordedEntry> {
  return inSlices(keep(capture, secrets, true, await decodedParts(capture, true)));
}

/** The request's body, as it is kept; undefined where it is not. */
export function requestBodyOf({ packed }: RecordedEntry): Buffer | undefined {
  const { head, body } = unpack(packed) as { head: KeptHead; body: Buffer };
  return head.request.omitted === undefined ? body.subarray(0, head.request.bodyBytes) : undefined;
}

export function exchangeOf({ packed }: RecordedEntry): RecordedExchange {
  const { head, body } = unpack(packed) as { head: KeptHead; body: Buffer };
  const { number, session, time, headMs, durationMs, method, path, query, request, response, isOpen, failed } = head;
  const url = head.url ?? urlOf(head.upstream, path, query);
  const isPartial = request.omitted !== undefined || response?.omitted !== undefined;
  return {
    id: String(number),
    ...(session === '' ? {} : { session }),
    time,
    ...(headMs === undefined ? {} : { headMs: rounded(headMs) }),
    durationMs: rounded(durationMs),
    method,
    path,
    query,
    url,
    request: partOf(request, body.subarray(0, request.bodyBytes)),
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            reason: readable(response.reason),
            ...partOf(response, body.subarray(request.bodyBytes), isOpen),
          },
        }),
    ...(isPartial ? { partial: true } : {}),
    ...(isOpen ? { open: true } : {}),
    ...(failed === undefined ? {} : { failed }),
  };
}

function partOf({ lines, omitted }: KeptPart, body: Buffer, isCut = false): RecordedExchange['request'] {
  const headers: { name: string; value: string }[] = [];
  for (let at = 0; at < lines.length; at += 2)
    headers.push({ name: lines[at] as string, value: readable(lines[at + 1] as string) });
  return { headers, ...bodyMembers(body, isCut), ...(omitted === undefined ? {} : { bodyOmitted: omitted }) };
}

/** Header lines have one character for each byte. */
function readable(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const rounded = (ms: number): number => Math.round(ms * 10) / 10;

const NAMES: ReadonlySet<string> = new Set(['location', 'content-location']);

/**
 * A mock that is made of the recording has another address, and a session that recorded has ended: what begins with the root of the mock is
 * written from the place of the request, which leads there below any address.
 *
 * @param lines Names and values, alternating. @param root Of the mock, as the client wrote it; "" on a host of its own. @param path Of the request, below the root.
 */
function withoutRoot(lines: readonly string[], root: string, path: string): readonly string[] {
  if (root === '') return lines;
  return lines.map((value, at) => {
    const isPlace = at % 2 === 1 && NAMES.has((lines[at - 1] as string).toLowerCase());
    return isPlace && value.startsWith(`${root}/`) ? fromRequest(value.slice(root.length), path) : value;
  });
}

/** @param place A path, with its query and fragment. */
function fromRequest(place: string, path: string): string {
  const [, target = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(place) ?? [];
  const from = path.split('/').slice(1, -1);
  const to = target.split('/').slice(1);
  let same = 0;
  while (same < Math.min(from.length, to.length - 1) && from[same] === to[same]) same++;
  const way = `${'../'.repeat(from.length - same)}${to.slice(same).join('/')}`;
  // Without a dot, nothing would be the request itself, "a:" a scheme, and "/" the root of the server.
  return `${/^(?:$|\/|[^/]*:)/.test(way) ? './' : ''}${way}${rest}`;
}
