/** Reads the expectation of a verification, and refuses what no request, or no count of them, can meet. */
import type { Static } from 'typebox';
import { isRefusal, type Detail, type Refusal } from '../../../../errors.ts';
import { isObject } from '../../../../base/json-object.ts';
import { parseBody } from '../../../../model/json-body.ts';
import { parseRecordedConditions } from '../../../../model/mocks/recorded-conditions.ts';
import { callbackExpectationSchema, expectationSchema } from '../../../../model/mocks/verification.ts';
import { checkedReader } from '../../../checked-reader.ts';
import type { AnsweringRoutes } from './answering-routes.ts';
import type { Condition } from '../../../../model/mocks/definition/condition-schema.ts';

type ExpectationInput = Static<typeof expectationSchema>;

/** The parsed `match` of an expectation. */
export interface Match extends Omit<NonNullable<ExpectationInput['match']>, 'rules'> {
  /** Where it is in the expectation: "/match" or "/inOrder/2". */
  readonly at: string;
  readonly rules: readonly Condition[];
}

/** Whether it may be unknown of a request whether it matches: what was recorded of its body may not be enough. */
export function mayBeUnjudged({ rules, bodyContains }: Match): boolean {
  return rules.length > 0 || bodyContains !== undefined;
}

export interface Expectation extends Omit<ExpectationInput, 'match' | 'inOrder'> {
  readonly match: Match | undefined;
  readonly inOrder: readonly Match[];
}

/** An expectation of callbacks. */
export type CallbackExpectation = Static<typeof callbackExpectationSchema>;

const read = checkedReader(expectationSchema, 'mockPayloadInvalid');
const readOfCallbacks = checkedReader(callbackExpectationSchema, 'mockPayloadInvalid');

/** Members only for callbacks: without `kind` the refusal names `kind`. */
const OF_CALLBACKS: ReadonlySet<string> = new Set(['kind', 'name', 'url', 'state', 'attempts']);

export function isOfCallbacks(expectation: Expectation | CallbackExpectation): expectation is CallbackExpectation {
  return expectation.match !== undefined && 'kind' in expectation.match;
}

export function readExpectation(bytes: Buffer): Expectation | CallbackExpectation | Refusal {
  const body = parseBody(bytes, 'mockPayloadInvalid');
  if (!isRefusal(body) && isObject(body.match) && Object.keys(body.match).some((name) => OF_CALLBACKS.has(name)))
    return readOfCallbacks(bytes);
  const given = read(bytes);
  if (isRefusal(given)) return given;
  const match = given.match && readMatch(given.match, '/match');
  if (isRefusal(match)) return match;
  const inOrder: Match[] = [];
  for (const [index, each] of (given.inOrder ?? []).entries()) {
    const step = readMatch(each, `/inOrder/${index}`);
    if (isRefusal(step)) return step;
    inOrder.push(step);
  }
  return { ...given, match, inOrder };
}

function readMatch(given: NonNullable<ExpectationInput['match']>, at: string): Match | Refusal {
  const rules = given.rules === undefined ? [] : parseRecordedConditions(given.rules, at);
  if (isRefusal(rules)) return rules;
  // Requests belong to no handshake.
  const message = given.requestId === undefined ? {} : ({ message: given.message ?? 'any' } as const);
  return { ...given, ...message, at, rules };
}

/** Criteria that no request can meet, according to the versions that answered. */
export function impossibleIn({ at, path, routeId, responseId }: Match, routes: AnsweringRoutes): Detail[] {
  const details: Detail[] = [];
  if (path !== undefined && routes.withPattern(path).size === 0) {
    if (path.includes('?')) details.push({ path: `${at}/path`, message: 'must have no query: use `query`' });
    if (SPACE_OR_CONTROL.test(path)) {
      const message = 'must be percent-encoded as received, without spaces and control characters';
      details.push({ path: `${at}/path`, message });
    }
  }
  if (routeId !== undefined && !routes.mayHave(routeId, undefined)) {
    details.push({ path: `${at}/routeId`, message: NOT_THERE });
  } else if (responseId !== undefined && !routes.mayHave(routeId, responseId)) {
    const message = routeId === undefined ? NOT_THERE : `${NOT_THERE} of this route`;
    details.push({ path: `${at}/responseId`, message });
  }
  return details;
}

const NOT_THERE = 'is not in the saved version, nor in one that answered';

/** Characters below "!": uWebSockets.js answers 505 to a target with one. It accepts others, also above 0x7f. */
const SPACE_OR_CONTROL = /[^!-\uffff]/;
