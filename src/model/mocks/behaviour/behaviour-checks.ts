/**
 * Checks of latency, faults, delivery, rate limit and scenarios that their schemas cannot express. Each returns the fault, in
 * terms that a person can act on, or undefined.
 */
import type { Fault, MockResponse, MockSettings, RateLimit, Scenario, ScenarioStep } from '../definition/definition.ts';
import type { Delivery } from './behaviour-schema.ts';
import type { Latency } from './latency-schema.ts';

/** @param path Of the member at fault, as a JSON pointer within what is checked. */
export type Report = (path: string, problem: string) => void;

const LATENCY_FORMS = [
  { required: ['min', 'max'], optional: [] },
  { required: ['mean', 'deviation'], optional: ['min', 'max'] },
  { required: ['median', 'sigma'], optional: ['max'] },
] as const;

export function checkLatency(latency: Latency, report: Report): void {
  if (typeof latency === 'number') return;
  if (!LATENCY_FORMS.some((form) => hasForm(latency, form))) {
    return report('', `expected a number, ${LATENCY_WORDS}; got {${Object.keys(latency).join(', ')}}`);
  }
  const { min = 0, max = Infinity } = latency as { min?: number; max?: number };
  if (min > max) report('', 'min is above max');
}

const LATENCY_WORDS = '{min, max}, {mean, deviation, min?, max?} or {median, sigma, max?}';

function hasForm(given: object, form: { required: readonly string[]; optional: readonly string[] }): boolean {
  const names = Object.keys(given);
  return (
    form.required.every((name) => names.includes(name)) &&
    names.every((name) => form.required.includes(name) || form.optional.includes(name))
  );
}

/** Members that only one kind has. */
const MEMBERS_OF: Readonly<Partial<Record<keyof Fault, Fault['kind']>>> = {
  status: 'status',
  body: 'status',
  retryAfter: 'status',
  bytes: 'truncated',
  ms: 'hang',
  events: 'events',
  code: 'ended',
};

/** Kinds that may strike in the midst of a stream. */
const IN_STREAMS: readonly Fault['kind'][] = ['truncated', 'ended', 'hang', 'events'];

/** Whether it strikes in the midst of a stream, of a response that has one. */
export function isInStream({ kind, afterEvents }: Fault): boolean {
  return IN_STREAMS.includes(kind) && (kind !== 'hang' || afterEvents !== undefined);
}

/** Whether only a response with a stream can have it. */
export function needsStream({ kind, afterEvents }: Fault): boolean {
  return kind === 'ended' || kind === 'events' || afterEvents !== undefined;
}

function checkFault(fault: Fault, report: Report): void {
  for (const [member, kind] of Object.entries(MEMBERS_OF)) {
    if (Object.hasOwn(fault, member) && fault.kind !== kind) report(`/${member}`, `is only for the kind ${kind}`);
  }
  if (fault.afterEvents !== undefined && !IN_STREAMS.includes(fault.kind))
    report('/afterEvents', `is only for the kinds ${IN_STREAMS.join(', ')}`);
  if (fault.kind === 'events' && fault.events === undefined) report('/events', 'is required by the kind events');
  if (fault.kind === 'status' && fault.status === undefined) report('/status', 'is required by the kind status');
  if (fault.body !== undefined && isBodyless(fault.status))
    report('/body', `a response with the status ${fault.status} has no body`);
  if (fault.first !== undefined && fault.after !== undefined) report('/after', 'excludes first: remove one of them');
}

function isBodyless(status: number | undefined): boolean {
  return status === 204 || status === 304;
}

/** Kinds that break the body, and so need one. */
export const BODY_FAULTS: ReadonlySet<Fault['kind']> = new Set(['truncated', 'malformedChunk']);

/** Checks members of one response against each other. */
export function checkBehaviour({ status, fault, delivery, scenario }: MockResponse, report: Report): void {
  const hasNoBody = isBodyless(status);
  if (fault !== undefined) {
    checkFault(fault, (path, problem) => report(`/fault${path}`, problem));
    if (hasNoBody && BODY_FAULTS.has(fault.kind)) {
      report('/fault/kind', `${fault.kind} needs a body, and ${status} has none`);
    }
  }
  if (delivery !== undefined) {
    const problem = deliveryProblem(delivery);
    if (problem !== undefined) report('/delivery', problem);
    if (hasNoBody) report('/delivery', `needs a body, and a response with the status ${status} has none`);
    if (fault !== undefined && BODY_FAULTS.has(fault.kind))
      report('/delivery', `cannot be combined with the fault ${fault.kind}`);
  }
  checkSteps(scenario, (path, problem) => report(`/scenario${path}`, problem));
}

