/**
 * The exchanges that are kept of one owner, packed in blocks of bytes. As objects they took two fifths of the processor time of an
 * exchange: for collecting them as garbage, some seconds after each.
 */
import type { ExchangeRecord } from '../../model/gateway/exchange.ts';
import { packedLength, unpackExchange, writePacked, type PackedExchange } from './packed-exchange.ts';

/** A block is as large as all before it, within these bounds: an owner with few exchanges takes little. */
const BLOCK_BYTES_MIN = 4_096;
const BLOCK_BYTES_MAX = 65_536;
/** Bytes of a record beside its text. */
const RECORD_BYTES = 96;

/** The block of any owner that was dropped last, for the next one: memory that comes and goes makes V8 collect garbage. */
let spare: Buffer | undefined;

/** The oldest records come first. */
interface Block {
  readonly bytes: Buffer;
  readonly numbers: number[];
  /** Where the text of each ends. */
  readonly ends: number[];
  /** Values of `totalMs`: undefined while an answer has not been sent. */
  readonly totals: (number | undefined)[];
  /** The session of each, and the number of its bodies: a reset reads no text. */
  readonly sessions: SessionOf[];
  readonly recordings: (number | undefined)[];
}

/** Members that decide whether an exchange outlives a reset. */
export type SessionOf = Pick<ExchangeRecord, 'session' | 'sessionMadeAt'>;
const NO_SESSION: SessionOf = {};
/** Members of an exchange that are not read from its text. */
type KeptOf = Pick<ExchangeRecord, 'number' | 'recording'> & SessionOf;

interface Place {
  readonly block: Block;
  readonly index: number;
}

export class KeptExchanges {
  /** The oldest come first, and so do their numbers, which have gaps behind a reset. */
  readonly #blocks: Block[] = [];
  #bytes = 0;

  /** How much memory they take. */
  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** @returns To be called with `totalMs`. */
  push(packed: PackedExchange, of: KeptOf): (totalMs: number) => void {
    const text = packed.texts.join('');
    const length = packedLength(packed, text);
    const block = this.#withRoom(length);
    writePacked(block.bytes, block.ends.at(-1) ?? 0, packed, text);
    const index = this.#note(block, length, of);
    return (totalMs) => {
      block.totals[index] = totalMs;
    };
  }

  #withRoom(length: number): Block {
    const block = this.#blocks.at(-1);
    return block !== undefined && (block.ends.at(-1) ?? 0) + length <= block.bytes.length ? block : this.#open(length);
  }

  /** @returns Its index in the block. */
  #note(block: Block, length: number, { number, recording, session, sessionMadeAt }: KeptOf, totalMs?: number): number {
    block.ends.push((block.ends.at(-1) ?? 0) + length);
    block.totals.push(totalMs);
    block.sessions.push(sessionMadeAt === undefined ? NO_SESSION : { session, sessionMadeAt });
    block.recordings.push(recording);
    this.#bytes += RECORD_BYTES;
    return block.numbers.push(number) - 1;
  }

  /** The numbers of bodies of those that are kept. */
  recordings(): Set<number> {
    return new Set(this.#blocks.flatMap(({ recordings }) => recordings.filter((each) => each !== undefined)));
  }

  /** Those above one number, up to another. */
  numbersBetween(after: number, last: number): number[] {
    const found: number[] = [];
    for (const { numbers } of this.#blocks) {
      if ((numbers.at(-1) as number) <= after) continue;
      for (const number of numbers) if (number > after && number <= last) found.push(number);
    }
    return found;
  }

  /** @returns Undefined for one that is not kept. */
  read(number: number): ExchangeRecord | undefined {
    const place = this.#placeOf(number);
    if (place === undefined) return undefined;
    const { block, index } = place;
    const record = unpackExchange(block.bytes.subarray(startOf(place), endOf(place)));
    const [totalMs, recording] = [block.totals[index], block.recordings[index]];
    return {
      ...record,
      ...(totalMs === undefined ? {} : { totalMs }),
      ...(recording === undefined ? {} : { recording }),
    };
  }

  /** How long the text of a record is; 0 for one that is not kept. */
  bytesOf(number: number): number {
    const place = this.#placeOf(number);
    return place === undefined ? 0 : endOf(place) - startOf(place);
  }

  /** Drops the oldest ones. */
  drop(): void {
    const block = this.#blocks.shift();
    if (block === undefined) return;
    this.#bytes -= block.bytes.length + block.numbers.length * RECORD_BYTES;
    if (block.bytes.length === BLOCK_BYTES_MAX) spare = block.bytes;
  }

  /** Another one, of those that stay. */
  only(stays: (exchange: SessionOf) => boolean): KeptExchanges {
    const kept = new KeptExchanges();
    for (const block of this.#blocks) {
      for (const [index, of] of block.sessions.entries()) if (stays(of)) kept.#copy({ block, index }, of);
    }
    return kept;
  }

  #copy(place: Place, of: SessionOf): void {
    const { block } = place;
    const [start, end] = [startOf(place), endOf(place)];
    const target = this.#withRoom(end - start);
    block.bytes.copy(target.bytes, target.ends.at(-1) ?? 0, start, end);
    const kept = { number: block.numbers[place.index] as number, recording: block.recordings[place.index], ...of };
    this.#note(target, end - start, kept, block.totals[place.index]);
  }

  #open(bytesMin: number): Block {
    const size = Math.max(bytesMin, Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, this.#bytes)));
    const bytes = spare?.length === size ? spare : Buffer.allocUnsafeSlow(size);
    if (bytes === spare) spare = undefined;
    const block = { bytes, numbers: [], ends: [], totals: [], sessions: [], recordings: [] };
    this.#blocks.push(block);
    this.#bytes += size;
    return block;
  }

  #placeOf(number: number): Place | undefined {
    const block = this.#blocks[lowest(this.#blocks.length, (at) => (this.#blocks[at]?.numbers.at(-1) ?? 0) >= number)];
    if (block === undefined) return undefined;
    const { numbers } = block;
    const index = lowest(numbers.length, (at) => (numbers[at] as number) >= number);
    return numbers[index] === number ? { block, index } : undefined;
  }
}

/** The lowest index below `count` that has what all above it have; `count` where none has. */
function lowest(count: number, has: (index: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (has(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

const endOf = ({ block, index }: Place): number => block.ends[index] as number;
const startOf = ({ block, index }: Place): number => block.ends[index - 1] ?? 0;
