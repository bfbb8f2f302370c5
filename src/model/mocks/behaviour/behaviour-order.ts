/**
 * The members of latency, faults, delivery, rate limit and scenarios in one order, whatever order they were sent in:
 * definitions are compared as JSON, so that sending the same again is not a change. Absent members stay absent.
 */
import type {
  Delivery,
  Fault,
  MockResponse,
  MockSettings,
  RateLimit,
  Scenario,
  ScenarioStep,
} from '../definition/definition.ts';
import { orderedSocketResponse } from '../sockets/socket.ts';
import { orderedEvents, orderedStream } from '../streams/stream.ts';
import { orderedProxy, orderedResponseProxy } from '../upstream/proxy.ts';
import type { StoreDefinition, StoreStep } from '../stores/store-schema.ts';
import { orderedSample } from '../upstream/sample.ts';
import { inOrder } from './latency-order.ts';

const FAULT = [
  'kind',
  'probability',
  'first',
  'after',
  'status',
  'body',
  'retryAfter',
  'bytes',
  'ms',
  'afterEvents',
  'events',
  'code',
];
const DELIVERY = ['chunks', 'overMs', 'bytesPerSecond', 'firstByteMs'];
const RATE_LIMIT = ['requests', 'perMs', 'burst', 'by', 'status', 'body'];
const SCENARIO = ['name', 'states', 'initial'];
const STEP = ['name', 'requires', 'moveTo'];
const STORE = ['name', 'value', 'templated', 'idMember', 'relations'];
const STORE_STEP = ['op', 'name', 'id', 'value', 'within', 'missing', 'taken', 'invalid', 'full'];

export function orderedResponse({
  fault,
  delivery,
  stream,
  scenario,
  store,
  proxy,
  sample,
  ...ofSocket
}: Partial<MockResponse>): Pick<
  MockResponse,
  'fault' | 'delivery' | 'stream' | 'scenario' | 'store' | 'proxy' | 'sample' | 'when' | 'to' | 'close' | 'silent'
> {
  return {
    ...(fault === undefined ? {} : { fault: orderedFault(fault) }),
    ...(delivery === undefined ? {} : { delivery: inOrder<Delivery>(delivery, DELIVERY) }),
    ...(stream === undefined ? {} : { stream: orderedStream(stream) }),
    ...(scenario === undefined ? {} : { scenario: orderedSteps(scenario) }),
    ...(store === undefined ? {} : { store: inOrder<StoreStep>(store, STORE_STEP) }),
    ...(proxy === undefined ? {} : { proxy: orderedResponseProxy(proxy) }),
    ...(sample === undefined ? {} : { sample: orderedSample(sample) }),
    ...orderedSocketResponse(ofSocket),
  };
}

function orderedFault(fault: Fault): Fault {
  return inOrder(fault.events === undefined ? fault : { ...fault, events: orderedEvents(fault.events) }, FAULT);
}

export function orderedSettings({
  faults,
  rateLimit,
  scenarios,
  stores,
  sessions,
  headers,
  clock,
  variables,
  debugHeaders,
  proxy,
}: Partial<MockSettings>): Pick<
  MockSettings,
  | 'faults'
  | 'rateLimit'
  | 'scenarios'
  | 'stores'
  | 'sessions'
  | 'headers'
  | 'clock'
  | 'variables'
  | 'debugHeaders'
  | 'proxy'
> {
  return {
    ...(faults === undefined ? {} : { faults: faults.map(orderedFault) }),
    ...(rateLimit === undefined ? {} : { rateLimit: inOrder<RateLimit>(rateLimit, RATE_LIMIT) }),
    ...(scenarios === undefined ? {} : { scenarios: scenarios.map((each) => inOrder<Scenario>(each, SCENARIO)) }),
    ...(stores === undefined ? {} : { stores: stores.map((each) => inOrder<StoreDefinition>(each, STORE)) }),
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
