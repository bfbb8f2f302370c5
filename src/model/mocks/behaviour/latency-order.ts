/** The members of a latency in one order, as in behaviour-order.ts, and how any are put into one. */
import type { Latency } from '../definition/definition.ts';

const LATENCY = ['min', 'max', 'mean', 'deviation', 'median', 'sigma'];

export function orderedLatency(latency: Latency): Latency {
  return typeof latency === 'number' ? latency : inOrder(latency, LATENCY);
}

/** Members that are not named are refused by the schemas. */
export function inOrder<Given extends object>(given: Given, names: readonly string[]): Given {
  const known = given as Record<string, unknown>;
  return Object.fromEntries(
    names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]),
  ) as Given;
}
