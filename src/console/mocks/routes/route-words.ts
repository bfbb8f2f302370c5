/** Routes in words: choices with labels, and conditions as text. */
import { CERT_PROPERTIES, unrecordedReason } from '../../../model/mocks/definition/condition-kinds.ts';
import type { MockResponse, MockStream, Selection, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';
import { choices, labelOf, type Choices } from '../../parts/words.ts';
import type {
  MatchCondition,
  Condition,
  ConditionOperator,
  ConditionTarget,
} from '../../../model/mocks/definition/condition-schema.ts';

export const SELECTION_CHOICES = choices<Selection>({
  rules: 'first match by conditions',
  sequential: 'in sequence',
  random: 'random by weight',
  default: 'always the default',
});

export const TARGET_CHOICES: Choices<ConditionTarget> = choices<Exclude<ConditionTarget, 'global' | 'store'>>({
  query: 'query',
  header: 'header',
  body: 'body',
  message: 'WebSocket message',
  cookie: 'cookie',
  urlParam: 'path parameter',
  method: 'method',
  path: 'path',
  queryString: 'query string',
  requestNumber: 'request number',
  basicAuth: 'basic auth',
  jwt: 'JWT claim',
  clientIp: 'client IP',
  clientCert: 'client certificate',
  files: 'uploaded file',
  graphql: 'GraphQL',
  template: 'template',
});

/** Targets that a recorded request can be tested for. */
export const RECORDED_TARGET_CHOICES = TARGET_CHOICES.filter(([target]) => unrecordedReason(target) === undefined);

/** Label and placeholder of the property by target; by default the name of a parameter or header. */
export const PROPERTY_HINTS: Readonly<Partial<Record<ConditionTarget, readonly [label: string, placeholder: string]>>> =
  {
    body: ['Path in the body', 'whole body'],
    message: ['Path in the message', 'whole message'],
    basicAuth: ['Credential', 'username or password'],
    clientCert: ['Part of the certificate', 'cn'],
    jwt: ['Path in the claims', 'all claims'],
    files: ['Field and property', 'field.filename'],
    graphql: ['Part of the operation', 'operation'],
    template: ['Template', "{{concat (body 'a') method}}"],
  };

/** Suggestions for the property, by target. */
export const PROPERTY_SUGGESTIONS: Readonly<Partial<Record<ConditionTarget, readonly string[]>>> = {
  basicAuth: ['username', 'password'],
  clientCert: CERT_PROPERTIES,
  graphql: ['operation', 'type', 'field', 'variables.', 'argument.', 'query', 'hash', 'valid'],
};

export const OPERATOR_CHOICES = choices<ConditionOperator>({
  equals: 'equals',
  contains: 'contains',
  startsWith: 'starts with',
  endsWith: 'ends with',
  regex: 'matches regex',
  exists: 'exists',
  empty: 'is empty or missing',
  arrayIncludes: 'array includes',
  gt: '>',
  gte: '≥',
  lt: '<',
  lte: '≤',
  jsonSchema: 'matches JSON Schema',
  jsonEquals: 'equals JSON',
  jsonIncludes: 'includes JSON',
  only: 'has only',
  cidr: 'is in range',
  before: 'is before',
  after: 'is after',
  sameTime: 'is at the time',
  count: 'has so many values',
  bytes: 'equals bytes (base64)',
});

export const takesValue = (operator: ConditionOperator): boolean => operator !== 'exists' && operator !== 'empty';

const VALUE_CHARS_SHOWN = 40;

/** While typed as JSON, it may lack members that have defaults, and its value may be anything. */
interface TypedCondition extends Pick<MatchCondition, 'target' | 'operator'> {
  readonly property?: string;
  readonly value?: unknown;
  readonly invert?: boolean;
}

/** "query page equals 2" @param isWhole Without shortening. */
export function ruleText(rule: Condition, isWhole = false): string {
  if ('not' in rule) return `not (${ruleText(rule.not)})`;
  if ('all' in rule) return `(${rule.all.map((each) => ruleText(each)).join(' and ')})`;
  if ('any' in rule) return `(${rule.any.map((each) => ruleText(each)).join(' or ')})`;
  if ('anyPart' in rule) return `a part (${rule.anyPart.map((each) => ruleText(each)).join(' and ')})`;
  const { target, property = '', operator, value: given = '', invert = false } = rule as TypedCondition;
  const value = String(given);
  const isCut = !isWhole && value.length > VALUE_CHARS_SHOWN;
  const shown = isCut ? `${value.slice(0, VALUE_CHARS_SHOWN)}…` : value;
  return [
    target === 'urlParam' ? (isWhole ? 'path parameter' : '') : target,
    property,
    invert ? 'not' : '',
    labelOf(OPERATOR_CHOICES, operator) ?? operator,
    takesValue(operator) ? shown : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** When a response is sent: "when id equals 0, or 1 more". */
export function whenText(
  { rules, rulesOperator, default: isDefault, weight }: MockResponse,
  selection: Selection,
): string {
  if (selection === 'random') return `weight ${weight}`;
  if (selection === 'sequential') return '';
  const [first, ...others] = rules;
  if (selection === 'default' || first === undefined) return isDefault ? 'default' : '';
  const word = rulesOperator === 'AND' ? 'and' : 'or';
  const more = others.length === 0 ? '' : `, ${word} ${others.length} more`;
  return `when ${ruleText(first)}${more}`;
}

/** `even`: fixed, or uniform between two numbers. */
export type LatencyForm = 'even' | 'normal' | 'lognormal';

/** While edited, members may be texts, and so may a fixed latency. */
export function latencyForm(latency: Latency): LatencyForm {
  if (typeof latency !== 'object') return 'even';
  if ('mean' in latency) return 'normal';
  return 'median' in latency ? 'lognormal' : 'even';
}

export function latencyWords(latency: Latency): string {
  if (typeof latency !== 'object') return `${latency} ms`;
  if ('mean' in latency) {
    const { mean, deviation, min, max } = latency;
    return `normal, mean ${mean} ms, deviation ${deviation} ms${bound('least', min)}${bound('most', max)}`;
  }
  if ('median' in latency) {
    return `lognormal, median ${latency.median} ms, sigma ${latency.sigma}${bound('most', latency.max)}`;
  }
  return `${latency.min} to ${latency.max} ms`;
}

const bound = (side: 'least' | 'most', ms: number | undefined): string =>
  ms === undefined ? '' : `, at ${side} ${ms} ms`;

export const STREAM_FORMATS = choices<NonNullable<MockStream['format']>>({
  sse: 'server-sent events',
  ndjson: 'JSON lines',
  raw: 'raw bytes',
});

/** "after 20 to 60 ms, tick #3, for each of {{…}}: data" */
export function eventWords({ delay, event, id, forEach, comment, data }: StreamEvent): string {
  const words = [
    delay !== undefined && `after ${latencyWords(delay)}`,
    [event, id !== undefined && `#${id}`].filter(Boolean).join(' '),
    forEach !== undefined && `for each of ${forEach}`,
    comment !== undefined && `comment ${comment}`,
  ].filter(Boolean);
  return [words.join(', '), data].filter((part) => part !== undefined && part !== '').join(': ');
}
