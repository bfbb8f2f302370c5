/** Reads the query of the list of recorded requests and of their stream. What does not fit is `badRequest`. */
import type { TObject } from 'typebox';
import { MESSAGE_CHOICES } from '../../../../model/mocks/sockets/message-record.ts';
import { STREAM_ENDS } from '../../../../model/mocks/streams/stream-record.ts';
import { isJsonProblem, parseStrictJson } from '../../../../base/strict-json.ts';
import { isRefusal, refuse, type Detail, type Refusal } from '../../../../errors.ts';
import { JSON_DEPTH_MAX, TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import { FAULT_KINDS, type Condition } from '../../../../model/mocks/definition/definition.ts';
import { parametersIn, parseRecordedConditions } from '../../../../model/mocks/recorded-conditions.ts';
import { TRACE_ID_PATTERN } from '../../../../model/mocks/trace.ts';
import {
  REQUEST_FIELDS,
  REQUEST_FORMATS,
  requestQuerySchema,
  sessionRequestQuerySchema,
  sessionStreamQuerySchema,
  streamQuerySchema,
} from '../../../../model/mocks/traffic-queries.ts';
import { type TrafficFilter } from '../../../../model/mocks/traffic.ts';
import { quoteValue } from '../../../../model/validate.ts';
import { onlyValue, queryInteger, unknownParameters } from '../../list-query.ts';

/** Which requests a reader wants, and how much of each. */
export type TrafficSelection = Omit<TrafficFilter, 'limit'>;

/** The same with its conditions as they were asked for, apart. */
interface ConditionInput {
  readonly rules: readonly Condition[];
}

/** Where a stream goes on. */
export interface StreamPosition {
  readonly number: number;
  /** The generation of the mock's record (`recordOf`) that the number belongs to; undefined for the present one. */
  readonly record: string | undefined;
  /** How many requests in scope had been sent or counted as dropped by then; undefined where it is not known. */
  readonly passed?: number;
}

/** Selects requests of a mock, or of one of its sessions. */
type Scope = 'mock' | 'session';

export function parseRequestQuery(
  query: string,
  scope: Scope,
): (ConditionInput & { readonly filter: TrafficFilter; readonly format: string }) | Refusal {
  const asked = new AskedTraffic(query, scope === 'mock' ? requestQuerySchema : sessionRequestQuerySchema);
  const format = asked.oneOf('format', REQUEST_FORMATS);
  const selection = asked.selection();
  if (format === 'har' && selection.isSummary === true)
    asked.blame('fields', 'cannot be combined with har: an archive has every part of a request');
  if (format === 'har' && selection.message !== undefined)
    asked.blame('message', 'cannot be combined with har: an archive has messages with the handshake of their socket');
  const beforeNumber = asked.integer('before', 1);
  const limit = asked.integer('limit', 1) ?? TRAFFIC_LIMIT_DEFAULT;
  const before = beforeNumber === undefined ? {} : { beforeNumber };
  const rules = asked.rules();
  const filter = { ...selection, ...before, limit: Math.min(limit, TRAFFIC_LIMIT_MAX) };
  return asked.refusal ?? { filter, format, rules };
}

interface StreamQuery extends ConditionInput {
  readonly selection: TrafficSelection;
  readonly after: StreamPosition | undefined;
}

/** @param lastEventId The header of a client that connects again: it knows more than the address that it had. */
export function parseStreamQuery(query: string, lastEventId: string | undefined, scope: Scope): StreamQuery | Refusal {
  const asked = new AskedTraffic(query, scope === 'mock' ? streamQuerySchema : sessionStreamQuerySchema);
  const selection: TrafficSelection = { message: 'also', ...asked.selection() };
  const after = asked.position(lastEventId);
  const rules = asked.rules();
  if (parametersIn(rules).size > 0) {
    asked.blame(
      'rules',
      'a live stream cannot evaluate urlParam, because it also follows future versions: use path with a regex',
    );
  }
  return asked.refusal ?? { selection, after, rules };
}

const TRACE_ID = new RegExp(TRACE_ID_PATTERN);

/** `number`, `number-record` or `number-record-passed`. */
const POSITION = /^(\d{1,15})(?:-(\w+-\d+)(?:-(\d{1,15}))?)?$/;

function positionOf(text: string): StreamPosition | undefined {
  const [, number, record, passed] = POSITION.exec(text) ?? [];
  if (number === undefined) return undefined;
  return { number: Number(number), record, ...(passed === undefined ? {} : { passed: Number(passed) }) };
}

/** The id of an event: where a stream goes on that is read again. */
export function eventIdOf(number: number, record: string, passed: number | undefined): string {
  return passed === undefined ? `${number}-${record}` : `${number}-${record}-${passed}`;
}

/** A query about what is recorded, parameter by parameter: what is wrong with it is gathered. */
export class AskedTraffic {
  readonly #given: URLSearchParams;
  readonly #details: Detail[];

  constructor(query: string, schema: TObject) {
    this.#given = new URLSearchParams(query);
    // A misspelt filter would list everything.
    this.#details = unknownParameters(this.#given, schema);
  }

  get refusal(): Refusal | undefined {
    return this.#details.length > 0 ? refuse('badRequest', this.#details) : undefined;
  }

  blame(path: string, message: string): void {
    this.#details.push({ path, message });
  }

  text(name: string): string | undefined {
    return onlyValue(this.#given, name, this.#details);
  }

  integer(name: string, least: number): number | undefined {
    return this.#given.has(name) ? queryInteger(this.#given, name, least, least, this.#details) : undefined;
  }

  /** The first when it is not given. */
  oneOf(name: string, values: readonly [string, ...string[]]): string {
    const value = this.text(name) ?? values[0];
    if (!values.includes(value)) this.blame(name, `expected one of ${values.join(', ')}; got ${quoteValue(value)}`);
    return value;
  }

  selection(): TrafficSelection {
    const selection = {
      session: this.text('session'),
      routeId: this.text('routeId'),
      responseId: this.text('responseId'),
      status: this.integer('status', 0),
      fault: this.#named('fault', FAULT_KINDS),
      ended: this.#named('ended', STREAM_ENDS),
      proxied: this.#flag('proxied'),
      message: this.#named('message', MESSAGE_CHOICES),
      requestId: this.text('requestId'),
      method: this.text('method'),
      path: this.text('path'),
      matched: this.#flag('matched'),
      since: this.integer('since', 0),
      q: this.text('q'),
      headers: this.#headers(),
      query: this.#query(),
      bodyContains: this.text('bodyContains'),
      trace: this.#trace(),
      isSummary: this.oneOf('fields', REQUEST_FIELDS) === 'summary' ? true : undefined,
    };
    // Requests belong to no handshake.
    if (selection.requestId !== undefined) selection.message ??= 'any';
    return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
  }

  /** Where a stream goes on. */
  position(lastEventId: string | undefined): StreamPosition | undefined {
    const text = this.text('after');
    const given = lastEventId ?? text;
    const after = given === undefined ? undefined : positionOf(given);
    if (given !== undefined && after === undefined) {
      const path = lastEventId === undefined ? 'after' : 'Last-Event-ID';
      this.blame(path, `expected the id of an event or of a request, got ${quoteValue(given)}`);
    }
    return after;
  }

  /** JSON text of an array. */
  rules(): readonly Condition[] {
    const text = this.text('rules');
    if (text === undefined) return [];
    const parsed = parseStrictJson(Buffer.from(text), JSON_DEPTH_MAX);
    if (isJsonProblem(parsed)) {
      this.blame('rules', `expected conditions as JSON text, got ${quoteValue(text)}`);
      return [];
    }
    const rules = parseRecordedConditions(parsed.value, '');
    if (!isRefusal(rules)) return rules;
    for (const { path, message } of rules.details ?? []) this.blame(path.slice(1), message);
    return [];
  }

  #named<Kind extends string>(name: string, kinds: readonly Kind[]): Kind | undefined {
    const text = this.text(name);
    const kind = kinds.find((each) => each === text);
    if (text !== undefined && kind === undefined)
      this.blame(name, `expected one of ${kinds.join(', ')}; got ${quoteValue(text)}`);
    return kind;
  }

  #trace(): string | undefined {
    const text = this.text('trace');
    if (text !== undefined && !TRACE_ID.test(text)) {
      this.blame('trace', `expected the id of a trace, 32 digits of lower-case hexadecimal; got ${quoteValue(text)}`);
    }
    return text;
  }

  #flag(name: 'matched' | 'proxied'): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== 'true' && text !== 'false') {
      this.blame(name, `expected true or false, got ${quoteValue(text)}`);
    }
    return text === undefined ? undefined : text === 'true';
  }

  /** A line each, as in a request. Of a name that is repeated the last counts. */
  #headers(): Record<string, string> | undefined {
    const text = this.text('header');
    if (text === undefined) return undefined;
    const lines = text.split('\n').map(headerOf);
    if (lines.includes(undefined)) this.blame('header', `expected lines of "name: value", got ${quoteValue(text)}`);
    return Object.fromEntries(lines.filter((line) => line !== undefined));
  }

  #query(): Record<string, string> | undefined {
    const text = this.text('query');
    if (text === undefined) return undefined;
    const query = Object.fromEntries(new URLSearchParams(text));
    if (Object.keys(query).length === 0)
      this.blame('query', `expected parameters as in a query, got ${quoteValue(text)}`);
    return query;
  }
}

/** Without a pattern for the whole line: one that leaves out the spaces on both ends takes seconds for a thousand. */
function headerOf(line: string): [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  return name === '' || /\s/.test(name) ? undefined : [name.toLowerCase(), line.slice(colon + 1).trim()];
}
