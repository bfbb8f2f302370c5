/** Sections under one scroll bar, with or without headings, collapsed or not: what is at which index. */

export interface SectionShape {
  readonly hasHeading: boolean;
  readonly isOpen: boolean;
  /** The number of rows. */
  readonly count: number;
}

interface RowPlace {
  readonly section: number;
  /** The row within its section; -1 for the heading. */
  readonly row: number;
}

export interface SectionLayout {
  /** The number of rows and headings. */
  readonly count: number;
  /** The first index of each section, and the total at the end. */
  readonly starts: readonly number[];
  at(index: number): RowPlace | undefined;
  /** The rows of each section within a range, without headings. */
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
