/**
 * Where the values of a template of JSON stand: inside a string, as a member's name, or as a value of their own.
 *
 * A JSON reader goes through the literal text and keeps the set of states that it may be in: branches of a block may end differently, as
 * in `{{#unless @last}},{{/unless}}`. Text is at fault where no state takes it. That the rendered text is JSON is then certain but for
 * branches that the template alone decides.
 */
import { JsonStates, type JsonState } from './json-states.ts';
import { assignedBy, type JsonPlace, type Part, type TemplateProblem } from './template-tree.ts';

export interface PlacedTemplate {
  /** The same parts, with the place of each value. */
  readonly parts: readonly Part[];
  readonly problem: TemplateProblem | undefined;
}

/** @param end Offset of the end of the template. */
export function placeJson(parts: readonly Part[], end: number): PlacedTemplate {
  if (parts.length === 0) return { parts, problem: undefined };
  const placer = new Placer();
  try {
    const { parts: placed, states } = placer.place(parts, placer.states.begin, true);
    const missing = placer.states.missingAtEnd(states);
    return {
      parts: placed,
      problem: missing === undefined ? undefined : { problem: `${missing}, found the end`, at: end },
    };
  } catch (error) {
    if (error instanceof JsonFault) return { parts, problem: { problem: error.message, at: error.at } };
    throw error;
  }
}

/** Ends the reading at the first fault. */
class JsonFault extends Error {
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

/** None: no state takes the text. */
type States = readonly JsonState[];

/** Characters times states that one template may take: loops are read until nothing new comes of them. */
const WORK_MAX = 20_000_000;
const STATES_MAX = 64;
const TOO_MANY = 'the blocks of the template make too many kinds of JSON';

interface Placed<Content> {
  readonly content: Content;
  readonly states: States;
}

class Placer {
  readonly states = new JsonStates();
  #work = WORK_MAX;

  /**
   * @param isLast Whether all states are known that the parts may begin in. Before, a branch may be impossible, as a comma is in the
   * first turn of a loop; then it is a fault.
   */
  place(
    parts: readonly Part[],
    from: States,
    isLast: boolean,
  ): { readonly parts: readonly Part[]; readonly states: States } {
    let states = from;
    const placed = parts.map((part) => {
      const next = this.#part(part, states, isLast);
      states = next.states;
      return next.content;
    });
    return { parts: placed, states };
  }

  #part(part: Part, from: States, isLast: boolean): Placed<Part> {
    if (from.length === 0) return { content: part, states: from };
    switch (part.kind) {
      case 'text':
        return { content: part, states: this.#text(part.text, part.at, from, isLast) };
      case 'value': {
        // An assignment prints nothing.
        if (assignedBy(part.expression) !== undefined) return { content: part, states: from };
        const { content: place, states } = this.#value(part.at, from, isLast);
        return { content: { ...part, place }, states };
      }
      case 'assign':
        return { content: part, states: from };
      case 'if':
      case 'with': {
        const yes = this.place(part.parts, from, isLast);
        const no = this.place(part.otherwise, from, isLast);
        const content = { ...part, parts: yes.parts, otherwise: no.parts };
        return { content, states: this.#union([yes.states, no.states], part.at) };
      }
      case 'switch': {
        const cases = part.cases.map((each) => ({ ...each, inside: this.place(each.parts, from, isLast) }));
        const no = this.place(part.otherwise, from, isLast);
        const content = {
          ...part,
          cases: cases.map(({ values, inside }) => ({ values, parts: inside.parts })),
          otherwise: no.parts,
        };
        return { content, states: this.#union([...cases.map(({ inside }) => inside.states), no.states], part.at) };
      }
      case 'each': {
        const { content: parts, states } = this.#loop(part.parts, '', part.at, from, isLast);
        const no = this.place(part.otherwise, from, isLast);
        const content = { ...part, parts, otherwise: no.parts };
        return { content, states: this.#union([states, no.states], part.at) };
      }
      case 'repeat': {
        const { content: parts, states } = this.#loop(part.parts, part.separator, part.at, from, isLast);
        const { times } = part;
        const mayBeEmpty = times.kind !== 'literal' || times.value === 0 || part.most !== undefined;
        return { content: { ...part, parts }, states: mayBeEmpty ? this.#union([states, from], part.at) : states };
      }
    }
  }

  /** @returns The states behind one or more turns. */
  #loop(parts: readonly Part[], separator: string, at: number, from: States, isLast: boolean): Placed<readonly Part[]> {
    let before = from;
    for (;;) {
      const turn = this.place(parts, before, false);
      const again = this.#union([before, this.#text(separator, at, turn.states, false)], at);
      if (again.length > before.length) {
        before = again;
        continue;
      }
      const { parts: placed, states } = isLast ? this.place(parts, before, true) : turn;
      return { content: placed, states };
    }
  }

  #text(text: string, at: number, from: States, isLast: boolean): States {
    this.#work -= text.length * from.length;
    if (this.#work < 0) throw new JsonFault(TOO_MANY, at);
    const next: JsonState[] = [];
    let furthest = 0;
    for (const state of from) {
      const read = this.states.read(state, text);
      if (typeof read === 'number') furthest = Math.max(furthest, read);
      else if (!next.includes(read)) next.push(read);
    }
    if (next.length > 0 || !isLast) return next;
    const reached = from.flatMap((state) => {
      const read = this.states.read(state, text.slice(0, furthest));
      return typeof read === 'number' ? [] : [read];
    });
    throw new JsonFault(
      `expected ${this.states.expected(reached)}, found ${JSON.stringify(text[furthest])}`,
      at + furthest,
    );
  }

  #value(at: number, from: States, isLast: boolean): Placed<JsonPlace> {
    if (from.some((state) => this.states.isInEscape(state))) {
      throw new JsonFault('a tag may not stand in an escape of a string, behind "\\"', at);
    }
    const inStrings = from.filter((state) => this.states.isInString(state));
    if (inStrings.length === from.length) return { content: 'string', states: from };
    if (inStrings.length > 0) {
      throw new JsonFault(
        'the blocks before this tag leave it inside a string in one case, and outside in another',
        at,
      );
    }
    const values = this.states.behindValue(from);
    const names = this.states.behindName(from);
    if (values.length > 0 && names.length > 0) {
      throw new JsonFault('the blocks before this tag make it a name in one case, and a value in another', at);
    }
    if (values.length > 0) return { content: 'value', states: values };
    if (names.length === 0 && isLast) {
      throw new JsonFault(`expected ${this.states.expected(from)}, found a tag`, at);
    }
    return { content: 'name', states: names };
  }

  #union(all: readonly States[], at: number): States {
    const states = [...new Set(all.flat())];
    if (states.length > STATES_MAX) throw new JsonFault(TOO_MANY, at);
    return states;
  }
}
