/**
 * What a client sends of a mock, part by part, as data with its defaults, or the refusal of it. Which part is which: `DraftKind`.
 *
 * Definitions themselves: definition-payload.ts. Compiling rules is what takes time: a megabyte of patterns held the event loop for 43
 * seconds. So whoever parses on the event loop asks `isHeavyDraft` before.
 */
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../errors.ts';
import { DETAILS_MAX, DRAFT_INSTRUCTIONS_INLINE_MAX, type Limits } from '../../limits.ts';
import { unknownMember } from '../validate.ts';
import type { MockDefinition, MockResponse, MockRoute, MockSettings } from './definition.ts';
import { definitionParser } from './definition-payload.ts';
import { jsonPathInstructions } from './json-path.ts';
import { schemaInstructions } from './json-schema.ts';
import { reckonedSize } from './linear-pattern.ts';
import { mockSchema, versionSchema } from './mock.ts';

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
  /** Of a working copy: what is absent stays as it is. */
  readonly definition: Partial<MockDefinition>;
  readonly route: MockRoute;
  readonly response: MockResponse;
}

export type DraftKind = keyof Drafts;

/** One parser for each kind of draft. */
export type MockParser = { readonly [Kind in DraftKind]: (body: JsonObject) => Drafts[Kind] | Refusal };

/** What a parser needs to know: plain data, which threads can be sent. */
export type PayloadLimits = Pick<Limits, 'nameCharsMax' | 'textCharsMax' | 'mocks'>;

export function mockParser(limits: PayloadLimits): MockParser {
  const { definition, settings, routes, route, response } = definitionParser(limits.mocks);
  const name = nameParser(limits);
  const partOf = (body: JsonObject): Partial<MockDefinition> | Refusal => {
    const part: { settings?: MockSettings; routes?: readonly MockRoute[] } = {};
    if (body.settings !== undefined) {
      const parsed = settings(body.settings, '/settings');
      if (isRefusal(parsed)) return parsed;
      part.settings = parsed;
    }
    if (body.routes !== undefined) {
      const parsed = routes(body.routes);
      if (isRefusal(parsed)) return parsed;
      part.routes = parsed;
    }
    return part;
  };
  return {
    name: (body) => unknownIn(body, MEMBERS.name) ?? name(body),
    mock(body) {
      const unknown = unknownIn(body, MEMBERS.mock);
      if (unknown !== undefined) return unknown;
      const named = name(body);
      if (isRefusal(named)) return named;
      const { start = false } = body;
      if (typeof start !== 'boolean') {
        return refuse('mockPayloadInvalid', [{ path: '/start', message: 'expected boolean' }]);
      }
      const parsed = definition(body);
      return isRefusal(parsed) ? parsed : { ...named, start, definition: parsed };
    },
    definition: (body) => unknownIn(body, MEMBERS.definition) ?? partOf(body),
    route: (body) => route(body, ''),
    response: (body) => response(body, ''),
  };
}

/** What the server says of a mock or a version, and whoever sends back what was read has in the body. */
const SERVERS_OWN = new Set([...Object.keys(mockSchema.properties), ...Object.keys(versionSchema.properties)]);
const MEMBERS = {
  mock: ['name', 'description', 'settings', 'routes', 'start'],
  name: ['name', 'description'],
  definition: ['settings', 'routes'],
} as const;

function unknownIn(body: JsonObject, known: readonly string[]): Refusal | undefined {
  const unknown = Object.keys(body).filter((name) => !known.includes(name) && !SERVERS_OWN.has(name));
  if (unknown.length === 0) return undefined;
  const isStaged = (name: string): boolean => MEMBERS.definition.includes(name as 'routes');
  const details = unknown.slice(0, DETAILS_MAX).map((name) => ({
    path: `/${name}`,
    message: isStaged(name) ? 'is changed below /staged, and served after a save' : unknownMember(known),
  }));
  return refuse('mockPayloadInvalid', details);
}

/** Whether parsing it would hold the event loop: by what looks like a pattern, a schema or a JSONPath, wherever it stands. */
export function isHeavyDraft(body: JsonObject): boolean {
  return instructionsIn(body, DRAFT_INSTRUCTIONS_INLINE_MAX) < 0;
}

/** @param left How many may be found. @returns How many are left; below 0 as soon as there are more. */
function instructionsIn(value: object, left: number): number {
  let remaining = left;
  const { operator, value: expected } = value as { operator?: unknown; value?: unknown };
  if (typeof expected === 'string') {
    if (operator === 'regex') remaining -= reckonedSize(expected);
    else if (operator === 'jsonSchema') remaining -= schemaInstructions(expected);
  }
  for (const item of Object.values(value)) {
    if (remaining < 0) return remaining;
    if (typeof item === 'object' && item !== null) remaining = instructionsIn(item, remaining);
    else if (typeof item === 'string' && item.includes('$')) remaining = jsonPathsIn(item, remaining);
  }
  return remaining;
}

/** What looks like a JSONPath, as a rule's property or in a template. */
const JSON_PATH = /^\$.*|'(\$[^']*)'|"(\$[^"]*)"/gs;

function jsonPathsIn(text: string, left: number): number {
  let remaining = left;
  for (const [whole, single, double] of text.matchAll(JSON_PATH)) {
    if (remaining < 0) break;
    remaining -= jsonPathInstructions(single ?? double ?? whole);
  }
  return remaining;
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
