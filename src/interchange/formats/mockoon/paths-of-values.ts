/** Paths into the body and the query, as rules and templates of Mockoon write them. */

/** A dot that belongs to a name is escaped. */
export function jsonPathOf(path: string): string {
  const names = path.replaceAll('\\.', '\0').split('.');
  return `$${names.map((name) => `[${/^\d+$/.test(name) ? name : JSON.stringify(name.replaceAll('\0', '.'))}]`).join('')}`;
}

/** @returns A name as it is sent, nested ones in brackets: `filter[name]`. undefined for one of several values, which has no name. */
export function queryPath(path: string): string | undefined {
  const plain = path.startsWith('$') ? /^\$((?:\.[A-Za-z_]\w*)+)$/.exec(path)?.[1]?.slice(1) : path;
  if (plain === undefined || /\.\d+(?:\.|$)/.test(plain)) return undefined;
  const [first = '', ...others] = plain.replaceAll('\\.', '\0').split('.');
  return `${first}${others.map((name) => `[${name}]`).join('')}`.replaceAll('\0', '.');
}
