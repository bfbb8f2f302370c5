/**
 * Receives a request's body and reads it as a JSON object.
 *
 * What is wrong with a body is handed on as a value: the owner's turn refuses with it only after it knows that the addressed
 * record exists (decisions.md, "Order of checks"). Only one chunk, the common case, is read in place.
 */
import { hash } from 'node:crypto';
import { isJsonProblem, parseStrictJson, type JsonObject } from '../base/strict-json.ts';
import { refuse, type Refusal, type RefusalKind } from '../errors.ts';
import { BODIES_BYTES_MAX, IDEMPOTENCY_KEY_CHARS_MAX, JSON_DEPTH_MAX } from '../limits.ts';
import type { Body } from '../model/command.ts';
import type { Idempotency } from '../owners/owner-actor.ts';
import type { Call } from './call.ts';

/** Bytes of bodies from their first chunk to their answer, of all requests. */
let bytesInFlight = 0;

const JSON_MEDIA_TYPE = /^\s*application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;

/**
 * @param bytesMax Larger bodies are refused as soon as they exceed it.
 * @param invalid  The refusal of what is no JSON object.
 * @param done     Called once with the body, and with the digests of a request that may be repeated; never when the client
 *                 disconnects before the end.
 */
export function readBody(
  call: Call,
  bytesMax: number,
  invalid: RefusalKind,
  done: (body: Body, idempotency: Idempotency | undefined) => void,
): void {
  const { head } = call;
  const early = refuseEarly(call, bytesMax);
  if (early !== undefined) return done(early, undefined);
  if (!head.hasBody)
    return done(refuse(invalid, [{ path: '', message: 'a JSON object is needed as body' }]), undefined);

  const chunks: Buffer[] = [];
  let bytes = 0;
  let finished = false;
  // Until the call is answered: a body lives on in the commit that it makes.
  const release = (): void => {
    bytesInFlight -= bytes;
    bytes = 0;
  };
  const finish = (body: Body, idempotency: Idempotency | undefined): void => {
    finished = true;
    call.onAborted = undefined;
    call.onSettled = release;
    done(body, idempotency);
  };
  call.onAborted = release;
  call.res.onData((chunk, isLast) => {
    if (finished) return;
    call.protect(() => {
      bytes += chunk.byteLength;
      bytesInFlight += chunk.byteLength;
      if (bytes > bytesMax) return finish(tooLarge(bytesMax), undefined);
      if (bytesInFlight > BODIES_BYTES_MAX) return finish(refuse('overloaded'), undefined);
      if (!isLast) {
        // The chunk is only valid during this call.
        chunks.push(Buffer.from(new Uint8Array(chunk)));
        return undefined;
      }
      const last = Buffer.from(chunk);
      const whole = chunks.length === 0 ? last : Buffer.concat([...chunks, last]);
      return finish(parseBody(whole, invalid), idempotencyOf(call, whole));
    });
  });
}

function refuseEarly({ head }: Call, bytesMax: number): Refusal | undefined {
  if (head.contentLength !== undefined && head.contentLength > bytesMax) return tooLarge(bytesMax);
  if (head.hasBody && head.contentType !== undefined && !JSON_MEDIA_TYPE.test(head.contentType)) {
    return refuse('unsupportedMediaType', [{ path: 'Content-Type', message: 'expected application/json' }]);
  }
  const { idempotencyKey } = head;
  if (head.method !== 'POST' || idempotencyKey === undefined) return undefined;
  if (idempotencyKey === '' || idempotencyKey.length > IDEMPOTENCY_KEY_CHARS_MAX) {
    const message = `expected 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`;
    return refuse('badRequest', [{ path: 'Idempotency-Key', message }]);
  }
  return undefined;
}

function tooLarge(bytesMax: number): Refusal {
  return refuse('payloadTooLarge', [{ path: '', message: `the body has more than ${bytesMax} bytes` }]);
}

function parseBody(bytes: Buffer, invalid: RefusalKind): Body {
  const parsed = parseStrictJson(bytes, JSON_DEPTH_MAX);
  if (isJsonProblem(parsed)) return refuse(invalid, [{ path: '', message: parsed.problem }]);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(invalid, [{ path: '', message: 'the body must be a JSON object' }]);
  }
  return value as JsonObject;
}

/** Repetitions are told by owner, user, method, path and key; only POST creates what must not be created twice. */
function idempotencyOf({ head, caller }: Call, body: Buffer): Idempotency | undefined {
  if (head.idempotencyKey === undefined || head.method !== 'POST') return undefined;
  const { ownerId, userId } = caller;
  const scope = `${ownerId}\n${userId}\n${head.method}\n${head.path}\n${head.idempotencyKey}`;
  return { key: hash('sha256', scope), bodyDigest: hash('sha256', body) };
}
