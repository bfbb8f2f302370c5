/**
 * GraphQL request in a request: docs/mocks-matching.md, "GraphQL". It is read from a body of JSON, `application/graphql` or the part
 * `operations` of a form, and without a body from the parameters of the URL.
 */
import { isObject } from '../../../base/json-object.ts';
import { parseGraphql, withDefaults, type GraphqlField, type GraphqlVariables } from '../../../languages/graphql.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { GRAPHQL_CHARS_MAX } from '../../../limits.ts';
import type { GraphqlReading } from '../../../model/mocks/definition/body-reading.ts';
import { essenceOf } from '../../../base/content-type.ts';
import type { Form } from '../../../languages/form.ts';
import { parseExactJson, parseJson } from '../../../languages/json-text.ts';
import type { MockRequest } from './mock-request.ts';

export interface GraphqlRead {
  readonly from: GraphqlReading['from'];
  /** Requests in the batch, of which this is the first; undefined for a single one. */
  readonly batch: number | undefined;
  /** The document in its normal form, or as it was sent where it has no tokens; undefined for a persisted query alone. */
  readonly query: string | undefined;
  /** By which the service knows a persisted query. */
  readonly hash: string | undefined;
  readonly operation: string | undefined;
  readonly type: string | undefined;
  readonly fields: readonly GraphqlField[];
  /** Why the document says no operation. */
  readonly problem: string | undefined;
  /** With the defaults of the operation. */
  readonly variables: GraphqlVariables | undefined;
  /** The same, with whole numbers of more digits than a double keeps as strings. */
  readonly exactVariables: () => GraphqlVariables | undefined;
}

/** A request as RequestView reads it. */
interface ReadRequest extends WorkBudget {
  readonly request: MockRequest;
  readonly bodyText: string;
  readonly json: { readonly value: unknown } | undefined;
  readonly exactJson: unknown;
  readonly form: Form | undefined;
  header(name: string): string | undefined;
  queryValues(name: string): string[];
}

/** The members of a request, of which nothing is known. */
interface Carried {
  readonly from: GraphqlReading['from'];
  readonly members: Readonly<Record<string, unknown>>;
  readonly exactVariables: () => unknown;
  readonly batch?: number;
}

/** Work of a character that is parsed: most for short tokens, and for text blocks of short lines. In units of RULE_WORK_MAX. */
const PARSE_WORK_PER_CHAR = 25;

/** @returns undefined for what is not GraphQL, or takes too much work. Never throws. */
export function readGraphql(view: ReadRequest): GraphqlRead | undefined {
  const carried = carriedIn(view);
  if (carried === undefined) return undefined;
  const { from, members, batch } = carried;
  const hash = hashIn(members);
  const name = textIn(members, 'operationName');
  const given = isObject(members['variables']) ? members['variables'] : undefined;
  const text = textIn(members, 'query');
  const read = {
    from,
    batch,
    hash,
    query: undefined,
    operation: name,
    type: undefined,
    fields: [],
    problem: undefined,
    variables: given,
    exactVariables: () => objectOf(carried.exactVariables()),
  };
  if (text === undefined) return hash === undefined ? undefined : read;
  if (text.length <= GRAPHQL_CHARS_MAX && !take(view, text.length * PARSE_WORK_PER_CHAR)) return undefined;
  const { normal: query, operation, fields, problem } = parseGraphql(text, name);
  if (operation === undefined) return { ...read, query, operation: undefined, problem };
  return {
    ...read,
    query,
    operation: operation.name?.value,
    type: operation.operation,
    fields,
    variables: withDefaults(operation, given),
    exactVariables: () => withDefaults(operation, read.exactVariables()),
  };
}

function carriedIn(view: ReadRequest): Carried | undefined {
  const { body } = view.request;
  if (body === undefined || body.length === 0) return inUrl(view, 'url', view.queryValues('query')[0]);
  if (essenceOf(view.header('content-type') ?? '') === 'application/graphql')
    return inUrl(view, 'graphql', view.bodyText);
  const operations = view.form?.get('operations')?.[0];
  if (operations === undefined) return inJson('json', view.json?.value, () => view.exactJson);
  return inJson('multipart', parseJson(operations, view)?.value, () => exactly(operations, view));
}

function inJson(from: GraphqlReading['from'], sent: unknown, exact: () => unknown): Carried | undefined {
  const isBatch = Array.isArray(sent);
  const first = (value: unknown): unknown => (isBatch && Array.isArray(value) ? value[0] : value);
  const members = objectOf(first(sent));
  if (members === undefined) return undefined;
  const exactVariables = (): unknown => objectOf(first(exact()))?.['variables'];
  return { from, members, exactVariables, ...(isBatch ? { batch: sent.length } : {}) };
}

function inUrl(view: ReadRequest, from: GraphqlReading['from'], query: string | undefined): Carried {
  const textOf = (name: string): string | undefined => view.queryValues(name)[0];
  const variables = textOf('variables') ?? '';
  const members = {
    query,
    operationName: textOf('operationName'),
    documentId: textOf('documentId'),
    variables: parseJson(variables, view)?.value,
    extensions: parseJson(textOf('extensions') ?? '', view)?.value,
  };
  return { from, members, exactVariables: () => exactly(variables, view) };
}

function exactly(text: string, budget: WorkBudget): unknown {
  return parseExactJson(text, budget)?.value;
}

/** The hash of an automatic persisted query, or the id of a persisted document. */
function hashIn(members: Carried['members']): string | undefined {
  const persisted = objectOf(objectOf(members['extensions'])?.['persistedQuery']);
  return textIn(persisted ?? {}, 'sha256Hash') ?? textIn(members, 'documentId');
}

function textIn(members: Carried['members'], name: string): string | undefined {
  const value = members[name];
  return typeof value === 'string' ? value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isObject(value) ? value : undefined;
}
