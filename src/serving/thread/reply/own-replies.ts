/** The replies of a serving thread that no response of a mock is: refusals, misses and errors. */
import type { RefusedStatus } from '../../matching/request/certificate-gate.ts';
import { OWNER_WAITING_MAX } from '../../../base/owner-turns.ts';
import { MOVED_HEADER } from '../../../forward/peer-headers.ts';
import { UPSTREAM_FAILURES } from '../../../forward/upstream-failures.ts';
import { NO_PLACE, type Outcome } from '../../matching/request/mock-request.ts';
import type { Exchange } from './exchange.ts';
import { jsonHead } from './reply-heads.ts';
import { preflightHead } from '../../matching/compile/cors.ts';
import type { ServedMock } from '../served-mock.ts';

/** Parts of the mock that such a reply depends on. */
type ReachedMock = Pick<ServedMock, 'mockId'> & OfMock;

/** A mock whose settings such a reply follows. */
type OfMock = Pick<ServedMock, 'cors' | 'overlaysCors'>;

/** Statuses of the replies that the server makes itself. */
type OwnStatus = RefusedStatus | 404 | 413 | 421 | 426 | 500 | 502 | 503 | 504 | 507 | 508;

export const RETRY_AFTER = '\r\nretry-after: 1';

/**
 * The outcome of a request that no response answered. Copying a constant and setting the status took a sixth of the
 * time of such a request: each copy got a new hidden class.
 */
export function missed(status: number, problem = ''): Outcome {
  return { routeId: '', responseId: '', place: NO_PLACE, status, faultCode: 0, latencyMs: 0, problem };
}

/**
 * Sends a reply that the server makes itself.
 *
 * @param served The mock that was reached, if any: its settings apply.
 * @param more   Further header lines, each with CRLF before it.
 */
export function sendMessage(exchange: Exchange, status: OwnStatus, message: string, served?: OfMock, more = ''): void {
  sendJson(exchange, status, { success: false, message }, served, more);
}

/** @param problem Completes a sentence that begins with "This request". */
export function sendCertificateProblem(
  exchange: Exchange,
  status: RefusedStatus,
  problem: string,
  served: OfMock,
): void {
  const where =
    exchange.head.clientCert === undefined
      ? '; `mtlsUrl` of the mock (`serve --mtls-port`) is where clients are asked for one'
      : '';
  sendJson(
    exchange,
    status,
    { success: false, message: 'Client certificate refused', hint: `this request ${problem}${where}` },
    served,
  );
}

export function sendUnavailable(exchange: Exchange, served?: OfMock): void {
  sendMessage(exchange, 503, exchange.refusal ?? 'Service recovering', served, RETRY_AFTER);
}

export function sendTooMuch(
  exchange: Exchange,
  bound: 'MOCK_REQUESTS_BYTES_MAX' | 'MOCK_REPLIES_BYTES_MAX',
  served?: OfMock,
): void {
  const hint = `a serving thread, or the owner with half of it, has reached the limit of buffered bytes (${bound})`;
  sendJson(exchange, 503, { success: false, message: 'Too many waiting bytes', hint }, served, RETRY_AFTER);
}

export function sendMockNotFound(exchange: Exchange, hint?: string): void {
  sendJson(exchange, 404, { success: false, message: 'Mock not found', hint });
}

export function sendStopped(exchange: Exchange, served: ReachedMock): void {
  const hint = `start it: POST /v1/mocks/${served.mockId}/start`;
  sendJson(exchange, 503, { success: false, message: 'Mock is stopped', hint }, served, RETRY_AFTER);
}

export function sendUnknownSession(exchange: Exchange, served: ReachedMock, isExpired: boolean): void {
  const named = exchange.head.isSessionOfCookie ? 'named by the cookie mock-session; ' : '';
  const hint = `${named}create it: POST /v1/mocks/${served.mockId}/sessions with this id, or set "sessions": "auto" in the settings of the mock`;
  const expired = isExpired ? { expired: true } : {};
  sendJson(exchange, 404, { success: false, message: 'Session not found', ...expired, hint }, served);
}

/** To a handshake that another node has received. */
export function sendMisdirected(exchange: Exchange, served: ReachedMock): void {
  const home = exchange.head.homeAddress;
  const hint = 'nodes do not forward WebSockets: connect to the node that serves the mock';
  sendJson(exchange, 421, { success: false, message: 'Misdirected request', home, hint }, served);
}

/** The connection is closed: kept open, it would be held all the same. */
export function sendTooManyHeld(exchange: Exchange, served?: OfMock): void {
  exchange.closes = true;
  const hint = 'slow replies of one owner may use at most half of the connections';
  sendJson(exchange, 503, { success: false, message: 'Too many waiting replies', hint }, served, RETRY_AFTER);
}

/** The connection is closed: requests pipelined behind a refusal would cost as much as answers. */
export function sendTooManyWait(exchange: Exchange, served?: OfMock): void {
  exchange.closes = true;
  const hint = `more than ${OWNER_WAITING_MAX} requests of the owner are waiting in a serving thread (OWNER_WAITING_MAX)`;
  sendJson(exchange, 503, { success: false, message: 'Too many waiting requests', hint }, served, RETRY_AFTER);
}

/** @param onStatus Called with the status before it is sent. */
export function sendUpstreamFailure(
  exchange: Exchange,
  kind: keyof typeof UPSTREAM_FAILURES,
  said: { readonly upstream: string; readonly reason: string },
  served: OfMock,
  onStatus: (status: number) => void,
): void {
  const [status, message] = UPSTREAM_FAILURES[kind];
  onStatus(status);
  const more = `\r\nx-switchyard-error: ${kind}${status === 503 ? RETRY_AFTER : ''}`;
  sendJson(exchange, status, { success: false, message, ...said }, served, more);
}

/** To another node, whose request may be tried elsewhere. @param token Of that request. */
export function sendMoved(exchange: Exchange, token: string): void {
  sendMessage(exchange, 503, 'Service recovering', undefined, `${RETRY_AFTER}\r\n${MOVED_HEADER}: ${token}`);
}

function sendJson(exchange: Exchange, status: OwnStatus, value: unknown, served?: OfMock, more = ''): void {
  if (served !== undefined) exchange.reach(served);
  exchange.send(jsonHead(status, served?.cors === true, more), JSON.stringify(value));
}

/** Answers a preflight of a path that has no route for OPTIONS. */
export function sendPreflight(exchange: Exchange, { cors }: OfMock): void {
  exchange.decidesCors();
  exchange.send(preflightHead(cors, exchange.head), '', true);
}
