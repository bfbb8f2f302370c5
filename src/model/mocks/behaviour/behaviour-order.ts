/**
 * The members of latency, faults, delivery, rate limit and scenarios in one order, whatever order they were sent in:
 * definitions are compared as JSON, so that sending the same again is not a change. Absent members stay absent.
 */
import type {
  Delivery,
  Fault,
  Latency,
  MockResponse,
  MockSettings,
  RateLimit,
  Scenario,
  ScenarioStep,
} from '../definition/definition.ts';
import { orderedProxy, orderedResponseProxy } from '../upstream/proxy.ts';
import { orderedSample } from '../upstream/sample.ts';

const LATENCY = ['min', 'max', 'mean', 'deviation', 'median', 'sigma', 'percentiles'];
const FAULT = ['kind', 'probability', 'first', 'after', 'status', 'body', 'retryAfter', 'bytes', 'ms'];
const DELIVERY = ['chunks', 'overMs', 'bytesPerSecond', 'firstByteMs'];
const RATE_LIMIT = ['requests', 'perMs', 'burst', 'by', 'status', 'body'];
const SCENARIO = ['name', 'states', 'initial'];
const STEP = ['name', 'requires', 'moveTo'];

export function orderedLatency(latency: Latency): Latency {
  if (typeof latency === 'number') return latency;
  if (!('percentiles' in latency)) return inOrder(latency, LATENCY);
  const percentiles = Object.fromEntries(
    Object.entries(latency.percentiles).toSorted(([one], [other]) => Number(one) - Number(other)),
  );
  return inOrder({ ...latency, percentiles }, LATENCY);
}

export function orderedResponse({
  fault,
  delivery,
  scenario,
  proxy,
  sample,
}: Partial<MockResponse>): Pick<MockResponse, 'fault' | 'delivery' | 'scenario' | 'proxy' | 'sample'> {
  return {
    ...(fault === undefined ? {} : { fault: inOrder<Fault>(fault, FAULT) }),
    ...(delivery === undefined ? {} : { delivery: inOrder<Delivery>(delivery, DELIVERY) }),
    ...(scenario === undefined ? {} : { scenario: orderedSteps(scenario) }),
    ...(proxy === undefined ? {} : { proxy: orderedResponseProxy(proxy) }),
    ...(sample === undefined ? {} : { sample: orderedSample(sample) }),
  };
}

export function orderedSettings({
  faults,
  rateLimit,
  scenarios,
  sessions,
  headers,
  clock,
  variables,
  debugHeaders,
  proxy,
}: Partial<MockSettings>): Pick<
  MockSettings,
  'faults' | 'rateLimit' | 'scenarios' | 'sessions' | 'headers' | 'clock' | 'variables' | 'debugHeaders' | 'proxy'
> {
  return {
    ...(faults === undefined ? {} : { faults: faults.map((fault) => inOrder(fault, FAULT)) }),
    ...(rateLimit === undefined ? {} : { rateLimit: inOrder<RateLimit>(rateLimit, RATE_LIMIT) }),
    ...(scenarios === undefined ? {} : { scenarios: scenarios.map((each) => inOrder<Scenario>(each, SCENARIO)) }),
    ...(sessions === undefined ? {} : { sessions }),
    ...(headers === undefined ? {} : { headers: headers.map(({ name, value }) => ({ name, value })) }),
    ...(clock === undefined ? {} : { clock }),
    ...(variables === undefined ? {} : { variables: byName(variables) }),
    ...(debugHeaders === undefined ? {} : { debugHeaders }),
    ...(proxy === undefined ? {} : { proxy: proxy && orderedProxy(proxy) }),
  };
}

/** Names have no order; values are as they were sent. */
function byName(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(variables).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function orderedSteps(scenario: ScenarioStep | readonly ScenarioStep[]): ScenarioStep | readonly ScenarioStep[] {
  return isOne(scenario) ? inOrder(scenario, STEP) : scenario.map((step) => inOrder(step, STEP));
}

function isOne(scenario: ScenarioStep | readonly ScenarioStep[]): scenario is ScenarioStep {
  return !Array.isArray(scenario);
}

/** Members that are not named are refused by the schemas. */
export function inOrder<Given extends object>(given: Given, names: readonly string[]): Given {
  const known = given as Record<string, unknown>;
  return Object.fromEntries(
    names.filter((name) => known[name] !== undefined).map((name) => [name, known[name]]),
  ) as Given;
}
