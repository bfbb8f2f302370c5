/** Receives the bytes of a request's body, within the bounds for one body and for all bodies. */
import { refuse, type Detail, type Refusal } from '../errors.ts';
import { mayTakePiece } from '../base/small-pieces.ts';
import { DEFAULT_LIMITS } from '../limits.ts';
import { tooMuchWaits, type Call } from './call.ts';
import type { EndpointBody } from './endpoint.ts';
import type { RequestHead } from './request-head.ts';

const JSON_MEDIA_TYPE = /^\s*application\/(?:[a-z0-9!#$&^_.+-]+\+)?json\s*(?:;|$)/i;
/** The size of files within another body. */
const PACKED_MEDIA_TYPE =
  /^\s*(?:multipart\/|application\/(?:x-)?(?:zip|zip-compressed|gzip|tar|bzip2?|zstd|7z-compressed)\b)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/gi;
/** US-ASCII is a part of UTF-8. */
const UTF_8 = /^(?:utf-?8|us-ascii)$/i;
const NOT_ENCODED = /^(?:\s|,|identity)*$/i;

/** Beyond it a body is refused while memory is short: mocks and files of imports. It is in memory as bytes, as text, and parsed twice. */
const LARGE_BODY_BYTES = DEFAULT_LIMITS.bodyBytesMax;
const COPIES_OF_BODY = 4;

/** Which bodies an endpoint takes (endpoint.ts). */
type BodyBounds = Pick<EndpointBody<unknown>, 'bytesMax' | 'anyMediaType'>;

/** @returns The refusal of a body that the request's head already rules out. */
export function refuseByHead({ head }: Call, { bytesMax, anyMediaType }: BodyBounds): Refusal | undefined {
  if (head.contentLength !== undefined && head.contentLength > bytesMax) return tooLarge(bytesMax);
  if (!head.hasBody) return undefined;
  const problem = typeProblem(head, anyMediaType === true);
  return problem && refuse('unsupportedMediaType', [problem]);
}

/**
 * Receives a body. Call it in the handler of uWebSockets.js: afterwards the body is no longer delivered.
 *
 * @param bytesMax Larger bodies are refused as soon as they exceed it.
 * @param done     Called once with the bytes, which are only valid during the call, or with a refusal; and with the
 *                 count of bytes received. Never called when the client disconnects before the end.
 */
export function receiveBody(
  call: Call,
  bytesMax: number,
  done: (body: Buffer | Refusal, bytesCount: number) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let finished = false;
  const { bodies, sender } = call;
  const received = bodies.endsBy(sender, () => call.res.close());
  // Counted until the call is answered: the commit still holds what the body contained.
  const release = (): void => {
    finished = true;
    received();
    bodies.release(sender, bytes);
    bytes = 0;
  };
  const finish = (whole: Buffer | Refusal): void => {
    finished = true;
    received();
    call.onAborted = undefined;
    done(whole, bytes);
  };
  call.onAborted = release;
  call.onSettled = release;
  call.res.onData((chunk, isLast) => {
    if (!isLast && !mayTakePiece(sender)) return void call.res.close();
    if (finished) return;
    call.protect(() => {
      const { byteLength } = chunk;
      if (bytes + byteLength > bytesMax) return finish(tooLarge(bytesMax));
      const isLarge = bytes <= LARGE_BODY_BYTES && bytes + byteLength > LARGE_BODY_BYTES;
      if (isLarge && !call.takeMemory((call.head.contentLength ?? bytesMax) * COPIES_OF_BODY))
        return finish(refuse('overloaded'));
      const exceeded = bodies.makeRoom(sender, byteLength);
      if (exceeded !== undefined) return finish(tooMuchWaits('bodies', exceeded));
      bodies.add(sender, byteLength);
      bytes += byteLength;
      if (!isLast) {
        // The chunk is only valid during this call.
        chunks.push(Buffer.from(new Uint8Array(chunk)));
        return undefined;
      }
      // A body in one chunk, the common case, is read in place.
      const last = Buffer.from(chunk);
      return finish(chunks.length === 0 ? last : Buffer.concat([...chunks, last]));
    });
  });
}

/** Why a body is not read, according to its head. */
function typeProblem({ contentType, contentEncoding }: RequestHead, isAnyType: boolean): Detail | undefined {
  if (contentType !== undefined) {
    if (isAnyType ? PACKED_MEDIA_TYPE.test(contentType) : !JSON_MEDIA_TYPE.test(contentType)) {
      const message = isAnyType
        ? 'send the file itself as the body, not as a form and not as an archive'
        : 'expected application/json';
      return { path: 'Content-Type', message };
    }
    for (const [, charset = ''] of contentType.includes(';') ? contentType.matchAll(CHARSET) : []) {
      if (!UTF_8.test(charset)) return { path: 'Content-Type', message: `expected UTF-8, got charset ${charset}` };
    }
  }
  if (contentEncoding !== undefined && !NOT_ENCODED.test(contentEncoding)) {
    return { path: 'Content-Encoding', message: 'send it uncompressed' };
  }
  return undefined;
}

function tooLarge(bytesMax: number): Refusal {
  return refuse('payloadTooLarge', [{ path: '', message: `the body has more than ${bytesMax} bytes` }]);
}
