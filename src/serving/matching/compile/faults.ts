/**
 * Weaves faults and delivery into the compiled responses that have any; docs/mocks-behaviour.md. What they do to the client is a plan
 * in the answer, which thread/deliver.ts carries out.
 *
 * The bytes of a broken reply are those of a whole one, whose header values were checked, and constants: a template cannot
 * break out of its line.
 */
import { STATUS_CODES } from 'node:http';
import { BACKPRESSURE_BYTES } from '../../../limits.ts';
import type {
  Fault,
  FaultKind,
  MockResponse,
  MockRoute,
  MockSettings,
} from '../../../model/mocks/definition/definition.ts';
import { isInStream } from '../../../model/mocks/behaviour/behaviour-checks.ts';
import { codeOfFault } from '../../../model/mocks/behaviour/fault-codes.ts';
import { faultsOf, NO_STATUS, otherStatusesOf } from '../../../model/mocks/behaviour/fault-statuses.ts';
import { answerHead, errorBodyType, type ReplyHead } from './answer-head.ts';
import { writeHeaderLines } from './compile-response.ts';
import { CORS_LINES } from './cors.ts';
import type { PreparedResponse } from './compiled-mock.ts';
import type { CountedResponse } from './placed-response.ts';
import { drawStream } from './draw-streams.ts';
import { type DeliveryPlan, type MockAnswer, type RenderProblem } from '../request/mock-request.ts';
import type { RequestView } from '../request/request-view.ts';
import type { StreamFault } from '../streams/stream-plan.ts';
import { seedLines, exposesSeed } from './seed-lines.ts';

/**
 * @param response As compiled from `placed`.
 * @returns The same response where neither faults nor delivery apply.
 */
export function withFaults(
  response: PreparedResponse,
  { response: defined, settings, route, index: responseIndex, otherPlace: firstOtherPlace }: CountedResponse,
): PreparedResponse {
  const others = otherStatusesOf(settings, route, defined);
  if (others === undefined) return response;
  const placeOf = (status: number): number => firstOtherPlace + others.indexOf(status);
  const ofMock = settings.faults?.length ?? 0;
  const faults = faultsOf(settings, defined).map((fault, index) => {
    const stream = faultStream(route, index, index === ofMock ? responseIndex : undefined);
    return { fault, applies: applies(fault, stream), strike: striker(fault, settings, defined, placeOf) };
  });
  const { delivery } = defined;
  const answer = (view: RequestView): MockAnswer | RenderProblem => {
    const whole = response.answer(view);
    if (whole.problem !== undefined) return whole;
    const isHead = view.request.method === 'HEAD';
    for (const each of faults) if (each.applies(view)) return each.strike(whole, isHead, view);
    if (delivery === undefined || isHead || bytesIn(whole) === 0) return whole;
    return replaced(whole, { plan: { kind: 'paced', delivery, refused: gone(whole, 'empty', placeOf(NO_STATUS)) } });
  };
  return {
    id: response.id,
    place: response.place,
    readsBody: response.readsBody,
    readsIp: response.readsIp,
    usesStores: response.usesStores,
    readsNumber: response.readsNumber || faults.some(({ fault }) => isCounted(fault)),
    draws: response.draws || faults.some(({ fault }) => isDrawn(fault)),
    fixed: undefined,
    answer,
  };
}

function isCounted({ first, after }: Fault): boolean {
  return first !== undefined || after !== undefined;
}

function isDrawn({ probability = 1 }: Fault): boolean {
  return probability > 0 && probability < 1;
}

/** @param number Of the request among those of its route, from 1. */
function isInWindow({ first = Infinity, after = 0 }: Fault, number: number): boolean {
  return number > after && number <= first;
}

/** The draws of a fault. @param responseIndex In its route; undefined for a fault of the settings, whose index `index` is. */
export function faultStream(route: MockRoute, index: number, responseIndex: number | undefined): number {
  return responseIndex === undefined
    ? drawStream(route, 'mockFault', index)
    : drawStream(route, 'fault', responseIndex);
}

