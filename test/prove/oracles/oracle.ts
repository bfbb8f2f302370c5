/**
 * An original server beside Switchyard, both serving the same file: their answers to the same requests must be the same.
 *
 * Sources are made at random of what the reader calls exact; a source of which it calls something less is left out and counted.
 */
import type { Random } from '../../../src/base/seeded-draw.ts';
import type { ReportData } from './both-sides.ts';

export interface Asked {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Original {
  /** Serves another source from now on. @returns The port. */
  serve(source: unknown): Promise<number>;
}

export interface Oracle {
  readonly name: 'wiremock' | 'mockoon' | 'mountebank';
  /** @returns What it needs and this machine lacks. */
  missing(): string | undefined;
  start(): Promise<Original>;
  /** A file as a user has it. */
  source(random: Random): unknown;
  /** A request for a source: one that it should answer, or nearly one. */
  request(random: Random, source: unknown): Asked;
  /** Whether both answers say that nothing takes the request. */
  areMisses(ours: Answered, theirs: Answered): boolean;
  /** Whether the whole source is called exact. */
  isExact?(report: ReportData): boolean;
}

export interface Answered {
  readonly status: number;
  readonly contentType: string | null;
  readonly marked: string | null;
  readonly body: string;
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

/** @returns Whether an event of that probability came. */
export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}
