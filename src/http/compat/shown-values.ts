/** Headers and parameters of recorded requests, as façades show them. */

/** As most clients write them: names are recorded in lower case. */
export function shownName(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase());
}

export function valuesBy(pairs: Iterable<readonly [string, string]>): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** One value as a text, several as a list. */
export function grouped(pairs: Iterable<readonly [string, string]>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(valuesBy(pairs)).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}
