/** A recorded body without its content coding, within a bound: what is larger is not kept. */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { RECORDED_BODY_BYTES_MAX } from '../../limits.ts';
import type { BodyOmitted } from '../../model/mocks/upstream/recording.ts';

type Decode = (bytes: Buffer, options: object) => Promise<Buffer>;

const gunzip = promisify(zlib.gunzip) as Decode;
const inflate = promisify(zlib.inflate) as Decode;
const inflateRaw = promisify(zlib.inflateRaw) as Decode;
const brotli = promisify(zlib.brotliDecompress) as Decode;
/** Newer versions of Node.js have it. */
const { zstdDecompress } = zlib as { zstdDecompress?: (typeof zlib)['gunzip'] };

const DECODERS: Readonly<Record<string, Decode | undefined>> = {
  gzip: gunzip,
  'x-gzip': gunzip,
  // Some servers leave out its frame.
  deflate: (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflate(bytes, options) : inflateRaw(bytes, options)),
  br: brotli,
  zstd: zstdDecompress && (promisify(zstdDecompress) as Decode),
};

/** Each takes memory and time of its own. */
const CODINGS_MAX = 4;

/** @returns Names in lower case, in the order in which they were applied. */
export function codingsOf(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity');
}

/** @param isCut Whether its end is missing: what can be decoded is. */
export async function decodedBody(
  encoded: Buffer,
  codings: readonly string[],
  isCut: boolean,
): Promise<Buffer | BodyOmitted> {
  if (codings.length > CODINGS_MAX) return 'undecodable';
  let bytes = encoded;
  for (const coding of codings.toReversed()) {
    const decode = Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined;
    if (decode === undefined) return 'undecodable';
    const flush = coding === 'br' ? zlib.constants.BROTLI_OPERATION_FLUSH : zlib.constants.Z_SYNC_FLUSH;
    try {
      bytes = await decode(bytes, {
        maxOutputLength: RECORDED_BODY_BYTES_MAX,
        ...(isCut ? { finishFlush: flush } : {}),
      });
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'tooLarge' : 'undecodable';
    }
  }
  return bytes;
}
