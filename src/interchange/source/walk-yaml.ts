/** A walk over the events of a YAML document, which knows where each value stands; and the numbers in it that JavaScript changes. */
import { EVENT_ID, getScalarValue, SCALAR_STYLE, type Event, type ScalarEvent } from 'js-yaml';
import { escapeName } from './member.ts';
import { isExactNumber } from '../../base/strict-json.ts';
import { isPrintedOtherwise } from '../../base/written-numbers.ts';

type ValueEvent = Exclude<Event, { type: typeof EVENT_ID.DOCUMENT | typeof EVENT_ID.POP }>;

interface Container {
  readonly pointer: string;
  readonly isMapping: boolean;
  /** Elements so far; of a mapping, names and values. */
  count: number;
  /** The name whose value comes next, and where it stands. */
  name: string;
  nameStart: number;
}

/** @param offset A value stands where its name does; an alias stands where it is used. */
type YamlVisit = (pointer: string, offset: number, event: ValueEvent) => void;

/** @param events Of the text. */
export function walkYaml(text: string, events: readonly Event[], visit: YamlVisit): void {
  const containers: Container[] = [];
  for (const event of events) {
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
    visit(pointer, place, event);
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      containers.push({ pointer, isMapping: event.type === EVENT_ID.MAPPING, count: 0, name: '', nameStart: 0 });
    }
  }
}

function startOf(event: ValueEvent): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.ALIAS ? event.anchorStart : event.start;
}

export interface WrittenNumber {
  readonly pointer: string;
  readonly text: string;
  /** Whether it is read as it is written, and only printed otherwise. */
  readonly isExact: boolean;
}

/** @returns Numbers that are not read, or not printed, as they are written. */
export function writtenNumbersIn(text: string, events: readonly Event[]): WrittenNumber[] {
  const isWritten = (event: Event): event is ScalarEvent =>
    event.type === EVENT_ID.SCALAR &&
    event.style === SCALAR_STYLE.PLAIN &&
    (isInexactNumber(text, event) || isPrintedOtherwise(getScalarValue(text, event)));
  // Most documents have none, and need no pointers.
  if (!events.some(isWritten)) return [];
  const found: WrittenNumber[] = [];
  walkYaml(text, events, (pointer, _offset, event) => {
    if (!isWritten(event)) return;
    found.push({ pointer, text: getScalarValue(text, event), isExact: !isInexactNumber(text, event) });
  });
  return found;
}

const DECIMAL = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/;
const OF_BASE = /^0(?:o[0-7]+|x[\da-fA-F]+)$/;
/** JSON has no such numbers. */
const NOT_FINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

function isInexactNumber(text: string, event: ScalarEvent): boolean {
  const tag = event.tagStart < 0 ? '' : text.slice(event.tagStart, event.tagEnd);
  if (tag !== '' && !/(?:int|float)>?$/.test(tag)) return false;
  const value = getScalarValue(text, event);
  if (DECIMAL.test(value)) return !isExactNumber(value.replace(/^\+/, '').replace(/^-?(?=\.)/, '$&0'));
  return OF_BASE.test(value) ? !Number.isSafeInteger(Number(value)) : NOT_FINITE.test(value);
}
