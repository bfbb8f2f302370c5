/**
 * Tells the requests of one route apart that were answered differently: by rules on as few values as suffice.
 *
 * Every group has a rule for each value that its requests have of the chosen names, and groups with more rules come first. So a request
 * finds its own group: another one before it has at least as many rules, and if they all held it would be the same. A value that is not
 * known, or may not be shown, is any: its group comes behind those that name one.
 */
import type { ReadCondition } from '../format.ts';
import { OPAQUE, type RequestValue } from './request-values.ts';

/** Values of requests that are tried to tell recorded requests of one route apart, and rules of one response that do it. */
const IMPORT_VALUES_TRIED_MAX = 200;
const IMPORT_RULES_MAX = 20;

export interface Exchange {
  /** Equal for the same request: all of it that could decide about its reply. */
  readonly identity: string;
  /** Equal for equal replies. */
  readonly reply: string;
  /** Parameters of its path and its query. */
  readonly values: readonly RequestValue[];
  readonly bodyValues: () => readonly RequestValue[] | typeof OPAQUE;
}

export interface Group<Each extends Exchange> {
  readonly rules: readonly ReadCondition[];
  /** In the order of the source. At least one. */
  readonly exchanges: readonly Each[];
  /** Whether its exchanges are repeats of one request, or all have the same reply. */
  readonly isApart: boolean;
}

/** @param exchanges At least one. @returns The groups with most rules first. */
export function tellApart<Each extends Exchange>(exchanges: readonly Each[]): readonly Group<Each>[] {
  const whole: Classes = { of: exchanges.map(() => 0), count: 1 };
  if (areSettled(whole, exchanges)) return [{ rules: [], exchanges, isApart: true }];
  const { chosen, classes } = choose(candidatesOf(exchanges), whole, exchanges);
  const members = new Map<number, number[]>();
  for (const [index, number] of classes.of.entries()) {
    const known = members.get(number);
    if (known === undefined) members.set(number, [index]);
    else known.push(index);
  }
  const groups = [...members.values()].map((indexes) => {
    const own = indexes.map((index) => exchanges[index] as Each);
    const rules = chosen.flatMap((each) => rulesOf(each, indexes[0] as number));
    return { rules, exchanges: own, isApart: isSettled(own) };
  });
  return groups.toSorted((one, other) => other.rules.length - one.rules.length || exactRules(other) - exactRules(one));
}

function exactRules({ rules }: Group<Exchange>): number {
  return rules.filter(({ operator }) => operator === 'equals').length;
}

function isSettled(exchanges: readonly Exchange[]): boolean {
  return areSettled({ of: exchanges.map(() => 0), count: 1 }, exchanges);
}

/** One name that rules could test. */
interface Candidate {
  readonly target: RequestValue['target'];
  readonly property: string;
  /** Its distinct values in each exchange that has some, by index: null for one that no rule may name. */
  readonly values: Map<number, Set<string | null>>;
}

function candidatesOf(exchanges: readonly Exchange[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const add = (index: number, { target, property, value, isUsable }: RequestValue): void => {
    const key = `${target} ${property}`;
    let candidate = candidates.get(key);
    if (candidate === undefined) {
      candidate = { target, property, values: new Map() };
      candidates.set(key, candidate);
    }
    const known = candidate.values.get(index);
    const own = isUsable ? value : null;
    if (known === undefined) candidate.values.set(index, new Set([own]));
    else known.add(own);
  };
  let areBodiesReadable = true;
  for (const [index, exchange] of exchanges.entries()) {
    for (const value of exchange.values) add(index, value);
    const body = exchange.bodyValues();
    if (body === OPAQUE) areBodiesReadable = false;
    else for (const value of body) add(index, value);
  }
  return [...candidates.values()]
    .filter(distinguishes)
    .filter(({ target }) => target !== 'body' || areBodiesReadable)
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, IMPORT_VALUES_TRIED_MAX);
}

/** A name whose values are all unknown distinguishes nothing, and may be a secret itself. */
function distinguishes({ target, values }: Candidate): boolean {
  const all = [...values.values()];
  if (!all.some((own) => own.has(null))) return true;
  return target !== 'body' && all.every((own) => own.size === 1) && all.some((own) => !own.has(null));
}

/** A person would look at the path first, and at the whole text of a body last. */
function rankOf({ target, property }: Candidate): number {
  if (target === 'body') return property === '' ? 4 : 3;
  return target === 'header' ? 2 : target === 'query' ? 1 : 0;
}

/** A division of the exchanges: those of one class have equal values of the chosen names. */
interface Classes {
  /** The number of the class of each exchange, from 0. */
  readonly of: readonly number[];
  readonly count: number;
}

/** One name where it suffices; else each that distinguishes more, in order. */
function choose(
  candidates: readonly Candidate[],
  whole: Classes,
  exchanges: readonly Exchange[],
): { readonly chosen: readonly Candidate[]; readonly classes: Classes } {
  const chosen: Candidate[] = [];
  let classes = whole;
  for (const each of candidates) {
    if (mostRules([each]) > IMPORT_RULES_MAX) continue;
    const divided = divide(whole, each);
    if (areSettled(divided, exchanges)) return { chosen: [each], classes: divided };
  }
  for (const each of candidates) {
    const divided = divide(classes, each);
    if (divided.count === classes.count || mostRules([...chosen, each]) > IMPORT_RULES_MAX) continue;
    chosen.push(each);
    classes = divided;
    if (areSettled(classes, exchanges)) break;
  }
  return { chosen, classes };
}

function byText(one: string | null, other: string | null): number {
  return String(one) < String(other) ? -1 : 1;
}

function divide(classes: Classes, { values }: Candidate): Classes {
  const numbers = new Map<string, number>();
  const of = classes.of.map((number, index) => {
    const own = values.get(index);
    const key = own === undefined ? `${number}` : `${number} ${JSON.stringify([...own].toSorted(byText))}`;
    const known = numbers.get(key) ?? numbers.size;
    numbers.set(key, known);
    return known;
  });
  return { of, count: numbers.size };
}

/** Whether in each class all are repeats of one request, or have the same reply. */
function areSettled({ of }: Classes, exchanges: readonly Exchange[]): boolean {
  const firsts = new Map<number, { readonly first: Exchange; isReply: boolean; isRequest: boolean }>();
  for (const [index, exchange] of exchanges.entries()) {
    const number = of[index] as number;
    const known = firsts.get(number);
    if (known === undefined) firsts.set(number, { first: exchange, isReply: true, isRequest: true });
    else {
      known.isReply &&= exchange.reply === known.first.reply;
      known.isRequest &&= exchange.identity === known.first.identity;
      if (!known.isReply && !known.isRequest) return false;
    }
  }
  return true;
}

/** Holds for any exchange. */
function mostRules(chosen: readonly Candidate[]): number {
  const counts = new Map<number, number>();
  for (const { values } of chosen) {
    for (const [index, own] of values) counts.set(index, (counts.get(index) ?? 0) + own.size);
  }
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most;
}

function rulesOf({ target, property, values }: Candidate, index: number): ReadCondition[] {
  return [...(values.get(index) ?? [])].flatMap((value): ReadCondition[] => {
    const place = { target, ...(property === '' ? {} : { property }) };
    if (value !== null) return [{ ...place, operator: 'equals', value }];
    // A parameter of the path always has a value.
    return target === 'urlParam' ? [] : [{ ...place, operator: 'exists' }];
  });
}
