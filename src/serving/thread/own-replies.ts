/** The replies of a serving thread that no response of a mock is: refusals, misses and errors. */
import { NO_PLACE, type Outcome } from '../matching/mock-request.ts';
import type { Exchange } from './exchange.ts';
import { jsonHead } from './reply-heads.ts';
import type { ServedMock } from './served-mock.ts';

/** Statuses of the replies that the server makes itself. */
type OwnStatus = 400 | 404 | 413 | 500 | 503;

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
export function sendMessage(
  exchange: Exchange,
  status: OwnStatus,
  message: string,
  served?: ServedMock,
  more = '',
): void {
  sendJson(exchange, status, { success: false, message }, served, more);
}

export function sendUnavailable(exchange: Exchange, served?: ServedMock): void {
  sendMessage(exchange, 503, 'Service recovering', served, RETRY_AFTER);
}

export function sendJson(exchange: Exchange, status: OwnStatus, value: unknown, served?: ServedMock, more = ''): void {
  exchange.send(jsonHead(status, served?.hasCors === true, more), JSON.stringify(value));
}
