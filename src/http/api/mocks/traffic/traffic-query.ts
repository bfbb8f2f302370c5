/** Reads the query of the list of recorded requests and of their stream. What does not fit is `badRequest`. */
import { isJsonProblem, parseStrictJson } from '../../../../base/strict-json.ts';
import { isRefusal, refuse, type Detail, type Refusal } from '../../../../errors.ts';
import { JSON_DEPTH_MAX, TRAFFIC_LIMIT_DEFAULT } from '../../../../limits.ts';
import { parametersIn, parseRecordedConditions } from '../../../../model/mocks/recorded-conditions.ts';
import {
  requestQuerySchema,
  sessionRequestQuerySchema,
  sessionStreamQuerySchema,
  streamQuerySchema,
} from '../../../../model/mocks/traffic-queries.ts';
import { type TrafficFilter } from '../../../../model/mocks/traffic.ts';
import { readDeclaredQuery, unexpected, type Given } from '../../declared-query.ts';
import { readHeader, readLimit, resumedAfter, type StreamPosition } from '../../journal/query.ts';
import type { Condition } from '../../../../model/mocks/definition/condition-schema.ts';

/** Which requests a reader wants, and how much of each. */
export type TrafficSelection = Omit<TrafficFilter, 'limit'>;

/** The same with its conditions as they were asked for, apart. */
interface ConditionInput {
  readonly rules: readonly Condition[];
}

/** Selects requests of a mock, or of one of its sessions. */
type Scope = 'mock' | 'session';

const READERS = { header: readHeader, query: readPairs, rules: readConditions };

export function parseRequestQuery(
  query: string,
  scope: Scope,
): (ConditionInput & { readonly filter: TrafficFilter; readonly format: string }) | Refusal {
  const schema = scope === 'mock' ? requestQuerySchema : sessionRequestQuerySchema;
  const readers = { ...READERS, limit: readLimit };
  const given = readDeclaredQuery(query, schema as typeof requestQuerySchema, readers);
  if (isRefusal(given)) return given;
  const { format = 'list', before, limit = TRAFFIC_LIMIT_DEFAULT, rules = [], ...filters } = given;
  if (format === 'har' && filters.fields === 'summary')
    return badRequest('fields', 'cannot be combined with har: an archive has every part of a request');
  const selection = selectionOf(filters);
  if (format === 'har' && selection.message !== undefined)
    return badRequest(
      'message',
      'cannot be combined with har: an archive has messages with the handshake of their socket',
    );
  return { filter: { ...selection, ...(before === undefined ? {} : { beforeNumber: before }), limit }, format, rules };
}

interface StreamQuery extends ConditionInput {
  readonly selection: TrafficSelection;
  readonly after: StreamPosition | undefined;
}

/** @param lastEventId The header of a client that connects again. */
export function parseStreamQuery(query: string, lastEventId: string | undefined, scope: Scope): StreamQuery | Refusal {
  const schema = scope === 'mock' ? streamQuerySchema : sessionStreamQuerySchema;
  const given = readDeclaredQuery(query, schema as typeof streamQuerySchema, READERS);
  if (isRefusal(given)) return given;
  const { after: asked, rules = [], ...filters } = given;
  const after = resumedAfter(asked, lastEventId);
  if (isRefusal(after)) return after;
  if (parametersIn(rules).size > 0) {
    const message =
      'a live stream cannot evaluate urlParam, because it also follows future versions: use path with a regex';
    return badRequest('rules', message);
  }
  return { selection: { message: 'also', ...selectionOf(filters) }, after, rules };
}

type Filters = Omit<Given<typeof streamQuerySchema, typeof READERS>, 'after' | 'rules'>;

function selectionOf({ header, fields, ...filters }: Filters): TrafficSelection {
  return {
    // Requests belong to no handshake.
    ...(filters.requestId === undefined ? {} : { message: 'any' }),
    ...filters,
    ...(header === undefined ? {} : { headers: header }),
    ...(fields === 'summary' ? { isSummary: true } : {}),
  };
}

function badRequest(path: string, message: string): Refusal {
  return refuse('badRequest', [{ path, message }]);
}

/** JSON text of an array. */
function readConditions(text: string, details: Detail[]): readonly Condition[] | undefined {
  const parsed = parseStrictJson(Buffer.from(text), JSON_DEPTH_MAX);
  if (isJsonProblem(parsed)) return void details.push(unexpected('rules', 'conditions as JSON text', text));
  const rules = parseRecordedConditions(parsed.value, '');
  if (!isRefusal(rules)) return rules;
  details.push(...(rules.details ?? []).map(({ path, message }) => ({ path: path.slice(1), message })));
  return undefined;
}

function readPairs(text: string, details: Detail[]): Readonly<Record<string, string>> {
  const query = Object.fromEntries(new URLSearchParams(text));
  if (Object.keys(query).length === 0) details.push(unexpected('query', 'parameters as in a query', text));
  return query;
}