function deliveryProblem(delivery: Delivery): string | undefined {
  const names = Object.keys(delivery).toSorted().join();
  if (['chunks,overMs', 'bytesPerSecond', 'firstByteMs'].includes(names)) return undefined;
  return 'expected {chunks, overMs}, {bytesPerSecond} or {firstByteMs}';
}

export function stepsOf(scenario: MockResponse['scenario']): readonly ScenarioStep[] {
  if (scenario === undefined) return [];
  return Array.isArray(scenario) ? (scenario as readonly ScenarioStep[]) : [scenario as ScenarioStep];
}

/** The states in which a response with this step answers; undefined: in every one. */
export function requiredStates({ requires }: ScenarioStep): readonly string[] | undefined {
  return typeof requires === 'string' ? [requires] : requires;
}

/** By scenario, states in which a response may answer. */
export function statesFor({ scenario }: Pick<MockResponse, 'scenario'>): Record<string, string> {
  return Object.fromEntries(
    stepsOf(scenario).flatMap((step) => {
      const [state] = requiredStates(step) ?? [];
      return state === undefined ? [] : [[step.name, state]];
    }),
  );
}

/** Whether a response answers in some states alone. @param scenarios That there are. */
export function requiresState(
  { scenario }: Pick<MockResponse, 'scenario'>,
  scenarios: readonly { readonly name: string }[],
): boolean {
  const isKnown = (asked: string): boolean => scenarios.some(({ name }) => name === asked);
  return stepsOf(scenario).some((step) => requiredStates(step) !== undefined && isKnown(step.name));
}

function checkSteps(scenario: MockResponse['scenario'], report: Report): void {
  const names = new Set<string>();
  for (const [index, { name }] of stepsOf(scenario).entries()) {
    if (names.has(name)) report(`/${index}/name`, `${JSON.stringify(name)} is a duplicate`);
    names.add(name);
  }
}

export function checkSettings({ faults = [], rateLimit, scenarios = [] }: Partial<MockSettings>, report: Report): void {
  for (const [index, fault] of faults.entries()) {
    checkFault(fault, (path, why) => report(`/faults/${index}${path}`, why));
    if (fault.kind === 'ended' || fault.kind === 'events')
      report(`/faults/${index}/kind`, `${fault.kind} is only for streams: set it as the fault of a response`);
    else if (fault.afterEvents !== undefined)
      report(`/faults/${index}/afterEvents`, 'is only for streams: set it in the fault of a response');
  }
  if (rateLimit !== undefined) checkRateLimit(rateLimit, (path, problem) => report(`/rateLimit${path}`, problem));
  checkScenarios(scenarios, (path, problem) => report(`/scenarios${path}`, problem));
}

/** Its word counts small parts of a millisecond, and must not be far ahead: serving/shared/rate-limit.ts. */
function checkRateLimit({ requests, perMs, burst = requests, status, body }: RateLimit, report: Report): void {
  if (requests > perMs * 1_000) report('/requests', 'is more than 1,000 per millisecond, where a limit has no effect');
  if (body !== undefined && isBodyless(status)) report('/body', `${status} has none`);
  if (perMs * burst > requests * 86_400_000) report('/burst', 'takes more than a day to refill');
}

function checkScenarios(scenarios: readonly Scenario[], report: Report): void {
  const names = new Set<string>();
  for (const [index, { name, states, initial }] of scenarios.entries()) {
    if (names.has(name)) report(`/${index}/name`, `${JSON.stringify(name)} is a duplicate`);
    names.add(name);
    const twice = states.findIndex((state, at) => states.indexOf(state) < at);
    if (twice !== -1) report(`/${index}/states/${twice}`, `${JSON.stringify(states[twice])} is a duplicate`);
    if (initial !== undefined && !states.includes(initial)) {
      report(`/${index}/initial`, `is not one of the states ${states.join(', ')}`);
    }
  }
}
