/** Bodies without their content coding, decoded within bounds. */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { WaitingBytes } from './waiting-bytes.ts';

type Decoder = (options: zlib.ZlibOptions, firstByte: number) => Transform;

/** Newer versions of Node.js have it. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const DECODERS: Readonly<Record<string, Decoder | undefined>> = {
  gzip: zlib.createGunzip,
  'x-gzip': zlib.createGunzip,
  // Some servers leave out its frame.
  deflate: (options, firstByte) =>
    firstByte % 16 === 8 ? zlib.createInflate(options) : zlib.createInflateRaw(options),
  br: ({ finishFlush }) =>
    zlib.createBrotliDecompress(finishFlush ? { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH } : {}),
  zstd: createZstdDecompress,
};

/** Each takes memory and time of its own. */
const CODINGS_MAX = 4;

/** @returns Names in lower case, in the order in which they were applied. */
export function codingsOf(header = ''): readonly string[] {
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

/** Whether `decodedBody` knows each coding of a header's value. */
export function isReadableCoding(header: string | undefined): boolean {
  const codings = codingsOf(header);
  return codings.length <= CODINGS_MAX && codings.every((coding) => decoderOf(coding) !== undefined);
}

function decoderOf(coding: string): Decoder | undefined {
  return Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
}

interface DecodeBounds {
  readonly bytesMax: number;
  /** Decode as much as there is of a body whose end is missing. */
  readonly isCut?: boolean;
  /** Counts decoded bytes for the owner; those of the result stay counted, unless it is the body itself. */
  readonly held?: { readonly by: WaitingBytes; readonly ownerId: string };
}

type DecodeSync = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

const { zstdDecompressSync } = zlib as { zstdDecompressSync?: DecodeSync };

const SYNC_DECODERS: Readonly<Record<string, DecodeSync | undefined>> = {
  gzip: zlib.gunzipSync,
  'x-gzip': zlib.gunzipSync,
  deflate: (bytes, options) =>
    (bytes[0] ?? 0) % 16 === 8 ? zlib.inflateSync(bytes, options) : zlib.inflateRawSync(bytes, options),
  br: zlib.brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/**
 * Decodes like `decodedBody`, at once: for a thread that answers while it reads. A megabyte takes ten milliseconds at most.
 *
 * @param bytesMax Of each step.
 */
export function decodedBodySync(body: Buffer, header: string, bytesMax: number): Buffer | 'tooLarge' | 'undecodable' {
  const codings = codingsOf(header);
  if (codings.length > CODINGS_MAX) return 'undecodable';
  let decoded = body;
  for (const coding of codings.toReversed()) {
    const decode = Object.hasOwn(SYNC_DECODERS, coding) ? SYNC_DECODERS[coding] : undefined;
    if (decode === undefined) return 'undecodable';
    try {
      decoded = decode(decoded, { maxOutputLength: Math.max(1, bytesMax) });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'tooLarge' : 'undecodable';
    }
  }
  return decoded;
}

/** @returns The body itself where it is empty or has no coding. */
export async function decodedBody(
  body: Buffer,
  header: string | undefined,
  bounds: DecodeBounds,
): Promise<Buffer | 'tooLarge' | 'undecodable'> {
  const codings = codingsOf(header);
  if (body.length === 0) return body;
  if (codings.length > CODINGS_MAX) return 'undecodable';
  let decoded = body;
  for (const coding of codings.toReversed()) {
    const next = await decodeOne(decoded, coding, bounds);
    if (decoded !== body) release(bounds, decoded.length);
    if (typeof next === 'string') return next;
    decoded = next;
  }
  return decoded;
}

async function decodeOne(
  body: Buffer,
  coding: string,
  bounds: DecodeBounds,
): Promise<Buffer | 'tooLarge' | 'undecodable'> {
  const { bytesMax, isCut, held } = bounds;
  const options = isCut === true ? { finishFlush: zlib.constants.Z_SYNC_FLUSH } : {};
  const decoder = decoderOf(coding)?.(options, body[0] ?? 0);
  if (decoder === undefined) return 'undecodable';
  decoder.end(body);
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      if (bytes + chunk.length > bytesMax || held?.by.take(held.ownerId, chunk.length) === false) {
        release(bounds, bytes);
        return 'tooLarge';
      }
      bytes += chunk.length;
      chunks.push(chunk);
    }
  } catch {
    release(bounds, bytes);
    return 'undecodable';
  }
  return Buffer.concat(chunks);
}

function release({ held }: DecodeBounds, bytes: number): void {
  held?.by.release(held.ownerId, bytes);
}