function applies(fault: Fault, stream: number): (view: RequestView) => boolean {
  const { probability = 1 } = fault;
  if (probability === 0) return () => false;
  const isIn = isCounted(fault) ? (view: RequestView) => isInWindow(fault, view.requestNumber) : () => true;
  if (!isDrawn(fault)) return isIn;
  return (view) => isIn(view) && view.random(stream)() < probability;
}

type Strike = (whole: MockAnswer, isHead: boolean, view: RequestView) => MockAnswer;

function striker(
  fault: Fault,
  settings: MockSettings,
  defined: MockResponse,
  placeOf: (status: number) => number,
): Strike {
  const { kind } = fault;
  const unstreamed = unstreamedStriker(fault, settings, defined, placeOf);
  if (!isInStream(fault)) return unstreamed;
  const { afterEvents = 0, bytes, ms } = fault;
  const inStream = { kind: kind as StreamFault['kind'], afterEvents, bytes, ms };
  return (whole, isHead, view) => {
    // A fault of the settings may be meant for whole bodies.
    if (whole.plan?.kind !== 'stream') return defined.stream === undefined ? unstreamed(whole, isHead, view) : whole;
    if (isHead) return whole;
    return replaced(whole, { kind, plan: { ...whole.plan, fault: inStream } });
  };
}

function unstreamedStriker(
  fault: Fault,
  settings: MockSettings,
  { status, headers }: MockResponse,
  placeOf: (status: number) => number,
): Strike {
  const { kind } = fault;
  const isBodyless = hasNoBody(status);
  const noStatus = placeOf(NO_STATUS);
  const close: Strike = (whole) => gone(whole, 'empty', noStatus);
  const unlessEmpty =
    (plan: (whole: MockAnswer) => DeliveryPlan): Strike =>
    (whole, isHead, view) => {
      if (isHead || isBodyless || bytesIn(whole) === 0) return close(whole, isHead, view);
      return replaced(whole, { kind, plan: plan(whole) });
    };
  switch (kind) {
    case 'empty':
    case 'reset':
      return (whole) => gone(whole, kind, noStatus);
    case 'hang':
      return (whole) => {
        const refused = gone(whole, 'empty', noStatus);
        return gone(whole, kind, noStatus, { kind: 'hang', ms: fault.ms, refused });
      };
    case 'ended':
    case 'events':
      return (whole) => whole;
    case 'garbage':
      return (whole) => gone(whole, kind, noStatus, GARBAGE);
    case 'status':
      return statusStriker(
        statusReply(fault, settings.cors === true),
        placeOf(fault.status as number),
        exposesSeed(settings, headers),
      );
    case 'truncated':
      return unlessEmpty((whole) => cut(whole, fault.bytes));
    case 'malformedChunk':
      return unlessEmpty((whole) => ({ kind: 'raw', bytes: malformedChunk(whole) }));
  }
}

const NOTHING = new ArrayBuffer(0);
const CLOSE: DeliveryPlan = { kind: 'close' };
/** No status, no line, no UTF-8; behind an interim reply, since uWebSockets.js begins one. Clients go on to the next line after that. */
const GARBAGE: DeliveryPlan = {
  kind: 'raw',
  bytes: Uint8Array.from([
    ...Buffer.from('100 Continue\r\n\r\n'),
    0xff,
    0xfe,
    0x00,
    0x9d,
    ...Buffer.from('lorem '),
    0xc3,
    0x28,
    0x07,
    ...Buffer.from('ipsum'),
    0x1b,
    0xf8,
  ]).buffer,
};

/** An answer of which nothing that HTTP would call one is sent. */
export function gone(whole: MockAnswer, kind: FaultKind, otherPlace: number, plan = CLOSE): MockAnswer {
  return replaced(whole, { kind, plan, status: NO_STATUS, otherPlace, head: '', body: NOTHING });
}

interface Replacement {
  readonly kind?: FaultKind;
  readonly plan?: DeliveryPlan;
  readonly status?: number;
  readonly otherPlace?: number;
  readonly head?: ReplyHead;
  readonly body?: ArrayBuffer;
}

