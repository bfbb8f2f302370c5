/** The lines of places in a source file: found by a second walk, only for files that a report has something to say about. */
import { EVENT_ID, getScalarValue, parseEvents, type Event } from 'js-yaml';
import { IMPORT_DEPTH_MAX } from '../../limits.ts';
import { escapeName, unescapeName } from './member.ts';
import type { Parsed } from './parse-source.ts';
import { walkJson } from './walk-json.ts';

/** @returns For each of the pointers that is found, its line from 1. */
export function locate({ text, syntax }: Parsed, pointers: ReadonlySet<string>): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  if (syntax === 'json') findInJson(text, pointers, offsets);
  else {
    walkYaml(text, (pointer, offset) => {
      if (pointers.has(pointer)) offsets.set(pointer, offset);
    });
  }
  return linesOf(text, offsets);
}

/** A value above those that are looked for, or one of them. */
interface Wanted {
  pointer?: string;
  readonly below: Map<string, Wanted>;
}

/** By name from one value to those in it: to make the pointer of every value takes longer than the walk itself. */
function findInJson(text: string, pointers: ReadonlySet<string>, offsets: Map<string, number>): void {
  const root: Wanted = { below: new Map() };
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
  const around: (Wanted | undefined)[] = [];
  walkJson(text, IMPORT_DEPTH_MAX, {
    value(path, offset) {
      const depth = path.length;
      const found = depth === 0 ? root : around[depth - 1]?.below.get(path[depth - 1] as string);
      around[depth] = found;
      if (found?.pointer !== undefined) offsets.set(found.pointer, offset);
    },
  });
}

interface Container {
  readonly pointer: string;
  readonly isMapping: boolean;
  /** Elements so far; of a mapping, names and values. */
  count: number;
  /** The name whose value comes next, and where it stands. */
  name: string;
  nameStart: number;
}

/** A value stands where its name does; an alias stands where it is used. */
function walkYaml(text: string, visit: (pointer: string, offset: number) => void): void {
  const containers: Container[] = [];
  for (const event of parseEvents(text, { maxDepth: IMPORT_DEPTH_MAX })) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      containers.pop();
      continue;
    }
    const start = startOf(event);
    const around = containers.at(-1);
    let pointer = '';
    let place = start;
    if (around !== undefined) {
      const index = around.count++;
      if (around.isMapping && index % 2 === 0) {
        around.name = event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : '';
        around.nameStart = start;
        continue;
      }
      const name = around.isMapping ? around.name : String(index);
      pointer = `${around.pointer}/${escapeName(name)}`;
      if (around.isMapping) place = around.nameStart;
    }
    visit(pointer, place);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      containers.push({ pointer, isMapping: event.type === EVENT_ID.MAPPING, count: 0, name: '', nameStart: 0 });
    }
  }
}

function startOf(event: Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}

function linesOf(text: string, offsets: ReadonlyMap<string, number>): Map<string, number> {
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
