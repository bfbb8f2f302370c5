/** The log's line of a request. Its fields are fixed here: never a secret, a body or a query. */
import type { Logger } from 'pino';
import type { Call } from './call.ts';

/** `status` is 0 when the client left before the answer. */
export function logRequest(logger: Logger, call: Call, status: number): void {
  const { requestId, head, route, principal, startedAt } = call;
  logger.info({
    id: requestId,
    method: head.method,
    route: route?.path ?? null,
    status,
    ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
    owner: principal?.ownerId ?? null,
    key: principal?.keyId ?? null,
  });
}
