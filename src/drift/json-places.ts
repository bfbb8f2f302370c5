/** Places in a JSON body as JSONPaths, and values that are left out of a comparison. */
import { compileJsonPath } from '../languages/json-path.ts';
import { RULE_WORK_MAX } from '../limits.ts';

export const ROOT = '$';
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** A body's names may be of any length. */
const NAME_CHARS_MAX = 100;

export function memberOf(at: string, name: string): string {
  if (PLAIN_NAME.test(name) && name.length <= NAME_CHARS_MAX) return `${at}.${name}`;
  const shown = name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}…` : name;
  const escaped = JSON.stringify(shown)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"')
    .replaceAll("'", String.raw`\'`);
  return `${at}['${escaped}']`;
}

/** @param index That of all items together when absent. */
export function itemOf(at: string, index?: number): string {
  return `${at}[${index ?? '*'}]`;
}

/** @returns Why a text is not a JSONPath; undefined when it is one. */
export function jsonPathProblem(text: string): string | undefined {
  const compiled = compileJsonPath(text);
  return typeof compiled === 'string' ? compiled : undefined;
}

/**
 * Removes what paths lead to from a parsed body, which is changed.
 *
 * @returns The body; undefined when all of it is left out.
 */
export function withoutPlaces(value: unknown, paths: readonly string[]): unknown {
  const places = paths.flatMap((text) => {
    const path = compileJsonPath(text);
    return typeof path === 'string' ? [] : path.places(value, { work: RULE_WORK_MAX });
  });
  let before: Place | undefined;
  // From the end and from within, so that items that are removed move none that are still to be.
  for (const place of places.toSorted(lastFirst)) {
    if (before !== undefined && lastFirst(before, place) === 0) continue;
    before = place;
    const last = place.at(-1);
    if (last === undefined) return undefined;
    let holder = value as Record<string | number, unknown>;
    for (const key of place.slice(0, -1)) holder = holder[key] as Record<string | number, unknown>;
    if (Array.isArray(holder)) holder.splice(Number(last), 1);
    else delete holder[last];
  }
  return value;
}

type Place = readonly (string | number)[];

function lastFirst(one: Place, other: Place): number {
  for (const [index, key] of one.entries()) {
    const beside = other[index];
    if (beside === undefined) return -1;
    if (key !== beside) return key > beside ? -1 : 1;
  }
  return one.length - other.length === 0 ? 0 : 1;
}