/** Field by field, so that all answers have one hidden class: compile-response.ts. */
export function replaced(
  { routeId, responseId, place, latencyMs, ...whole }: MockAnswer,
  { kind, plan, status = whole.status, otherPlace = whole.otherPlace, head = whole.head, body }: Replacement,
): MockAnswer {
  return {
    routeId,
    responseId,
    place,
    status,
    faultCode: kind === undefined ? 0 : codeOfFault(kind),
    otherPlace,
    head,
    body: body ?? whole.body,
    ownsBody: body === undefined && whole.ownsBody,
    latencyMs,
    isPlain: false,
    plan,
    // A status in place of the answer: what the callbacks would report has not happened.
    callbacks: kind === 'status' ? undefined : whole.callbacks,
  };
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

interface StatusReply {
  readonly status: number;
  readonly lines: string;
  readonly head: ArrayBuffer;
  readonly body: ArrayBuffer;
}

/** Made once for all responses that share a fault of the settings: with thousands of routes, copies would fill the memory. */
const statusReplies = new WeakMap<Fault, StatusReply>();

/** @param cors Whether that of the mock that the fault belongs to is true. @returns One that says JSON where the body is some. */
function statusReply(fault: Fault, cors: boolean): StatusReply {
  const known = statusReplies.get(fault);
  if (known !== undefined) return known;
  const { status = 500, body, retryAfter } = fault;
  const usual = JSON.stringify({ success: false, message: STATUS_CODES[status] ?? 'Unknown' });
  const text = hasNoBody(status) ? '' : (body ?? usual);
  const type = errorBodyType(text);
  const lines = [
    ...(text === '' ? [] : [`content-type: ${type}; charset=utf-8`]),
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
  ]
    .map((line) => `\r\n${line}`)
    .join('')
    .concat(cors ? CORS_LINES : '');
  const reply = { status, lines, head: bytesOf(answerHead(status, lines)), body: bytesOf(text) };
  statusReplies.set(fault, reply);
  return reply;
}

/** @param exposes Whether the reply exposes the seed: a fault is what a test most often wants to see again. */
function statusStriker({ status, lines, head, body }: StatusReply, otherPlace: number, exposes: boolean): Strike {
  const kind = 'status';
  if (!exposes) return (whole) => replaced(whole, { kind, status, otherPlace, head, body });
  return (whole, _isHead, view) => {
    const seeded = answerHead(status, lines + writeHeaderLines(seedLines(view)));
    return replaced(whole, { kind, status, otherPlace, head: seeded, body });
  };
}

function cut(whole: MockAnswer, bytes: number | undefined): DeliveryPlan {
  const length = bytesIn(whole);
  // All of the body would be no fault.
  const sent = Math.min(bytes ?? Math.floor(length / 2), length - 1);
  if (sent > 0) return { kind: 'cut', bytes: sent };
  return { kind: 'raw', bytes: rawReply(whole.head, `content-length: ${length}`, NO_BYTES) };
}

/** The first half of the body as a chunk, and a size that is not a number. */
function malformedChunk(whole: MockAnswer): ArrayBuffer {
  const body = shortBody(whole);
  const chunk = body.subarray(0, Math.ceil(body.length / 2));
  const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\nno size')]);
  return rawReply(whole.head, 'transfer-encoding: chunked', framed);
}

const NO_BYTES = Buffer.alloc(0);

/** Bytes that the kernel takes in one go, also for a slow reader: broken replies need no more of the body. */
function shortBody({ body }: MockAnswer): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body.slice(0, BACKPRESSURE_BYTES)) : Buffer.from(body);
  return bytes.subarray(0, BACKPRESSURE_BYTES);
}

/**
 * @param framing The header that says where the body ends.
 * @returns What stands between `HTTP/1.1 ` and a line end, which uWebSockets.js sends.
 */
function rawReply(head: ReplyHead, framing: string, body: Buffer): ArrayBuffer {
  const start = typeof head === 'string' ? Buffer.from(head) : Buffer.from(head);
  const end = body.length === 0 ? '\r\n' : '\r\n\r\n';
  return Uint8Array.from(Buffer.concat([start, Buffer.from(`\r\n${framing}${end}`), body])).buffer;
}

function bytesIn({ body }: MockAnswer): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
}

function bytesOf(text: string): ArrayBuffer {
  return Uint8Array.from(Buffer.from(text)).buffer;
}
