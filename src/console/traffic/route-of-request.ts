/** A staged route for a recorded request, with rules on parts of it. Pure. */
import type { RequestRecord, RouteInput } from '../../client/shapes.ts';

export interface RuleChoice {
  readonly target: 'query' | 'header';
  readonly property: string;
  readonly value: string;
}

/** What every client sends, or sends differently each time: no rule is offered for these. */
const COMMON = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'date',
  'transfer-encoding',
  'keep-alive',
  'cookie',
  'referer',
  'origin',
  'traceparent',
  'x-request-id',
]);

/** Beyond these, a rule is refused. */
const PROPERTY_CHARS_MAX = 1_000;
const VALUE_CHARS_MAX = 1_000;
const CHOICES_MAX = 40;

/** Of the query, then of the headers. */
export function ruleChoices({ query, headers }: Pick<RequestRecord, 'query' | 'headers'>): RuleChoice[] {
  const ofQuery = [...new URLSearchParams(query)].map(([property, value]) => ({
    target: 'query' as const,
    property,
    value,
  }));
  const ofHeaders = headers
    .filter(({ name, value }) => !COMMON.has(name) && !name.startsWith('sec-') && value !== '*/*')
    .map(({ name, value }) => ({ target: 'header' as const, property: name, value }));
  const fits = ({ property, value }: RuleChoice): boolean =>
    property !== '' && property.length <= PROPERTY_CHARS_MAX && value.length <= VALUE_CHARS_MAX;
  return [...ofQuery, ...ofHeaders].filter(fits).slice(0, CHOICES_MAX);
}

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];

/**
 * Answers 200 with `{}`. With rules, requests for which they do not hold get a 404: without a second response, the first would answer
 * these too.
 */
export function routeOf(method: string, path: string, rules: readonly RuleChoice[]): RouteInput {
  const found = {
    status: 200,
    headers: JSON_TYPE,
    body: '{}',
    rules: rules.map((rule) => ({ ...rule, operator: 'equals' as const })),
  };
  if (rules.length === 0) return { method, path, responses: [found] };
  const other = { status: 404, label: 'rules do not hold', headers: JSON_TYPE, body: '{}', default: true };
  return { method, path, responses: [found, other] };
}
