/**
 * Parses the parts of a mock from request bodies, with their defaults, or refuses them. `DraftKind` lists the parts.
 *
 * Definitions are parsed by definition-payload.ts. Compiling conditions takes time: a megabyte of patterns blocked the event
 * loop for 43 seconds. So callers on the event loop must check `isHeavyDraft` first.
 */
import type { JsonObject } from '../../../base/json-object.ts';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { DETAILS_MAX, DRAFT_INSTRUCTIONS_INLINE_MAX, type Limits } from '../../../limits.ts';
import { refuseText, quoteValue, unknownMember } from '../../validate.ts';
import type { MockDefinition, MockResponse, MockRoute, MockSettings } from './definition.ts';
import { definitionParser } from './definition-payload.ts';
import { jsonPathInstructions } from '../../../languages/json-path.ts';
import { schemaInstructions } from '../../../languages/json-schema.ts';
import { estimatedSize } from '../../../languages/linear-pattern.ts';
import { CHOSEN_ID, CHOSEN_ID_FORM } from '../mock-id.ts';
import { mockSchema, versionSchema } from '../mock.ts';
import { sessionParser, type OverlayDraft, type SessionDraft } from '../sessions/session-payload.ts';

export interface MockName {
  readonly name: string;
  readonly description: string;
}

/** A new mock. */
export interface MockDraft extends MockName {
  /** The chosen id; generated when absent. */
  readonly id?: string | undefined;
  readonly start: boolean;
  readonly definition: MockDefinition;
}

/** The parts of a mock that have a request body of their own. */
export interface Drafts {
  readonly mock: MockDraft;
  readonly name: MockName;
  /** For a working copy: absent members stay as they are. */
  readonly definition: Partial<MockDefinition>;
  readonly route: MockRoute;
  readonly response: MockResponse;
  readonly session: SessionDraft;
  readonly overlay: OverlayDraft;
}

export type DraftKind = keyof Drafts;

/** One parser for each kind of draft. */
type MockParser = { readonly [Kind in DraftKind]: (body: JsonObject) => Drafts[Kind] | Refusal };

/** The context of a parser: plain data that can be sent to threads. */
export type PayloadLimits = Pick<Limits, 'nameCharsMax' | 'textCharsMax' | 'mocks'>;

export function mockParser(limits: PayloadLimits): MockParser {
  const parser = definitionParser(limits.mocks);
  const { definition, settings, routes, route, response } = parser;
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
      const { start = false, id } = body;
      if (typeof start !== 'boolean') {
        return refuse('mockPayloadInvalid', [
          { path: '/start', message: `expected a boolean, got ${quoteValue(start)}` },
        ]);
      }
      if (id !== undefined && !(typeof id === 'string' && CHOSEN_ID.test(id))) {
        return refuse('mockPayloadInvalid', [
          { path: '/id', message: `expected ${CHOSEN_ID_FORM}; got ${quoteValue(id)}` },
        ]);
      }
      const parsed = definition(body);
      return isRefusal(parsed) ? parsed : { id, ...named, start, definition: parsed };
    },
    definition: (body) => unknownIn(body, MEMBERS.definition) ?? partOf(body),
    route: (body) => route(body, ''),
    response: (body) => response(body, ''),
    ...sessionParser(parser, limits.mocks),
  };
}

/** Members that the server sets on a mock or a version; a client that sends back what it read has them in the body. */
const SERVERS_OWN = new Set([...Object.keys(mockSchema.properties), ...Object.keys(versionSchema.properties)]);
const MEMBERS = {
  mock: ['id', 'name', 'description', 'settings', 'routes', 'start'],
  name: ['name', 'description'],
  definition: ['settings', 'routes'],
} as const;

function unknownIn(body: JsonObject, known: readonly string[]): Refusal | undefined {
  const unknown = Object.keys(body).filter((name) => !known.includes(name) && !SERVERS_OWN.has(name));
  if (unknown.length === 0) return undefined;
  const isStaged = (name: string): boolean => MEMBERS.definition.includes(name as 'routes');
  const details = unknown.slice(0, DETAILS_MAX).map((name) => ({
    path: `/${name}`,
    message: isStaged(name) ? 'is changed under /staged and served after a save' : unknownMember(known),
  }));
  return refuse('mockPayloadInvalid', details);
}

/**
 * Whether parsing it could block the event loop: judged by everything in it that looks like a pattern, a schema or a
 * JSONPath.
 */
export function isHeavyDraft(body: JsonObject): boolean {
  return instructionsIn(body, DRAFT_INSTRUCTIONS_INLINE_MAX) < 0;
}

/** @param left How many may be found. @returns How many are left; below 0 as soon as there are more. */
function instructionsIn(value: object, left: number): number {
  let remaining = left;
  const { operator, value: expected } = value as { operator?: unknown; value?: unknown };
  if (typeof expected === 'string') {
    if (operator === 'regex') remaining -= estimatedSize(expected);
    else if (operator === 'jsonSchema') remaining -= schemaInstructions(expected);
  }
  for (const item of Object.values(value)) {
    if (remaining < 0) return remaining;
    if (typeof item === 'object' && item !== null) remaining = instructionsIn(item, remaining);
    else if (typeof item === 'string' && item.includes('$')) remaining = jsonPathsIn(item, remaining);
  }
  return remaining;
}

/** Anything that looks like a JSONPath, as a condition's property or in a template. */
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
      return refuse('mockPayloadInvalid', [{ path: '/name', message: 'is required and must be a non-empty string' }]);
    }
    const text = description ?? '';
    if (typeof text !== 'string') {
      return refuse('mockPayloadInvalid', [
        { path: '/description', message: `expected a string, got ${quoteValue(text)}` },
      ]);
    }
    if (name.length > limits.nameCharsMax) {
      return refuseText('name', { path: '/name', message: `${limits.nameCharsMax} characters` });
    }
    if (text.length > limits.textCharsMax) {
      return refuseText('description', { path: '/description', message: `${limits.textCharsMax} characters` });
    }
    return { name, description: text };
  };
}
