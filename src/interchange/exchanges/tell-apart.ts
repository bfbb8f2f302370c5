/**
 * Tells the requests of one route apart that were answered differently: by rules on as few values as suffice.
 *
 * Every group has a rule for each value that its requests have of the chosen names, and groups with more rules come first. So a request
 * finds its own group: another one before it has at least as many rules, and if they all held it would be the same.
 */
import { IMPORT_RULES_MAX, IMPORT_VALUES_TRIED_MAX } from '../../limits.ts';
import type { ReadRule } from '../format.ts';
import { OPAQUE, type RequestValue } from './request-values.ts';

export interface Exchange {
  /** Equal for the same request: all of it that could decide about its reply. */
  readonly identity: string;
  /** Equal for equal replies. */
  readonly reply: string;
  /** Of its path and its query. */
  readonly values: readonly RequestValue[];
  readonly bodyValues: () => readonly RequestValue[] | typeof OPAQUE;
}

export interface Group<Each extends Exchange> {
  readonly rules: readonly ReadRule[];
  /** In the order of the source. At least one. */
  readonly exchanges: readonly Each[];
  /** Whether its exchanges are repeats of one request, or all have the same reply. */
  readonly isApart: boolean;
}

/** @param exchanges At least one. @returns The groups with most rules first. */
export function tellApart<Each extends Exchange>(exchanges: readonly Each[]): readonly Group<Each>[] {
  if (isSettled(exchanges)) return [{ rules: [], exchanges, isApart: true }];
  const values = valuesOf(exchanges);
  const chosen = choose(values, exchanges);
  const groups = [...classesBy(chosen, exchanges).values()].map((members) => ({
    rules: rulesOf(members[0] as Each, chosen),
    exchanges: members,
    isApart: isSettled(members),
  }));
  return groups.toSorted((one, other) => other.rules.length - one.rules.length);
}

function isSettled(exchanges: readonly Exchange[]): boolean {
  const [first] = exchanges;
  return (
    exchanges.every(({ reply }) => reply === first?.reply) ||
    exchanges.every(({ identity }) => identity === first?.identity)
  );
}

/** One name that rules could test, with the distinct values that each exchange has of it, in order. */
interface Candidate {
  readonly target: RequestValue['target'];
  readonly property: string;
  readonly values: Map<Exchange, Set<string>>;
  isUsable: boolean;
}

function valuesOf(exchanges: readonly Exchange[]): Candidate[] {
  const candidates = new Map<string, Candidate>();
  const add = (exchange: Exchange, { target, property, value, isUsable }: RequestValue): void => {
    const key = `${target} ${property}`;
    let candidate = candidates.get(key);
    if (candidate === undefined) {
      candidate = { target, property, values: new Map(), isUsable: true };
      candidates.set(key, candidate);
    }
    candidate.isUsable &&= isUsable;
    const known = candidate.values.get(exchange);
    if (known === undefined) candidate.values.set(exchange, new Set([value]));
    else known.add(value);
  };
  let areBodiesReadable = true;
  for (const exchange of exchanges) {
    for (const value of exchange.values) add(exchange, value);
    const body = exchange.bodyValues();
    if (body === OPAQUE) areBodiesReadable = false;
    else for (const value of body) add(exchange, value);
  }
  return [...candidates.values()]
    .filter(({ target, isUsable }) => isUsable && (target !== 'body' || areBodiesReadable))
    .toSorted((one, other) => rankOf(one) - rankOf(other))
    .slice(0, IMPORT_VALUES_TRIED_MAX);
}

/** A person would look at the path first, and at the whole text of a body last. */
function rankOf({ target, property }: Candidate): number {
  if (target === 'body') return property === '' ? 3 : 2;
  return target === 'query' ? 1 : 0;
}

/** One name where it suffices; else each that tells more apart, in order. */
function choose(candidates: readonly Candidate[], exchanges: readonly Exchange[]): Candidate[] {
  const single = candidates.find(
    (each) => mostRules([each], exchanges) <= IMPORT_RULES_MAX && isAllSettled(classesBy([each], exchanges)),
  );
  if (single !== undefined) return [single];
  let chosen: Candidate[] = [];
  let classes = classesBy(chosen, exchanges);
  for (const each of candidates) {
    const finer = classesBy([...chosen, each], exchanges);
    if (finer.size === classes.size || mostRules([...chosen, each], exchanges) > IMPORT_RULES_MAX) continue;
    chosen = [...chosen, each];
    classes = finer;
    if (isAllSettled(classes)) break;
  }
  return chosen;
}

function isAllSettled(classes: ReadonlyMap<string, readonly Exchange[]>): boolean {
  return [...classes.values()].every(isSettled);
}

function mostRules(chosen: readonly Candidate[], exchanges: readonly Exchange[]): number {
  let most = 0;
  for (const exchange of exchanges) {
    const count = chosen.reduce((sum, { values }) => sum + (values.get(exchange)?.size ?? 0), 0);
    most = Math.max(most, count);
  }
  return most;
}

function classesBy<Each extends Exchange>(
  chosen: readonly Candidate[],
  exchanges: readonly Each[],
): Map<string, Each[]> {
  const classes = new Map<string, Each[]>();
  for (const exchange of exchanges) {
    const key = JSON.stringify(chosen.map(({ values }) => [...(values.get(exchange) ?? [])].toSorted()));
    const known = classes.get(key);
    if (known === undefined) classes.set(key, [exchange]);
    else known.push(exchange);
  }
  return classes;
}

function rulesOf(exchange: Exchange, chosen: readonly Candidate[]): ReadRule[] {
  return chosen.flatMap(({ target, property, values }) =>
    [...(values.get(exchange) ?? [])].map((value) => ({
      target,
      ...(property === '' ? {} : { property }),
      operator: 'equals',
      value,
    })),
  );
}
