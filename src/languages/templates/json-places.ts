/**
 * Where the values of a template of JSON stand: inside a string, as a member's name, or as a value of their own; and whether what it
 * renders is JSON, whatever a request sends.
 *
 * A JSON reader goes through the literal text, along every way through the blocks: into each branch, and through the first, a later and
 * the last turn of a loop. Conditions are followed as far as json-conditions.ts knows them. A branch is at fault when no way through it
 * ends as JSON. It is a warning when no way through an `else` that is left out does, or some ways through a branch do not.
 */
import { Conditions, type Facts } from './json-conditions.ts';
import { JsonStates, type JsonState } from './json-states.ts';
import { endWell, firstReached, type DeadEnd, type Step } from './json-ways.ts';
import {
  assignedBy,
  FIRST_OF_EACH,
  LAST_OF_EACH,
  mayRepeat,
  type BlockPart,
  type Expression,
  type JsonPlace,
  type Part,
  type TemplateProblem,
  type ValuePart,
} from './template-tree.ts';

/** Places of one template of JSON at which warnings say that what it sends may not be JSON. */
const JSON_WARNINGS_MAX = 10;

interface PlacedTemplate {
  /** The same parts, with the place of each value. */
  readonly parts: readonly Part[];
  readonly problem: TemplateProblem | undefined;
  /** What some requests make of it that is not JSON, in the order of the text, at most JSON_WARNINGS_MAX. None beside a problem. */
  readonly warnings: readonly TemplateProblem[];
  /** In characters that were read. */
  readonly work: number;
}

/** @param end Offset of the end of the template. */
export function placeJson(parts: readonly Part[], end: number): PlacedTemplate {
  if (parts.length === 0) return { parts, problem: undefined, warnings: [], work: 0 };
  const reader = new TemplateReader(parts);
  try {
    const warnings = reader.read(parts, end);
    return { parts: reader.placed(parts), problem: undefined, warnings, work: reader.work };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    return { parts: reader.placed(parts), problem: error.problem, warnings: [], work: reader.work };
  }
}

/** Ends the reading at the first fault. */
class JsonFault extends Error {
  readonly problem: TemplateProblem;

  constructor(problem: TemplateProblem) {
    super(problem.problem);
    this.problem = problem;
  }
}

/** One way through a block. */
interface Branch {
  readonly when: { readonly phrase: string; readonly at: number };
  readonly entries: Step[];
  /** Whether the template says what it renders: an `else` that is left out renders nothing. */
  readonly isWritten: boolean;
}

/** Characters that one template may take, along all ways. */
const WORK_MAX = 20_000_000;
/** Work of a step, and of one that a part leaves as it is, in characters. */
const STEP_WORK = 400;
const VISIT_WORK = 100;
/** Different steps at one place. */
const STEPS_MAX = 64;
const LOOP_STEPS_MAX = 3 * STEPS_MAX;
const TOO_MANY = 'the blocks of the template make too many kinds of JSON';

class TemplateReader {
  work = 0;
  readonly #states = new JsonStates();
  readonly #conditions: Conditions;
  readonly #branches = new Map<string, Branch>();
  readonly #deadEnds: DeadEnd[] = [];
  /** Where each value stands, and the steps for which it does. */
  readonly #places = new Map<ValuePart, Map<JsonPlace, Step[]>>();
  /** The steps before a turn of each loop, by state and facts: each is followed once. */
  readonly #turns = new Map<BlockPart, Map<string, Step>>();

  constructor(parts: readonly Part[]) {
    this.#conditions = new Conditions(parts);
  }

