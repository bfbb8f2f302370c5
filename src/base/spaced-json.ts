/** JSON as Java's Jackson prints it: two spaces for each level, " : " behind names, and lists in a line. WireMock and MockServer have it. */

/** How a number, text, flag or null is printed; a member of an object without a text is left out. */
type PrintLeaf = (value: unknown, holder: object, name: string) => string | undefined;

export function spacedJson(value: object, leaf: PrintLeaf, indent = ''): string {
  const inner = Array.isArray(value) ? indent : `${indent}  `;
  const parts = Object.entries(value).flatMap(([name, each]: [string, unknown]) => {
    const own = typeof each === 'object' && each !== null ? spacedJson(each, leaf, inner) : leaf(each, value, name);
    if (Array.isArray(value)) return [own ?? 'null'];
    return own === undefined ? [] : [`${inner}${JSON.stringify(name)} : ${own}`];
  });
  if (Array.isArray(value)) return parts.length === 0 ? '[ ]' : `[ ${parts.join(', ')} ]`;
  return parts.length === 0 ? '{ }' : `{\n${parts.join(',\n')}\n${indent}}`;
}
