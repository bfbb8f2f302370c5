/**
 * The table of what rules do: each rule with a request and what must come of it. The one adapter of its shape: to the
 * body of `POST /v1/rules/evaluate`, and from its answer.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PairObject } from '../../src/model/pairs/pair-kind.ts';
import type { RuleType } from '../../src/model/record-id.ts';
import type { Status } from '../../src/model/status.ts';

type Lines = readonly (readonly [name: string, value: string])[];

interface GivenResponse {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Lines;
  readonly body?: string;
}

export interface Vector {
  readonly id: string;
  readonly title: string;
  readonly groups?: readonly { readonly id: string; readonly status: Status }[];
  readonly rules: readonly (PairObject & {
    readonly id: string;
    readonly ruleType: RuleType;
    readonly groupId: string;
  })[];
  readonly request: { readonly method: string; readonly url: string; readonly headers: Lines; readonly body?: string };
  readonly upstream?: GivenResponse | { readonly failed: true };
  readonly expect: {
    readonly outcome: string;
    readonly applied: readonly string[];
    readonly skipped?: Readonly<Record<string, string>>;
    readonly location?: string;
    readonly delayMs?: number;
    readonly request?: GivenResponse;
    readonly response?: GivenResponse;
  };
}

const FIXTURE = join(import.meta.dirname, '../fixtures/gateway-vectors.json');
export const { vectors: VECTORS } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { vectors: readonly Vector[] };

export const isCode = ({ rules }: Vector): boolean => JSON.stringify(rules).includes('"type":"code"');

/** For `test.each`. */
export const NAMED = VECTORS.map((vector) => [`${vector.id} ${vector.title}`, vector] as const);

const typeOf = ({ rules, groups }: Vector): string => `${rules[0]?.ruleType} ${groups === undefined}`;

/**
 * The first of each rule type, and the first with groups: for surfaces over the same table, which is asked whole as a function and through
 * a gateway.
 */
export const ONE_OF_EACH = NAMED.filter(
  ([, vector], index) => NAMED.findIndex(([, other]) => typeOf(other) === typeOf(vector)) === index,
);

export interface VectorQuestion {
  readonly request: { readonly method: string; readonly url: string; readonly headers: Line[]; readonly body?: string };
  readonly response?: { status: number; headers: Line[]; body: string } | { failed: true };
}

interface Line {
  readonly name: string;
  readonly value: string;
}

/** The exchange, as a body of the API has it. */
export function questionOf({ request, upstream }: Vector): VectorQuestion {
  return {
    request: { ...request, headers: linesOf(request.headers) },
    ...(upstream === undefined ? {} : { response: upstreamOf(upstream) }),
  };
}

function upstreamOf(given: NonNullable<Vector['upstream']>) {
  if ('failed' in given) return { failed: true as const };
  return { status: given.status ?? 200, headers: linesOf(given.headers ?? []), body: given.body ?? '' };
}

function linesOf(headers: Lines): Line[] {
  return headers.map(([name, value]) => ({ name, value }));
}

/** The same with its rules as drafts. */
export function draftQuestionOf(vector: Vector) {
  return {
    ...questionOf(vector),
    rules: vector.rules,
    ...(vector.groups === undefined ? {} : { groups: vector.groups }),
  };
}

interface Message {
  readonly headers: readonly Line[];
  readonly body?: string | undefined;
}

/** What the function, the API and the client answer, as far as vectors look at it. */
export interface Answered {
  readonly outcome: string;
  readonly steps: readonly { readonly ruleId: string }[];
  readonly skipped: readonly { readonly ruleId: string; readonly reason: string }[];
  readonly location: string | null;
  readonly delayMs: number;
  readonly request: Message;
  readonly response: Message | null;
}

/** What must come of it; where code is off, that it is. The rules have the ids of the vector. */
export function expectVector(vector: Vector, evaluation: Answered, runsCode = false): void {
  if (isCode(vector) && !runsCode) return expectCodeOff(vector, evaluation);
  const { outcome, applied, skipped = {}, location, delayMs, request, response } = vector.expect;
  expect(evaluation.outcome).toBe(outcome);
  expect([...new Set(evaluation.steps.map(({ ruleId }) => ruleId))]).toEqual(applied);
  if (location !== undefined) expect(evaluation.location).toBe(location);
  if (delayMs !== undefined) expect(evaluation.delayMs).toBe(delayMs);
  if (request !== undefined) expect(shown(evaluation.request)).toMatchObject(request);
  if (response !== undefined) expect(evaluation.response && shown(evaluation.response)).toMatchObject(response);
  expect(reasonsOf(evaluation)).toMatchObject(skipped);
}

function expectCodeOff({ rules, request }: Vector, evaluation: Answered): void {
  expect(evaluation.steps).toEqual([]);
  expect(reasonsOf(evaluation)).toEqual({ [rules[0]?.id ?? '']: 'codeOff' });
  expect(evaluation.request.body).toBe(request.body);
}

function shown(message: Message) {
  return { ...message, headers: message.headers.map(({ name, value }) => [name, value]) };
}

function reasonsOf({ skipped }: Answered): Record<string, string> {
  return Object.fromEntries(skipped.map(({ ruleId, reason }) => [ruleId, reason]));
}
