/** Checks of WebSocket routes that their schema cannot express, and warnings of likely mistakes. docs/mocks-streams.md, "WebSockets". */
import { refuse, type Detail, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, MOCK_SOCKET_REASON_BYTES_MAX } from '../../../limits.ts';
import { readsStores } from '../definition/condition-reads.ts';
import { placedConditions } from '../definition/condition-payload.ts';
import type { MockResponse, MockRoute } from '../definition/definition.ts';
import type { Report } from '../behaviour/behaviour-checks.ts';
import { checkStream } from '../streams/stream-checks.ts';
import { refusesHandshake, whenOf } from './socket.ts';

const OF_ROUTE = ['protocols', 'compress', 'tickMs', 'tickTo'] as const;
const OF_RESPONSE = ['when', 'to', 'close', 'silent'] as const;
/** Members of responses that messages do not support. */
const OF_REQUESTS = ['delivery', 'proxy', 'callbacks', 'sample', 'store'] as const;
/** Members of streams that messages do not support. */
const OF_BODIES = ['format', 'end', 'keepAliveMs', 'ids', 'resume', 'channel'] as const;

/** Whether a response can only be that of a WebSocket route. */
export function isOfSocket(response: Partial<MockResponse>): boolean {
  return OF_RESPONSE.some((name) => response[name] !== undefined);
}

export function checkSocketRoute(route: MockRoute, report: Report): void {
  const { kind, method, otherwise, tickMs, tickTo, responses } = route;
  if (kind !== 'ws') {
    for (const name of OF_ROUTE) if (route[name] !== undefined) report(`/${name}`, 'is only for routes of the kind ws');
  } else {
    if (method !== 'GET') report('/method', `must be GET for a WebSocket route, got ${method}`);
    if (otherwise !== undefined)
      report('/otherwise', 'is not for WebSocket routes: no other route answers in their place');
    if (tickTo !== undefined && tickMs === undefined) report('/tickTo', 'needs tickMs');
    for (const [index, response] of responses.entries())
      checkTick(route, response, (path, message) => report(`/responses/${index}${path}`, message));
  }
}

function checkTick({ tickMs, tickTo }: MockRoute, { when, to }: MockResponse, report: Report): void {
  if (when !== 'tick') return;
  if (tickMs === undefined) report('/when', 'requires tickMs of the route');
  if (tickTo === 'all' && to !== undefined) report('/to', 'cannot be combined with tickTo: all of the route');
}

/** Checks a response of a WebSocket route, and refuses WebSocket members elsewhere. */
export function checkSocketResponse({ kind }: Pick<MockRoute, 'kind'>, response: MockResponse, report: Report): void {
  if (kind !== 'ws') return checkOrdinary(response, report);
  const { status, headers, body, stream, close, silent, fault } = response;
  const refuses = refusesHandshake(response);
  for (const name of OF_REQUESTS) {
    if (response[name] !== undefined && !(refuses && name === 'callbacks'))
      report(`/${name}`, 'is not for WebSocket routes');
  }
  if (whenOf(response) !== 'open') {
    if (status !== 200) report('/status', 'requires when: open');
    if (headers.length > 0) report('/headers', 'require when: open');
  }
  if (refuses) {
    for (const name of ['to', 'close', 'silent', 'stream'] as const)
      if (response[name] !== undefined)
        report(`/${name}`, `cannot be combined with the status ${status}, which refuses the handshake`);
    return undefined;
  }
  if (stream !== undefined) {
    for (const name of OF_BODIES)
      if (stream[name] !== undefined) report(`/stream/${name}`, 'is not for WebSocket routes');
  }
  if (silent === true && (body !== '' || stream !== undefined))
    report('/silent', 'cannot be combined with body or stream');
  if (Buffer.byteLength(close?.reason ?? '') > MOCK_SOCKET_REASON_BYTES_MAX)
    report('/close/reason', `must have at most ${MOCK_SOCKET_REASON_BYTES_MAX} bytes`);
  for (const { rule, at } of placedConditions(response.rules))
    if (readsStores(rule)) report(`/rules${at}/target`, `${rule.target} is not for WebSocket routes`);
  if (fault?.kind === 'malformedChunk') report('/fault/kind', 'malformedChunk is not for WebSocket routes');
  return undefined;
}

function checkOrdinary(response: MockResponse, report: Report): void {
  for (const name of OF_RESPONSE)
    if (response[name] !== undefined) report(`/${name}`, 'is only for routes of the kind ws');
  if (response.fault?.code !== undefined) report('/fault/code', 'is only for routes of the kind ws');
  for (const { rule, at } of placedConditions(response.rules))
    if (rule.target === 'message') report(`/rules${at}/target`, 'message is only for routes of the kind ws');
}

/** For a response that is edited alone. */
export function refuseSocketResponse(route: MockRoute, response: MockResponse, at = ''): Refusal | undefined {
  const details: Detail[] = [];
  const report: Report = (path, message) => details.push({ path: `${at}${path}`, message });
  checkTick(route, response, report);
  checkSocketResponse(route, response, report);
  if (route.kind === 'ws') checkStream(response, false, report, true);
  return details.length === 0 ? undefined : refuse('mockPayloadInvalid', details.slice(0, DETAILS_MAX));
}

/** Each completes a sentence that begins with the route. */
export function socketWarnings({ kind, tickMs, responses }: MockRoute): string[] {
  if (kind !== 'ws') return [];
  return tickMs !== undefined && !responses.some(({ when }) => when === 'tick')
    ? ['has tickMs and no response with when: tick']
    : [];
}
