/** Paths into the body and the query, as rules and templates of Mockoon write them. */

/** A dot that belongs to a name is escaped. */
export function jsonPathOf(path: string): string {
  const names = path.replaceAll('\\.', '\0').split('.');
  return `$${names.map((name) => stepText(name.replaceAll('\0', '.'))).join('')}`;
}

function stepText(name: string): string {
  if (/^\d+$/.test(name)) return `[${name}]`;
  return /^[A-Za-z_]\w*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** @returns A path of names and places. undefined for one that only a JSONPath can say, or with dots in names. */
export function queryPath(path: string): string | undefined {
  if (path.includes('\\.')) return undefined;
  if (!path.startsWith('$')) return path;
  return /^\$((?:\.[A-Za-z_]\w*|\[\d+\])+)$/
    .exec(path)?.[1]
    ?.replaceAll(/\[(\d+)\]/g, '.$1')
    .slice(1);
}
