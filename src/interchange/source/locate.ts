/** The lines of places in a source file: found by a second walk, only for files that a report has something to say about. */
import { EVENT_ID, getScalarValue, parseEvents, type Event } from 'js-yaml';
import { IMPORT_DEPTH_MAX } from '../../limits.ts';
import { escapeName } from './member.ts';
import type { Parsed } from './parse-source.ts';
import { walkJson } from './walk-json.ts';

/** @returns For each of the pointers that is found, its line from 1. */
export function locate({ text, syntax }: Parsed, pointers: ReadonlySet<string>): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const visit = (pointer: string, offset: number): void => {
    if (pointers.has(pointer)) offsets.set(pointer, offset);
  };
  if (syntax === 'json') walkJson(text, IMPORT_DEPTH_MAX, { value: (pointer, offset) => visit(pointer(), offset) });
  else walkYaml(text, visit);
  return linesOf(text, offsets);
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
