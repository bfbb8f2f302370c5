/** Paths into the body and the query, as rules and templates of Mockoon write them. */

/** A dot that belongs to a name is escaped. */
export function jsonPathOf(path: string): string {
  const names = path.replaceAll('\\.', '\0').split('.');
  return `$${names.map((name) => `[${/^\d+$/.test(name) ? name : JSON.stringify(name.replaceAll('\0', '.'))}]`).join('')}`;
}

/** @returns A path of names and places. undefined for one that only a JSONPath can say, or with dots in names. */
export function queryPath(path: string): string | undefined {
  if (path.includes('\\.')) return undefined;
  if (!path.startsWith('$')) return path;
  return /^\$((?:\.[A-Za-z_]\w*|\[\d+\])+)$/.exec(path)?.[1]?.replaceAll(/\[(\d+)\]/g, '.$1').slice(1);
}

/** The name of a form's field that the path leads to: `filter[name]`. */
export function fieldName(path: string): string {
  const [first = '', ...others] = path.replaceAll('\\.', '\0').split('.');
  return `${first}${others.map((name) => `[${name}]`).join('')}`.replaceAll('\0', '.');
}
