/**
 * Whether a template of JSON can render JSON at all, and whether it always does. Conditions may hold or not, each time they are asked. The
 * rendering refuses what is JSON for some requests alone: serving/matching/templates/template-run.ts.
 */
import { behindEnd, behindTag, behindText, JSON_BEGIN, type JsonPlace, type JsonRead } from './json-reader.ts';
import { assignedBy, type BlockPart, type Part, type TemplateProblem } from './template-tree.ts';

/** Characters that are read, and states at one place: beyond them the template is left to its rendering. */
const WORK_MAX = 5_000_000;
const STATES_MAX = 256;
/** Work of a piece, in characters. */
const PIECE_WORK = 100;

type States = ReadonlySet<string>;

export interface CheckedJson {
  /** Problem that no way through the template goes on with. */
  readonly problem: TemplateProblem | undefined;
  /** Whether every way through it is JSON, with each tag in one place. */
  readonly isAlways: boolean;
  /** By the offset of each tag; undefined where it has several. */
  readonly places: ReadonlyMap<number, JsonPlace | undefined>;
}

/** @param end Offset of the end. */
export function checkJson(parts: readonly Part[], end: number): CheckedJson {
  const check = new JsonCheck();
  const ends = check.read(behindEnd, end, '', check.through(parts, new Set([JSON_BEGIN])));
  const { furthest, isTooMuch, places } = check;
  if (isTooMuch) return { problem: undefined, isAlways: false, places: new Map() };
  const isAlways = furthest === undefined && [...places.values()].every((place) => place !== undefined);
  return { problem: ends.size > 0 ? undefined : furthest, isAlways, places };
}

class JsonCheck {
  /** The fault that is found last in the text: it is likely to be what was meant. */
  furthest: TemplateProblem | undefined;
  isTooMuch = false;
  readonly places = new Map<number, JsonPlace | undefined>();
  #work = WORK_MAX;

  through(parts: readonly Part[], from: States): States {
    return parts.reduce((states, part) => (states.size === 0 ? states : this.#behind(part, states)), from);
  }

  /** @returns The states behind a piece; none where it is not JSON, or there is too much to read. */
  read(read: JsonRead, at: number, text: string, from: States): States {
    this.#work -= from.size * (PIECE_WORK + text.length);
    this.isTooMuch ||= this.#work < 0 || from.size > STATES_MAX;
    const next = new Set<string>();
    for (const before of this.isTooMuch ? [] : from) {
      const { state, place, fault } = read(before, at, text);
      if (place !== undefined) {
        this.places.set(at, !this.places.has(at) || this.places.get(at) === place ? place : undefined);
      }
      if (fault === undefined) next.add(state);
      else if (this.furthest === undefined || fault.at > this.furthest.at) this.furthest = fault;
    }
    return next;
  }

  #behind(part: Part, from: States): States {
    switch (part.kind) {
      case 'text':
        return this.read(behindText, part.at, part.text, from);
      case 'value':
        // An assignment prints nothing.
        return assignedBy(part.expression) === undefined ? this.read(behindTag, part.at, '', from) : from;
      case 'assign':
        return from;
      case 'switch': {
        const cases = part.cases.map(({ parts }) => this.through(parts, from));
        return union(this.through(part.otherwise, from), ...cases);
      }
      case 'each':
        return union(this.through(part.otherwise, from), this.#turns(part, from, 1, Infinity));
      case 'repeat': {
        const { times, most = times } = part;
        const least = times.kind === 'literal' ? Number(times.value) : 0;
        const limit = most.kind === 'literal' ? Math.max(least, Number(most.value)) : Infinity;
        return this.#turns(part, from, least, limit);
      }
      default:
        return union(this.through(part.parts, from), this.through(part.otherwise, from));
    }
  }

  /** The states behind at least and at most so many turns. */
  #turns(part: BlockPart & { kind: 'each' | 'repeat' }, from: States, least: number, most: number): States {
    const separator = part.kind === 'repeat' ? part.separator : '';
    let [all, states]: [States, States] = [least > 0 ? new Set() : from, from];
    for (let turn = 1; turn <= most && states.size > 0; turn++) {
      const between = turn > 1 && separator !== '' ? this.read(behindText, part.at, separator, states) : states;
      const next = this.through(part.parts, between);
      const isKnown = turn > least ? isWithin(next, all) : isWithin(next, states) && isWithin(states, next);
      if (turn >= least || isKnown) all = union(all, next);
      if (isKnown && turn > 1) break;
      states = next;
    }
    return all;
  }
}

function union(...all: readonly States[]): States {
  return new Set(all.flatMap((each) => [...each]));
}

function isWithin(some: States, all: States): boolean {
  return [...some].every((state) => all.has(state));
}
