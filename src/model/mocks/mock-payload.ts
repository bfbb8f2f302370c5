/**
 * What a client sends of a mock, part by part, as data with its defaults, or the refusal of it. Which part is which: `DraftKind`.
 *
 * Definitions themselves: definition-payload.ts. Compiling rules is what takes time: a body of 10 MB of patterns compiled for 16
 * seconds. So whoever parses on the event loop asks `isHeavyDraft` before.
 */
import type { JsonObject } from '../../base/strict-json.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../errors.ts';
import { HEAVY_RULES_MAX, type Limits } from '../../limits.ts';
import type { MockDefinition, MockResponse, MockRoute, RuleOperator } from './definition.ts';
import { definitionParser } from './definition-payload.ts';
import { HEAVY_OPERATORS } from './operators.ts';

export interface MockName {
  readonly name: string;
  readonly description: string;
}

/** A new mock. */
export interface MockDraft extends MockName {
  readonly start: boolean;
  readonly definition: MockDefinition;
}

/** The parts of a mock that are sent as a body of their own. */
export interface Drafts {
  readonly mock: MockDraft;
  readonly name: MockName;
  readonly definition: MockDefinition;
  readonly route: MockRoute;
  readonly response: MockResponse;
}

export type DraftKind = keyof Drafts;

/** One parser for each kind of draft. */
export type MockParser = { readonly [Kind in DraftKind]: (body: JsonObject) => Drafts[Kind] | Refusal };

/** What a parser needs to know: plain data, which threads can be sent. */
export type PayloadLimits = Pick<Limits, 'nameCharsMax' | 'textCharsMax' | 'mocks'>;

export function mockParser(limits: PayloadLimits): MockParser {
  const { definition, route, response } = definitionParser(limits.mocks);
  const name = nameParser(limits);
  return {
    name,
    mock(body) {
      const named = name(body);
      if (isRefusal(named)) return named;
      const { start = false } = body;
      if (typeof start !== 'boolean') {
        return refuse('mockPayloadInvalid', [{ path: '/start', message: 'expected boolean' }]);
      }
      const parsed = definition(body);
      return isRefusal(parsed) ? parsed : { ...named, start, definition: parsed };
    },
    definition,
    route: (body) => route(body, ''),
    response: (body) => response(body, ''),
  };
}

/** Whether parsing it would hold the event loop: by the count of what looks like a pattern, a schema or a JSONPath. */
export function isHeavyDraft(body: JsonObject): boolean {
  return heavyRulesIn(body, HEAVY_RULES_MAX) < 0;
}

/** @param left How many may be found. @returns How many are left; below 0 as soon as there are more. */
function heavyRulesIn(value: object, left: number): number {
  let remaining = left;
  if (!Array.isArray(value)) {
    if (HEAVY_OPERATORS.has((value as { operator?: RuleOperator }).operator as RuleOperator)) remaining--;
  }
  for (const item of Object.values(value)) {
    if (remaining < 0) return remaining;
    if (typeof item === 'object' && item !== null) remaining = heavyRulesIn(item, remaining);
    else if (typeof item === 'string' && item.includes('$')) remaining -= jsonPathsIn(item, remaining);
  }
  return remaining;
}

const JSON_PATH = /(?:^|['"])\$/g;

/** What looks like one, as a rule's property or in a template. Stops behind `max`. */
function jsonPathsIn(text: string, max: number): number {
  let count = 0;
  for (const _ of text.matchAll(JSON_PATH)) if (++count > max) break;
  return count;
}

function nameParser(limits: PayloadLimits): (body: JsonObject) => MockName | Refusal {
  return ({ name, description }) => {
    if (typeof name !== 'string' || name === '') {
      return refuse('mockPayloadInvalid', [
        { path: '/name', message: 'is required and must be a string that is not empty' },
      ]);
    }
    const text = description ?? '';
    if (typeof text !== 'string') {
      return refuse('mockPayloadInvalid', [{ path: '/description', message: 'expected string' }]);
    }
    if (name.length > limits.nameCharsMax) return refuseLimit(`name of ${limits.nameCharsMax} characters`, '/name');
    if (text.length > limits.textCharsMax) {
      return refuseLimit(`description of ${limits.textCharsMax} characters`, '/description');
    }
    return { name, description: text };
  };
}