  /** @returns The warnings. @throws JsonFault */
  read(parts: readonly Part[], end: number): readonly TemplateProblem[] {
    const begin = this.#step(this.#states.begin, this.#conditions.none, []);
    for (const step of this.#through(parts, [begin])) {
      if (this.#states.mayEnd(step.state)) endWell(step);
      else this.#deadEnds.push({ step, state: step.state, at: end, found: 'the end' });
    }
    const ends = this.#deadEnds.toSorted((one, other) => one.at - other.at);
    // Without a way to the end, what goes furthest is likely to be what was meant.
    if (!begin.endsWell) throw new JsonFault(this.#problemOf(ends, ends.at(-1) as DeadEnd));
    const warnings = new Map<number, TemplateProblem>();
    for (const { when, entries, isWritten } of this.#branches.values()) {
      if (entries.some(({ endsWell }) => endsWell)) continue;
      const problem = { ...this.#problemOf(ends, firstReached(entries, ends)), when };
      if (isWritten) throw new JsonFault(problem);
      if (warnings.size < JSON_WARNINGS_MAX) warnings.set(problem.at, problem);
    }
    this.#checkPlaces();
    for (const each of ends) if (!warnings.has(each.at)) warnings.set(each.at, this.#problemOf(ends, each));
    return [...warnings.values()].toSorted((one, other) => one.at - other.at).slice(0, JSON_WARNINGS_MAX);
  }

  /** The same parts, with the places of values. */
  placed(parts: readonly Part[]): readonly Part[] {
    return parts.map((part): Part => {
      switch (part.kind) {
        case 'text':
        case 'assign':
          return part;
        case 'value': {
          const place = this.#placeOf(part);
          return place === undefined ? part : { ...part, place };
        }
        case 'repeat':
          return { ...part, parts: this.placed(part.parts) };
        case 'switch': {
          const cases = part.cases.map((each) => ({ ...each, parts: this.placed(each.parts) }));
          return { ...part, cases, otherwise: this.placed(part.otherwise) };
        }
        default:
          return { ...part, parts: this.placed(part.parts), otherwise: this.placed(part.otherwise) };
      }
    });
  }

  /** That of the ways that end as JSON, where there are such. */
  #placeOf(part: ValuePart): JsonPlace | undefined {
    const places = [...(this.#places.get(part) ?? [])];
    const [place] = places.find(([, steps]) => steps.some(({ endsWell }) => endsWell)) ?? places[0] ?? [];
    return place;
  }

  #checkPlaces(): void {
    for (const [{ at }, places] of this.#places) {
      const kinds = [...places].filter(([, steps]) => steps.some(({ endsWell }) => endsWell)).map(([kind]) => kind);
      if (kinds.length < 2) continue;
      const problem = kinds.includes('string')
        ? 'the blocks before this tag leave it inside a string in one case, and outside in another'
        : 'the blocks before this tag make it a name in one case, and a value in another';
      throw new JsonFault({ problem, at });
    }
  }

  #problemOf(ends: readonly DeadEnd[], { at, found }: DeadEnd): TemplateProblem {
    const states = ends.filter((end) => end.at === at).map(({ state }) => state);
    return { problem: `expected ${this.#states.expected(states)}, found ${found}`, at };
  }

  #step(state: JsonState, facts: Facts, from: Step[]): Step {
    this.work += STEP_WORK;
    return { state, facts, from, endsWell: false };
  }

  #spend(work: number, at: number): void {
    this.work += work;
    if (this.work > WORK_MAX) throw new JsonFault({ problem: TOO_MANY, at });
  }

  /** @returns The steps behind the parts. */
  #through(parts: readonly Part[], from: readonly Step[]): readonly Step[] {
    let steps = from;
    for (const part of parts) {
      if (steps.length === 0) break;
      this.#spend(steps.length * VISIT_WORK, part.at);
      steps = this.#behind(part, this.#withAsked(part, steps));
    }
    return steps;
  }

