/**
 * Receives a request's body and reads it as a JSON object.
 *
 * What is wrong with a body is handed on as a value: the owner's turn refuses with it only after it knows that the addressed
 * record exists (decisions.md, "Order of checks"). Only one chunk, the common case, is read in place.
 */
import { hash } from 'node:crypto';
import { isRefusal, refuse, type Refusal, type RefusalKind } from '../errors.ts';
import { BODIES_BYTES_MAX, IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts';
import type { Body } from '../model/command.ts';
import { parseBody } from '../model/json-body.ts';
import type { Repeatable } from '../owners/owner-actor.ts';
import type { Call } from './call.ts';

/** Bytes of bodies from their first chunk to their answer, of all requests. */
let bytesInFlight = 0;

const JSON_MEDIA_TYPE = /^\s*application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Receives a body and reads it as a JSON object.
 *
 * @param bytesMax Larger bodies are refused as soon as they exceed it.
 * @param invalid  The refusal of what is no JSON object.
 * @param done     Called once with the body, and with the digests of a request that may be repeated; never when the client
 *                 disconnects before the end.
 */
export function readBody(
  call: Call,
  bytesMax: number,
  invalid: RefusalKind,
  done: (body: Body, repeatable: Repeatable | undefined) => void,
): void {
  readBytes(call, bytesMax, invalid, (bytes) =>
    isRefusal(bytes) ? done(bytes, undefined) : done(parseBody(bytes, invalid), repeatableOf(call, bytes)),
  );
}

/** As `readBody`, for whoever reads the JSON elsewhere. The bytes are only valid during the call of `done`. */
export function readBytes(
  call: Call,
  bytesMax: number,
  invalid: RefusalKind,
  done: (bytes: Buffer | Refusal) => void,
): void {
  const { head } = call;
  const early = refuseEarly(call, bytesMax);
  if (early !== undefined) return head.hasBody ? call.inTurn(0, () => done(early)) : done(early);
  if (!head.hasBody) return done(refuse(invalid, [{ path: '', message: 'a JSON object is needed as body' }]));

  const chunks: Buffer[] = [];
  let bytes = 0;
  let finished = false;
  // Until the call is answered: a body lives on in the commit that it makes.
  const release = (): void => {
    finished = true;
    bytesInFlight -= bytes;
    bytes = 0;
  };
  const finish = (whole: Buffer | Refusal): void => {
    finished = true;
    call.onAborted = undefined;
    call.inTurn(
      bytes,
      () => done(whole),
      () => {
        // A body that came whole is only valid during this call.
        if (!isRefusal(whole)) whole = Buffer.from(whole);
      },
    );
  };
  call.onAborted = release;
  call.onSettled = release;
  call.res.onData((chunk, isLast) => {
    if (finished) return;
    call.protect(() => {
      bytes += chunk.byteLength;
      bytesInFlight += chunk.byteLength;
      if (bytes > bytesMax) return finish(tooLarge(bytesMax));
      if (bytesInFlight > BODIES_BYTES_MAX) return finish(refuse('overloaded'));
      if (!isLast) {
        // The chunk is only valid during this call.
        chunks.push(Buffer.from(new Uint8Array(chunk)));
        return undefined;
      }
      const last = Buffer.from(chunk);
      return finish(chunks.length === 0 ? last : Buffer.concat([...chunks, last]));
    });
  });
}

function refuseEarly(call: Call, bytesMax: number): Refusal | undefined {
  const { head } = call;
  if (head.contentLength !== undefined && head.contentLength > bytesMax) return tooLarge(bytesMax);
  if (head.hasBody && head.contentType !== undefined && !JSON_MEDIA_TYPE.test(head.contentType)) {
    return refuse('unsupportedMediaType', [{ path: 'Content-Type', message: 'expected application/json' }]);
  }
  return refuseRepeatable(call);
}

/** A key that cannot be kept. */
function refuseRepeatable({ head }: Call): Refusal | undefined {
  const { method, idempotencyKey } = head;
  if (method !== 'POST' || idempotencyKey === undefined) return undefined;
  if (idempotencyKey !== '' && idempotencyKey.length <= IDEMPOTENCY_KEY_CHARS_MAX) return undefined;
  const message = `expected 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} characters`;
  return refuse('badRequest', [{ path: 'Idempotency-Key', message }]);
}

function tooLarge(bytesMax: number): Refusal {
  return refuse('payloadTooLarge', [{ path: '', message: `the body has more than ${bytesMax} bytes` }]);
}

/** For a request that is read without its body. @returns undefined when it may not be repeated. */
export function readRepeatable(call: Call): Repeatable | Refusal | undefined {
  return refuseRepeatable(call) ?? repeatableOf(call, NO_BYTES);
}

const NO_BYTES = Buffer.alloc(0);

/** Repetitions are told by owner, user, method, path and key; only a POST does what must not be done twice. */
export function repeatableOf({ head, caller }: Call, body: Buffer): Repeatable | undefined {
  if (head.idempotencyKey === undefined || head.method !== 'POST') return undefined;
  const { ownerId, userId } = caller;
  const scope = `${ownerId}\n${userId}\n${head.method}\n${head.path}\n${head.idempotencyKey}`;
  return { key: hash('sha256', scope), bodyDigest: hash('sha256', body) };
}
