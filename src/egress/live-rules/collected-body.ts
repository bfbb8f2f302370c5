/** Bodies of requests that a rule has to read before it is decided where they go: collected within bounds, and decoded. */
import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { CompiledRule } from '../../rules-table/compile-rule.ts';
import { bodyBytesMax, readsPayload } from '../../rules-table/needs-body.ts';
import type { UnreadReason } from '../../rules-table/outcome.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { decodedBody } from '../../base/content-coding.ts';

/** Body that rules read, as it came and decoded. (shown: Gateway) */
export const COLLECTED_BYTES_MAX = 10 * 1_048_576;

export interface CollectedBody {
  /** Body as it is sent; with what has not come yet where it was too large. */
  readonly sent: Buffer | Readable;
  /** Decoded where its coding is known; undefined when it was too large. */
  readonly read: Buffer | undefined;
  /** Why code cannot read it. */
  readonly unread: UnreadReason | undefined;
  /** To be released at the end. */
  readonly heldBytes: number;
}

/** For rules that read it. @returns With those that cannot, as it is too large; undefined when the client leaves before the end. */
export async function collectFor(
  reading: readonly CompiledRule[],
  request: IncomingMessage,
  held: WaitingBytes,
  ownerId: string,
): Promise<(CollectedBody & { readonly skipped: ExchangeRecord['skipped'] }) | undefined> {
  const bytesMax = bodyBytesMax(reading, COLLECTED_BYTES_MAX);
  const collected = await collectBody(request, held, ownerId, bytesMax).catch(() => undefined);
  const skipping = collected?.read === undefined ? reading.filter(readsPayload) : [];
  return collected && { ...collected, skipped: skipping.map(({ id }) => ({ ruleId: id, reason: 'bodyTooLarge' })) };
}

/** @param bytesMax Of it as it came, and decoded. @throws Error when the client leaves before the end. */
async function collectBody(
  request: IncomingMessage,
  held: WaitingBytes,
  ownerId: string,
  bytesMax: number,
): Promise<CollectedBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const isWhole = await new Promise<boolean>((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      const fits = bytes + chunk.length <= bytesMax && held.take(ownerId, chunk.length);
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
  if (!isWhole) {
    return { sent: withRest(chunks, request), read: undefined, unread: 'bodyTooLarge', heldBytes: bytes };
  }
  const body = Buffer.concat(chunks);
  const coding = request.headers['content-encoding'];
  const read = await readBody(body, coding, held, ownerId, bytesMax);
  const decodedBytes = read.body === undefined || read.body === body ? 0 : read.body.length;
  return { sent: body, read: read.body, unread: read.unread, heldBytes: bytes + decodedBytes };
}

/** Decodes a body for rules. Its decoded bytes are held from then on. */
export async function readBody(
  body: Buffer,
  coding: string | undefined,
  held: WaitingBytes,
  ownerId: string,
  bytesMax: number,
): Promise<{ readonly body: Buffer | undefined; readonly unread: UnreadReason | undefined }> {
  const decoded = await decodedBody(body, coding, { bytesMax, held: { by: held, ownerId } });
  if (decoded === 'tooLarge') return { body: undefined, unread: 'bodyTooLarge' };
  // What cannot be decoded stays: rules that read it are then skipped, with that reason.
  if (decoded === 'undecodable') return { body, unread: 'bodyEncoded' };
  return { body: decoded, unread: undefined };
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
