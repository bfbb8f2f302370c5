/** Reads the header Content-Type. */

/** @returns The value of a Content-Type without its parameters, in lower case. */
export function essenceOf(contentType: string): string {
  const [type = ''] = contentType.split(';', 1);
  return type.trim().toLowerCase();
}
