/**
 * What rules and templates see of one request: its query, headers, cookies, path parameters and body, each parsed at most once and only
 * when something asks.
 *
 * Also the budget of that request: what its rules may look at in all (RULE_WORK_MAX).
 */
import { parseCookie } from 'cookie';
import { RULE_WORK_MAX } from '../../limits.ts';
import type { WorkBudget } from '../../model/mocks/work-budget.ts';
import { parseForm, parsePairs, type Form } from './form.ts';
import type { MockRequest } from './mock-request.ts';

/** Why a request is not answered whose rules look at more of it than they may. */
export const TOO_MUCH_WORK = `the rules of the route look at more than ${RULE_WORK_MAX} characters and values of this request`;

interface WithParams {
  readonly params: readonly string[];
}

export class RequestView implements WorkBudget {
  readonly request: MockRequest;
  /** Names of the path's parameters and, in the same places, their decoded values; fewer when an optional one is absent. */
  readonly #names: readonly string[];
  readonly #found: WithParams;
  #params: readonly string[] | undefined;
  /** The number of this request among those of its route, from 1; 0 where nothing asks for it. */
  readonly requestNumber: number;
  work = RULE_WORK_MAX;

  #query: readonly string[] | undefined;
  #cookies: Readonly<Record<string, string | undefined>> | undefined;
  #bodyText: string | undefined;
  #json: { readonly value: unknown } | undefined | null = null;
  #form: Form | undefined | null = null;
  #formObject: object | undefined;
  #exactJson: { readonly value: unknown } | undefined;

  constructor(request: MockRequest, names: readonly string[], found: WithParams, requestNumber: number) {
    this.request = request;
    this.#names = names;
    this.#found = found;
    this.requestNumber = requestNumber;
  }

  urlParam(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index === -1) return undefined;
    this.#params ??= this.#found.params;
    return this.#params[index];
  }

  /** Decoded values of a query parameter, in the order received. */
  queryValues(name: string): string[] {
    if (this.request.query === '') return [];
    this.#query ??= parsePairs(this.request.query, this);
    return valuesOf(this.#query, name);
  }

  /** The first of them, undefined without any. */
  queryValue(name: string): string | undefined {
    if (this.request.query === '') return undefined;
    this.#query ??= parsePairs(this.request.query, this);
    return firstOf(this.#query, name);
  }

  /** @param name In lower case. */
  headerValues(name: string): string[] {
    return valuesOf(this.request.headers, name);
  }

  /** The first of them, undefined without any. @param name In lower case. */
  header(name: string): string | undefined {
    return firstOf(this.request.headers, name);
  }

  cookie(name: string): string | undefined {
    this.#cookies ??= parseCookie(this.headerValues('cookie').join('; '));
    return Object.hasOwn(this.#cookies, name) ? this.#cookies[name] : undefined;
  }

  /** "" when there is none. Bytes that are no UTF-8 read as U+FFFD. */
  get bodyText(): string {
    this.#bodyText ??= this.request.body?.toString('utf8') ?? '';
    return this.#bodyText;
  }

  /** The body as JSON; undefined when it is none, or declared a form. */
  get json(): { readonly value: unknown } | undefined {
    if (this.#json === null) this.#json = this.form === undefined ? parseJson(this.bodyText) : undefined;
    return this.#json;
  }

  /** The body as JSON in which whole numbers of more digits than a double keeps are strings. Only where `json` is there. */
  get exactJson(): unknown {
    if (this.#exactJson === undefined) {
      this.work -= this.bodyText.length;
      this.#exactJson = parseJson(this.bodyText.replace(LONG_NUMBER, quoteNumber)) ?? this.json;
    }
    return this.#exactJson?.value;
  }

  /** The fields of a body that is declared a form. */
  get form(): Form | undefined {
    if (this.#form === null) this.#form = parseForm(this.header('content-type') ?? '', this.request.body, this);
    return this.#form;
  }

  /** The fields as a JSON object has them: a repeated one as an array. */
  get formObject(): object | undefined {
    const { form } = this;
    if (form === undefined) return undefined;
    this.#formObject ??= Object.fromEntries(
      [...form].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
    );
    return this.#formObject;
  }
}

/** What is longer than this and nested more deeply is no JSON: 10 MB of "[" take JSON.parse more than a second. */
const JSON_CHARS_TRUSTED = 100_000;
const JSON_DEPTH_MAX = 1_000;

/** Strings, which are left as they are, and numbers, each whole: looked for in one pass. */
const LONG_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;

const WHOLE_NUMBER = /^-?\d+$/;
const EXACT_DIGITS = 15;

function quoteNumber(token: string): string {
  return token.length > EXACT_DIGITS && WHOLE_NUMBER.test(token) ? `"${token}"` : token;
}

export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (text === '' || (text.length > JSON_CHARS_TRUSTED && isTooDeep(text))) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5b || code === 0x7b) {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    else if (code === 0x22) at = endOfString(text, at);
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

/** @param pairs Names and values, alternating. */
function valuesOf(pairs: readonly string[], name: string): string[] {
  let values: string[] | undefined;
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at] !== name) continue;
    // As in parsePairs: there is mostly one.
    if (values === undefined) values = [pairs[at + 1] as string];
    else values.push(pairs[at + 1] as string);
  }
  return values ?? [];
}

/** @param pairs Names and values, alternating. */
function firstOf(pairs: readonly string[], name: string): string | undefined {
  for (let at = 0; at < pairs.length; at += 2) if (pairs[at] === name) return pairs[at + 1];
  return undefined;
}
