/**
 * The exchanges that are kept of one owner, as texts in blocks of bytes. As objects they took two fifths of the processor time of an
 * exchange: for collecting them as garbage, some seconds after each.
 */
import type { ExchangeRecord } from '../../model/gateway/exchange.ts';
import { unpackExchange, type PackedExchange } from './redact-exchange.ts';

/** A block is as large as all before it, within these bounds: an owner with few exchanges takes little. */
const BLOCK_BYTES_MIN = 4_096;
const BLOCK_BYTES_MAX = 65_536;
/** What a record takes beside its text. */
const RECORD_BYTES = 40;

/** The oldest records come first. */
interface Block {
  readonly bytes: Buffer;
  readonly numbers: number[];
  /** Where the text of each ends. */
  readonly ends: number[];
  /** As `totalMs`: undefined while an answer has not been sent. */
  readonly totals: (number | undefined)[];
  /** Whether any is of a session. */
  hasSessions: boolean;
}

/** What decides whether an exchange outlives a reset. */
export type SessionOf = Pick<ExchangeRecord, 'session' | 'sessionMadeAt'>;

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
  push(record: PackedExchange): (totalMs: number) => void {
    const text = JSON.stringify(record);
    const length = Buffer.byteLength(text);
    let block = this.#blocks.at(-1);
    let start = block?.ends.at(-1) ?? 0;
    if (block === undefined || start + length > block.bytes.length) {
      block = this.#open(length);
      start = 0;
    }
    block.bytes.write(text, start);
    const index = block.numbers.push(record.number) - 1;
    block.ends.push(start + length);
    const { totals } = block;
    totals.push(record.totalMs);
    block.hasSessions ||= record.sessionMadeAt !== undefined;
    this.#bytes += RECORD_BYTES;
    return (totalMs) => {
      totals[index] = totalMs;
    };
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
    return place && unpackExchange(packedAt(place));
  }

  /** How long the text of a record is; 0 for one that is not kept. */
  bytesOf(number: number): number {
    const place = this.#placeOf(number);
    return place === undefined ? 0 : endOf(place) - startOf(place);
  }

  /** Drops the oldest ones. */
  drop(): void {
    const block = this.#blocks.shift();
    if (block !== undefined) this.#bytes -= block.bytes.length + block.numbers.length * RECORD_BYTES;
  }

  /** Another one, of those of sessions that stay. */
  onlySessions(stays: (exchange: SessionOf) => boolean): KeptExchanges {
    const kept = new KeptExchanges();
    for (const block of this.#blocks) {
      if (!block.hasSessions) continue;
      for (const index of block.numbers.keys()) {
        const packed = packedAt({ block, index });
        if (stays(packed)) kept.push(packed);
      }
    }
    return kept;
  }

  #open(bytesMin: number): Block {
    const size = Math.max(bytesMin, Math.min(BLOCK_BYTES_MAX, Math.max(BLOCK_BYTES_MIN, this.#bytes)));
    const bytes = Buffer.allocUnsafeSlow(size);
    const block = { bytes, numbers: [], ends: [], totals: [], hasSessions: false };
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

function packedAt(place: Place): PackedExchange {
  const { block, index } = place;
  const packed = JSON.parse(block.bytes.toString('utf8', startOf(place), endOf(place))) as PackedExchange;
  const totalMs = block.totals[index];
  return totalMs === undefined ? packed : { ...packed, totalMs };
}
