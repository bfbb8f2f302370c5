/**
 * An original server beside Switchyard, both serving the same file: their answers to the same requests must be the same.
 *
 * Sources are made at random of what the reader calls exact; a source of which it calls something less is left out and counted.
 */
import { corpusFiles, isExact, sourceOf, type CorpusFile, type CorpusFormat } from '../../interchange/corpus/corpus.ts';
import { imported } from '../../support/imports.ts';
import type { Random } from '../../../src/base/seeded-draw.ts';

export interface Asked {
  readonly method: string;
  /** Path and query, as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Original {
  /** Root of its admin interface, of one that has histories (live.ts). */
  readonly admin?: string;
  /** Serves another source from now on. @param files Text by path, beside the source. @returns The port. */
  serve(source: unknown, files?: Readonly<Record<string, string>>): Promise<number>;
}

export interface Oracle {
  readonly name: 'wiremock' | 'mockoon' | 'mountebank';
  /** @returns What it needs and this machine lacks. */
  missing(): string | undefined;
  start(): Promise<Original>;
  /** A file as a user has it. @param hasTemplates Whether it has templates of the corpus. */
  source(random: Random, hasTemplates?: boolean): unknown;
  /** A request for a source: one that it should answer, or nearly one. */
  request(random: Random, source: unknown): Asked;
  /** Whether both answers say that nothing takes the request. */
  areMisses(ours: Answered, theirs: Answered): boolean;
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

let templates: Readonly<Record<string, readonly string[]>> | undefined;

/** Templates of the corpus that are called exact: one after the other in turn they are all that a tool documents. */
export function exactTemplates(format: CorpusFormat): readonly string[] {
  templates ??= Object.fromEntries(
    (['wiremock', 'mockoon'] as const).map((name) => [
      name,
      corpusFiles().flatMap((file) => (file.format === name ? templatesIn(file) : [])),
    ]),
  );
  return templates[format] ?? [];
}

function templatesIn(file: CorpusFile): string[] {
  return file.witnesses.flatMap(({ given }, place) =>
    typeof given === 'string' && isExact(imported(sourceOf(file, [place])).report) ? [given] : [],
  );
}

/** @returns Whether an event of that probability came. */
export function chance(random: Random, probability: number): boolean {
  return random() < probability;
}
