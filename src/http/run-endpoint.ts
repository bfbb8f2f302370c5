/**
 * The last steps of an admitted request: receives its body, runs within its owner's share of the event loop, reads the
 * body, and calls the endpoint.
 *
 * A refusal of the body is passed to the endpoint as a value: the command refuses with it in the documented order
 * (docs/api.md, "Order of checks").
 */
import { createHash, hash } from 'node:crypto';
import type { FairShares } from '../base/fair-shares.ts';
import { isRefusal, refuse, type Refusal } from '../errors.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts';
import { noObject, parseBody } from '../model/json-body.ts';
import type { Repeatable } from '../owners/turn.ts';
import { receiveBody, refuseByHead } from './body.ts';
import type { Call } from './call.ts';
import { NO_FILE, type Endpoint, type EndpointBody } from './endpoint.ts';

/** @param received Its body, if that was received before. */
export function runEndpoint(shares: FairShares, call: Call, endpoint: Endpoint, received?: Buffer): void {
  const { body } = endpoint;
  if (body === undefined) return inShare(shares, call, 0, () => runBodiless(call, endpoint));
  const early = refuseByHead(call, body) ?? refuseKey(call);
  if (early !== undefined) return inShare(shares, call, 0, () => endpoint.handle(call, early));
  if (!call.head.hasBody) {
    const without = body.optional === true ? NO_BYTES : noBody(body);
    return inShare(shares, call, 0, () => runWithBody(call, endpoint, body, without));
  }
  if (received !== undefined) {
    return inShare(shares, call, received.length, () => runWithBody(call, endpoint, body, received));
  }
  return receiveBody(call, body.bytesMax, (arrived, bytesCount) => {
    let whole = arrived;
    inShare(
      shares,
      call,
      bytesCount,
      () => runWithBody(call, endpoint, body, whole),
      () => {
        // A body that came in one chunk is only valid during this call.
        if (!isRefusal(whole)) whole = Buffer.from(whole);
      },
    );
  });
}

function noBody({ invalid, anyMediaType }: EndpointBody<unknown>): Refusal {
  return anyMediaType ? refuse(invalid, [NO_FILE]) : noObject(invalid);
}

function runBodiless(call: Call, endpoint: Endpoint): void {
  if (endpoint.method === 'POST') {
    const refusal = refuseKey(call);
    if (refusal !== undefined) return call.refuse(refusal);
    call.repeatable = repeatableOf(call, NO_BYTES);
  }
  return endpoint.handle(call, undefined);
}

function runWithBody(call: Call, endpoint: Endpoint, body: EndpointBody<unknown>, whole: Buffer | Refusal): void {
  if (isRefusal(whole)) return endpoint.handle(call, whole);
  call.repeatable = repeatableOf(call, whole);
  const value = body.read === undefined ? parseBody(whole, body.invalid) : body.read(whole, call);
  if (!(value instanceof Promise)) return endpoint.handle(call, value);
  // What a thread has read is large.
  return void call.later(value, (read) => call.inTurn(() => endpoint.handle(call, read)));
}

/**
 * Runs a part of the handling within the owner's share of the event loop: normally at once, else after other owners.
 *
 * @param bytes  Of the body or the answer, charged to the owner until `Call.releaseBody`.
 * @param onWait Called before it waits.
 */
export function inShare(shares: FairShares, call: Call, bytes: number, handle: () => void, onWait?: () => void): void {
  const isAccepted = shares.run(
    call.sender,
    bytes,
    () => {
      call.hasTurn = true;
      call.chargedBytes = bytes;
      // Nothing is tried for a client that has disconnected.
      if (call.open) call.protect(handle);
      else call.refuse('overloaded');
    },
    onWait,
  );
  if (isAccepted) return;
  if (call.principal !== undefined) return shares.refuse(call.sender, () => call.refuse('overloaded'));
  // Refusals of clients without a key are what waits.
  call.res.close();
  call.abort();
}

const NO_BYTES = Buffer.alloc(0);

/** @returns The refusal of a key that cannot be stored, undefined for any other request. */
function refuseKey({ head }: Call): Refusal | undefined {
  const { method, idempotencyKey } = head;
  if (idempotencyKey === undefined || method !== 'POST') return undefined;
  if (idempotencyKey !== '' && idempotencyKey.length <= IDEMPOTENCY_KEY_CHARS_MAX) return undefined;
  const message = `expected 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`;
  return refuse('badRequest', [{ path: 'Idempotency-Key', message }]);
}

/**
 * Repetitions are recognised by owner, user, method, path and key; only a POST has an effect that must not be doubled.
 * A route without a key has no owner who could repeat.
 *
 * @returns undefined for a request that is not to be repeated.
 */
function repeatableOf({ head, principal }: Call, body: Buffer): Repeatable | undefined {
  if (principal === undefined || head.idempotencyKey === undefined || head.method !== 'POST') return undefined;
  const { ownerId, userId } = principal;
  const scope = `${ownerId}\n${userId}\n${head.method}\n${head.path}\n${head.idempotencyKey}`;
  return { key: hash('sha256', scope), bodyDigest: digestOf(head.query, body) };
}

/** The query is part of the request, and so of its digest. */
function digestOf(query: string, body: Buffer): string {
  return query === '' ? hash('sha256', body) : createHash('sha256').update(`${query}\n`).update(body).digest('hex');
}
