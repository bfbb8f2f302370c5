/** Sections under one scroll bar: each with a heading or without, open or not, and what stands at which index. */

export interface SectionShape {
  readonly hasHeading: boolean;
  readonly isOpen: boolean;
  /** How many rows it has. */
  readonly count: number;
}

/** What stands at an index. */
interface RowPlace {
  readonly section: number;
  /** The index of the row in its section; -1 for the heading. */
  readonly row: number;
}

export interface SectionLayout {
  /** How many rows and headings there are. */
  readonly count: number;
  /** The index of the first of each section, with the count at its end. */
  readonly starts: readonly number[];
  at(index: number): RowPlace | undefined;
  /** Rows of each section in a range, without headings: what has to be loaded. */
  rowsIn(
    first: number,
    end: number,
  ): readonly { readonly section: number; readonly first: number; readonly end: number }[];
}

export function layoutOf(sections: readonly SectionShape[]): SectionLayout {
  const starts = [0];
  for (const { hasHeading, isOpen, count } of sections) {
    starts.push((starts.at(-1) as number) + (hasHeading ? 1 : 0) + (isOpen ? count : 0));
  }
  const count = starts.at(-1) as number;
  const sectionAt = (index: number): number => {
    let low = 0;
    let high = sections.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle + 1] as number) > index) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const rowOf = (section: number, index: number): number =>
    index - (starts[section] as number) - (sections[section]?.hasHeading === true ? 1 : 0);
  return {
    count,
    starts,
    at(index) {
      if (index < 0 || index >= count) return undefined;
      const section = sectionAt(index);
      return { section, row: rowOf(section, index) };
    },
    rowsIn(first, end) {
      const found: { section: number; first: number; end: number }[] = [];
      const last = Math.min(end, count) - 1;
      if (last < first) return found;
      for (
        let section = sectionAt(first);
        section < sections.length && (starts[section] as number) <= last;
        section++
      ) {
        const from = Math.max(0, rowOf(section, first));
        const to = rowOf(section, Math.min(last, (starts[section + 1] as number) - 1)) + 1;
        if (to > from) found.push({ section, first: from, end: to });
      }
      return found;
    },
  };
}
