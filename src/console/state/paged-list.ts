/**
 * A server list that loads page by page, as its rows become visible.
 *
 * Its state is a resource with the row count as its value, for `Shown`.
 */
import { useMemo } from 'preact/hooks';
import type { Page, PageRequest } from '../../model/queries.ts';
import { Reloaded, useLoaded, type ResourceOptions } from './resource.ts';

/** The API's maximum. */
export const PAGE_ROWS = 75;
/** Skips rows that the user scrolls past. */
const SETTLE_MS = 60;
/** For a list of 100,000. */
const PAGES_MAX = 60;

export class PagedList<Row> extends Reloaded<{ readonly total: number }> {
  readonly #load: (page: PageRequest) => Promise<Page<Row>>;
  /** By page number. Outdated pages stay visible until their replacements arrive. */
  #pages = new Map<number, { readonly turn: number; readonly rows: readonly Row[] }>();
  readonly #asked = new Set<number>();
  #shown = { first: 0, end: 1 };
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(load: (page: PageRequest) => Promise<Page<Row>>) {
    super();
    this.#load = load;
  }

  /** undefined while its page loads. */
  at(index: number): Row | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  /** The loaded rows. */
  *loaded(): Generator<readonly [index: number, row: Row]> {
    for (const [page, { rows }] of this.#pages) {
      for (const [place, row] of rows.entries()) yield [page * PAGE_ROWS + place, row];
    }
  }

  /** Reports the visible rows, and loads missing ones. */
  show(first: number, end: number): void {
    this.#shown = { first, end: Math.max(end, first + 1) };
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#loadShown(), SETTLE_MS);
  }

  /** Reloads the visible rows; others reload when they become visible. */
  async reload(): Promise<void> {
    this.begin();
    this.#asked.clear();
    await this.#loadShown();
  }

  /** Applies a write's answer to a row. */
  replace(index: number, row: Row): void {
    const number = Math.floor(index / PAGE_ROWS);
    const page = this.#pages.get(number);
    if (page === undefined) return;
    this.#pages.set(number, { ...page, rows: page.rows.with(index % PAGE_ROWS, row) });
    this.redraw();
  }

  override dispose(): void {
    super.dispose();
    clearTimeout(this.#settling);
  }

  async #loadShown(): Promise<void> {
    const { first, end } = this.#shown;
    const numbers: number[] = [];
    for (let number = Math.floor(first / PAGE_ROWS); number * PAGE_ROWS < end; number++) {
      if (this.#pages.get(number)?.turn !== this.turn && !this.#asked.has(number)) numbers.push(number);
    }
    await Promise.all(numbers.map((number) => this.#loadPage(number, this.turn)));
  }

  async #loadPage(number: number, turn: number): Promise<void> {
    this.#asked.add(number);
    try {
      const { records, total } = await this.#load({ offset: number * PAGE_ROWS, pageSize: PAGE_ROWS });
      if (turn === this.turn) this.#takePage(number, records, total);
    } catch (error) {
      if (turn !== this.turn) return;
      this.#asked.clear();
      this.fail(error);
    }
  }

  #takePage(number: number, rows: readonly Row[], total: number): void {
    this.#asked.delete(number);
    const known = this.state.value.value?.total;
    // Rows were added or removed: invisible ones may have moved.
    const isOther = known !== undefined && known !== total;
    if (isOther || this.#pages.size >= PAGES_MAX) this.#forgetUnseen();
    this.#pages.set(number, { turn: this.turn, rows });
    this.take({ total });
  }

  #forgetUnseen(): void {
    const { first, end } = this.#shown;
    this.#pages = new Map(
      [...this.#pages].filter(([number]) => number * PAGE_ROWS < end && (number + 1) * PAGE_ROWS > first),
    );
  }
}

/** Loads pages like `useResource`. @param inputs The dependencies of `load`: the filters. */
export function usePagedList<Row>(
  load: (page: PageRequest) => Promise<Page<Row>>,
  inputs: readonly unknown[],
  { whenChanged }: ResourceOptions = {},
): PagedList<Row> {
  const list = useMemo(() => new PagedList(load), inputs);
  useLoaded(list, whenChanged);
  return list;
}
