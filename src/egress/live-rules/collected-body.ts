/** Bodies of requests that a rule has to read before it is decided where they go: collected within bounds, and decoded. */
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { WaitingBytes } from '../recording/waiting-bytes.ts';

/** One body, as it came and decoded. */
export const COLLECTED_BYTES_MAX = 10 * 1_048_576;

export interface CollectedBody {
  /** As it is sent on; with what has not come yet where it was too large. */
  readonly sent: Buffer | Readable;
  /** Decoded where its coding is known; undefined when it was too large. */
  readonly read: Buffer | undefined;
  /** To be released at the end. */
  readonly heldBytes: number;
}

/** @throws Error when the client leaves before the end. */
export async function collectBody(
  request: IncomingMessage,
  held: WaitingBytes,
  ownerId: string,
): Promise<CollectedBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isWhole = await new Promise<boolean>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      const fits = bytes + chunk.length <= COLLECTED_BYTES_MAX && held.take(ownerId, chunk.length);
      chunks.push(chunk);
      if (fits) {
        bytes += chunk.length;
        return;
      }
      request.pause().off('data', onData);
      resolve(false);
    };
    request.on('data', onData);
    request.once('end', () => resolve(true));
    request.once('close', () => reject(new Error('the client left')));
  }).catch((error: unknown) => {
    held.release(ownerId, bytes);
    throw error;
  });
  if (!isWhole) return { sent: withRest(chunks, request), read: undefined, heldBytes: bytes };
  const body = Buffer.concat(chunks);
  const read = await decodedBody(body, request.headers['content-encoding'], held, ownerId);
  return { sent: body, read, heldBytes: bytes + (read === undefined || read === body ? 0 : read.length) };
}

/** It ends with an error when the request that it is the body of fails: who sends that knows. */
export function passThrough(): PassThrough {
  return new PassThrough().on('error', () => undefined);
}

function withRest(chunks: readonly Buffer[], request: IncomingMessage): Readable {
  const through = passThrough();
  for (const chunk of chunks) through.write(chunk);
  return request.pipe(through);
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * What cannot be decoded stays: rules that read it are then skipped, with that reason.
 *
 * @returns Undefined for what is too large, or more than may be held. The rest is held from then on.
 */
export async function decodedBody(
  body: Buffer,
  coding: string | undefined,
  held: WaitingBytes,
  ownerId: string,
): Promise<Buffer | undefined> {
  const name = (coding ?? '').trim().toLowerCase();
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined;
  if (decoder === undefined) return body;
  decoder.end(body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      if (bytes + chunk.length > COLLECTED_BYTES_MAX || !held.take(ownerId, chunk.length)) {
        held.release(ownerId, bytes);
        return undefined;
      }
      bytes += chunk.length;
      chunks.push(chunk);
    }
  } catch {
    held.release(ownerId, bytes);
    return body;
  }
  return Buffer.concat(chunks);
}
