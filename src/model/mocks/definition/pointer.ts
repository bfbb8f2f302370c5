/** JSON pointers into bodies, for the details of refusals. */

/** The name of a member as a part of a pointer. */
export function pointerTo(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
