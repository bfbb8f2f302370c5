/** The lines of places in a source file: found by a second walk, only for files that a report has something to say about. */
import { parseEvents } from 'js-yaml';
import { IMPORT_DEPTH_MAX } from '../../limits.ts';
import { unescapeName } from './member.ts';
import type { ParsedSource } from './parse-source.ts';
import { walkJson } from './walk-json.ts';
import { walkYaml } from './walk-yaml.ts';

/** @returns For each of the pointers that is found, its line from 1. */
export function locate({ text, syntax }: ParsedSource, pointers: ReadonlySet<string>): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  if (syntax === 'json') findInJson(text, pointers, offsets);
  else {
    walkYaml(text, parseEvents(text, { maxDepth: IMPORT_DEPTH_MAX }), (pointer, offset) => {
      if (pointers.has(pointer)) offsets.set(pointer, offset);
    });
  }
  return findLines(text, offsets);
}

/** A value above those that are looked for, or one of them. */
interface PointerNode {
  pointer?: string;
  readonly below: Map<string, PointerNode>;
}

/** By name from one value to those in it: to make the pointer of every value takes longer than the walk itself. */
function findInJson(text: string, pointers: ReadonlySet<string>, offsets: Map<string, number>): void {
  const root: PointerNode = { below: new Map() };
  for (const pointer of pointers) {
    let wanted = root;
    for (const part of pointer.split('/').slice(1)) {
      const name = unescapeName(part);
      let next = wanted.below.get(name);
      if (next === undefined) wanted.below.set(name, (next = { below: new Map() }));
      wanted = next;
    }
    wanted.pointer = pointer;
  }
  // That of each value around, by depth.
  const around: (PointerNode | undefined)[] = [];
  walkJson(text, IMPORT_DEPTH_MAX, {
    value(path, offset) {
      const depth = path.length;
      const found = depth === 0 ? root : around[depth - 1]?.below.get(path[depth - 1] as string);
      around[depth] = found;
      if (found?.pointer !== undefined) offsets.set(found.pointer, offset);
    },
  });
}

function findLines(text: string, offsets: ReadonlyMap<string, number>): Map<string, number> {
  const lines = new Map<string, number>();
  let line = 1;
  let at = 0;
  for (const [pointer, offset] of [...offsets].toSorted(([, one], [, other]) => one - other)) {
    for (let end = text.indexOf('\n', at); end !== -1 && end < offset; end = text.indexOf('\n', at)) {
      line++;
      at = end + 1;
    }
    lines.set(pointer, line);
  }
  return lines;
}