  /** Ways meet before a block, where no condition asks any longer for what they differ in. */
  #withAsked({ kind, at }: Part, from: readonly Step[]): readonly Step[] {
    if (kind === 'text' || kind === 'value') return from;
    const steps = this.#with(from, ({ facts }) => this.#conditions.asked(at, facts));
    return steps === from ? from : this.#joined(steps, at);
  }

  /** The same steps with other facts; itself where none differ. */
  #with(from: readonly Step[], factsOf: (step: Step) => Facts): readonly Step[] {
    if (from.every((step) => factsOf(step) === step.facts)) return from;
    return from.map((step) => this.#step(step.state, factsOf(step), [step]));
  }

  #behind(part: Part, from: readonly Step[]): readonly Step[] {
    switch (part.kind) {
      case 'text':
        return this.#text(part.text, part.at, from);
      case 'value':
        // An assignment prints nothing.
        return assignedBy(part.expression) === undefined ? this.#value(part, from) : from;
      case 'assign':
        return from;
      case 'if': {
        const { condition, parts, otherwise } = part;
        const yes = this.#branch(part, 'when the condition at # holds', this.#where(condition, true, from), parts);
        const no = this.#where(condition, false, from);
        return this.#joined(
          [...yes, ...this.#branch(part, 'when the condition at # does not hold', no, otherwise)],
          part.at,
        );
      }
      case 'with': {
        const { value, slot, parts, otherwise } = part;
        const yes = this.#branch(part, 'when there is a value at #', this.#where(value, true, from), parts);
        const no = this.#branch(part, 'when there is no value at #', this.#where(value, false, from), otherwise);
        return this.#joined([...this.#outside(slot, yes), ...no], part.at);
      }
      case 'switch': {
        const cases = part.cases.flatMap(({ parts }, index) =>
          this.#branch(part, `in case ${index + 1} of the block at #`, this.#copies(from), parts),
        );
        const none = this.#branch(part, 'in no case of the block at #', this.#copies(from), part.otherwise);
        return this.#joined([...cases, ...none], part.at);
      }
      case 'each': {
        const { list } = part;
        const isKnown = list.kind !== 'request' || !mayRepeat(list.steps);
        const turns = this.#loop(part, isKnown ? this.#where(list, true, from) : this.#copies(from), '', true);
        const none = this.#branch(part, 'when the list at # is empty', this.#copies(from), part.otherwise);
        return this.#joined([...turns, ...none], part.at);
      }
      case 'repeat': {
        const { times, most } = part;
        const least = times.kind === 'literal' ? Number(times.value) : undefined;
        const limit = most === undefined ? least : most.kind === 'literal' ? Number(most.value) : undefined;
        const turns = limit === 0 ? [] : this.#loop(part, this.#copies(from), part.separator, limit !== 1);
        if (least !== undefined && least > 0) return this.#joined(turns, part.at);
        const none = this.#branch(part, 'when the block at # is repeated 0 times', this.#copies(from), []);
        return this.#joined([...turns, ...none], part.at);
      }
    }
  }

  #branch(part: BlockPart, phrase: string, entries: readonly Step[], parts: readonly Part[]): readonly Step[] {
    this.#enter(part, phrase, entries, parts.length > 0);
    return this.#through(parts, entries);
  }

  #enter({ at }: BlockPart, phrase: string, entries: readonly Step[], isWritten = true): void {
    if (entries.length === 0) return;
    const key = `${at} ${phrase}`;
    const known = this.#branches.get(key);
    if (known === undefined) this.#branches.set(key, { when: { phrase, at }, entries: [...entries], isWritten });
    else known.entries.push(...entries);
  }

  /** Steps of their own for a branch, which may be at fault where others are not. */
  #copies(from: readonly Step[]): readonly Step[] {
    return from.map((step) => this.#step(step.state, step.facts, [step]));
  }

  #where(condition: Expression, isTrue: boolean, from: readonly Step[]): readonly Step[] {
    const possible = from.filter(({ facts }) => this.#conditions.holds(condition, facts) !== !isTrue);
    return possible.map((step) =>
      this.#step(step.state, this.#conditions.assume(condition, isTrue, step.facts), [step]),
    );
  }

  #outside(slot: number, from: readonly Step[]): readonly Step[] {
    return this.#with(from, ({ facts }) => this.#conditions.outside(slot, facts));
  }

  /** @returns The steps behind one or more turns. */
  #loop(
    part: BlockPart & { kind: 'each' | 'repeat' },
    from: readonly Step[],
    separator: string,
    isRepeated: boolean,
  ): readonly Step[] {
    const last: Expression = { kind: 'local', slot: part.slot + LAST_OF_EACH, steps: [] };
    const behind: Step[] = [];
    let before = this.#turn(part, this.#outside(part.slot, from), true, isRepeated);
    this.#enter(part, 'when the block at # is rendered once or more', before);
    while (before.length > 0) {
      const after = this.#through(part.parts, before);
      const isLast = (step: Step): boolean | undefined => this.#conditions.holds(last, step.facts);
      behind.push(...after.filter((step) => isLast(step) !== false));
      if (!isRepeated) break;
      const next = this.#text(separator, part.at, this.#copies(after.filter((step) => isLast(step) !== true)));
      before = this.#turn(part, this.#outside(part.slot, next), false, true);
      this.#enter(part, 'when the block at # is rendered several times', before);
    }
    return this.#joined(this.#outside(part.slot, behind), part.at);
  }

  /** The steps before a turn that are new, with what is known of its place. */
  #turn(
    part: BlockPart & { kind: 'each' | 'repeat' },
    from: readonly Step[],
    isFirst: boolean,
    isRepeated: boolean,
  ): readonly Step[] {
    let known = this.#turns.get(part);
    if (known === undefined) this.#turns.set(part, (known = new Map()));
    const [first, last] = [FIRST_OF_EACH, LAST_OF_EACH].map((place): Expression => ({
      kind: 'local',
      slot: part.slot + place,
      steps: [],
    })) as [Expression, Expression];
    const steps: Step[] = [];
    for (const step of from) {
      // Less is known where it would be too much: that makes further ways, but none less.
      const outer = known.size < STEPS_MAX ? step.facts : this.#conditions.none;
      const facts = this.#conditions.assume(first, isFirst, outer);
      const places = (isRepeated ? [true, false] : [true]).map((isLast) =>
        this.#conditions.assume(last, isLast, facts),
      );
      for (const each of new Set(places)) {
        // A way that repeats the block differs from one that does not.
        const key = `${isFirst} ${step.state.key} ${each.key}`;
        const met = known.get(key);
        if (met !== undefined) {
          met.from.push(step);
          continue;
        }
        if (known.size === LOOP_STEPS_MAX) throw new JsonFault({ problem: TOO_MANY, at: part.at });
        const entry = this.#step(step.state, each, [step]);
        known.set(key, entry);
        steps.push(entry);
      }
    }
    return steps;
  }

  #text(text: string, at: number, from: readonly Step[]): readonly Step[] {
    if (text === '') return from;
    this.#spend(text.length * from.length, at);
    const next: Step[] = [];
    for (const step of from) {
      const read = this.#states.read(step.state, text);
      if (typeof read !== 'number') next.push(read === step.state ? step : this.#step(read, step.facts, [step]));
      else {
        const state = this.#states.read(step.state, text.slice(0, read)) as JsonState;
        this.#deadEnds.push({ step, state, at: at + read, found: JSON.stringify(text[read]) });
      }
    }
    return this.#joined(next, at);
  }

  #value(part: ValuePart, from: readonly Step[]): readonly Step[] {
    const next: Step[] = [];
    for (const step of from) {
      const { state } = step;
      if (this.#states.isInEscape(state))
        throw new JsonFault({ problem: 'a tag may not stand in an escape of a string, behind "\\"', at: part.at });
      const isInString = this.#states.isInString(state);
      const value = this.#states.behindValue(state);
      const behind = isInString ? state : (value ?? this.#states.behindName(state));
      if (behind === undefined) {
        this.#deadEnds.push({ step, state, at: part.at, found: 'a tag' });
        continue;
      }
      const after = isInString ? step : this.#step(behind, step.facts, [step]);
      this.#note(part, isInString ? 'string' : value === undefined ? 'name' : 'value', after);
      next.push(after);
    }
    return this.#joined(next, part.at);
  }

  #note(part: ValuePart, place: JsonPlace, step: Step): void {
    let places = this.#places.get(part);
    if (places === undefined) this.#places.set(part, (places = new Map()));
    const steps = places.get(place);
    if (steps === undefined) places.set(place, [step]);
    else steps.push(step);
  }

  /** Ways of one state meet where what is known of them is the same, or all that there is. */
  #joined(steps: readonly Step[], at: number): readonly Step[] {
    if (steps.length < 2) return steps;
    const groups = new Map<JsonState, Step[]>();
    for (const step of steps) {
      const group = groups.get(step.state);
      if (group === undefined) groups.set(step.state, [step]);
      else group.push(step);
    }
    if (groups.size > STEPS_MAX) throw new JsonFault({ problem: TOO_MANY, at });
    const joined = [...groups].flatMap(([state, group]) => this.#met(state, group));
    if (joined.length <= STEPS_MAX) return joined;
    return [...groups].map(([state, group]) => this.#step(state, this.#conditions.none, group));
  }

  #met(state: JsonState, group: readonly Step[]): readonly Step[] {
    const met: Step[] = [];
    const open = group.toReversed();
    for (let step = open.pop(); step !== undefined; step = open.pop()) {
      const { facts } = step;
      this.work += met.length;
      const at = met.findIndex((each) => this.#conditions.either(each.facts, facts) !== undefined);
      const other = met[at];
      if (other === undefined) met.push(step);
      else {
        met.splice(at, 1);
        open.push(this.#step(state, this.#conditions.either(other.facts, facts) as Facts, [other, step]));
      }
    }
    return met;
  }
}
