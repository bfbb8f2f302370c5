/** JSON as MockServer prints it: two spaces for each level, " : " behind names, and lists in a line. */

export function prettyJson(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '[ ]' : `[ ${value.map((item) => prettyJson(item, indent)).join(', ')} ]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const members = Object.entries(value).map(
    ([name, member]) => `${inner}${JSON.stringify(name)} : ${prettyJson(member, inner)}`,
  );
  return members.length === 0 ? '{ }' : `{\n${members.join(',\n')}\n${indent}}`;
}
