/**
 * One request as conditions and templates read it: its query, headers, cookies, path parameters and body, each parsed on
 * first use and at most once.
 *
 * Also holds the work budget of the request (RULE_WORK_MAX), and the values that its conditions and templates have already
 * read.
 */
import { parseCookie } from 'cookie';
import { draws, type Random } from '../../../base/seeded-draw.ts';
import { RULE_WORK_MAX } from '../../../limits.ts';
import type { Clock } from '../compile/clock.ts';
import type { BodyReading } from '../../../model/mocks/definition/body-reading.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { decodedBodySync } from '../../../base/content-coding.ts';
import {
  declaresForm,
  decodePercent,
  objectOfForm,
  pairsOfForm,
  parseFiles,
  parseForm,
  parsePairs,
  parseParts,
  type FilePart,
  type Form,
} from '../../../languages/form.ts';
import { nestedFields } from '../../../languages/nested-fields.ts';
import { xmlValue } from '../../../languages/xml-value.ts';
import { decodeUtf8 } from '../../../languages/decode-utf8.ts';
import { readGraphql, type GraphqlRead } from './graphql-request.ts';
import {
  markLongNumbers,
  mayHaveLongNumbers,
  measureJson,
  parseJson,
  type JsonSize,
} from '../../../languages/json-text.ts';
import type { MockRequest } from './mock-request.ts';
import type { StoreTurn } from '../stores/store-turn.ts';
import type { ConditionOperator } from '../../../model/mocks/definition/condition-schema.ts';

/** The problem of a request whose conditions use up its budget. */
const TOO_MUCH_WORK = `the conditions of the route examine more than ${RULE_WORK_MAX} characters and values of this request`;

/** A malformed cookie stays as it is. The default decoder would throw for each of thousands. */
const COOKIE_OPTIONS = { decode: (text: string) => (text.includes('%') ? decodePercent(text) : text) };

function sizeOf(form: Form): JsonSize {
  let values = 1;
  for (const each of form.values()) values += 1 + each.length;
  return { values, knownNames: 0, newNames: form.size, work: 0 };
}

const NONE: readonly string[] = [];
const XML = /^\s*(?:text|application)\/(?:soap\+)?xml\b/i;

/**
 * Work of a decoder, of a byte that it reads, and of one that it makes. In units of RULE_WORK_MAX. A hostile body has a table of codes in every
 * twenty bytes.
 */
const DECODE_WORK = 20_000;
const CODED_BYTE_WORK = 20;
const DECODED_BYTE_WORK = 3;

/** Work of testing a part, besides its conditions. In units of RULE_WORK_MAX. */
const PART_WORK = 100;

interface WithParams {
  readonly params: readonly (string | undefined)[];
}

const NO_PARAMS: WithParams = { params: [] };

export class RequestView implements WorkBudget {
  request: MockRequest;
  /**
   * Names of the path's parameters. `#params` has their decoded values in the same order, fewer when an optional one is
   * absent.
   */
  readonly #names: readonly string[];
  readonly #found: WithParams;
  #params: readonly (string | undefined)[] | undefined;
  /** The number of this request among those of its route, from 1; 0 when the route does not use it. */
  readonly requestNumber: number;
  /** Decides its draws; null: chance does. */
  readonly seed: number | null;
  /** Milliseconds since 1970, by the mock's clock. */
  now: Clock = Date.now;
  work = RULE_WORK_MAX;
  #problem: string | undefined;
  texts: Map<object, string> | undefined;
  names: Map<object, readonly string[]> | undefined;
  /** The values of targets that several conditions or templates share, by index: condition-target.ts. */
  sharedValues: (readonly unknown[])[] | undefined;
  /** Undefined where the route uses none. */
  stores: StoreTurn | undefined;

  #query: readonly string[] | undefined;
  #cookies: Readonly<Record<string, string | undefined>> | undefined;
  #body: Buffer | undefined;
  #bodyText: string | undefined;
  #json: { readonly value: unknown } | undefined | null = null;
  #form: Form | undefined | null = null;
  #formObject: object | undefined;
  #nestedForm: object | undefined | null = null;
  #queryObject: object | undefined;
  #xml: { readonly value: unknown } | undefined | null = null;
  #files: readonly FilePart[] | undefined;
  #parts: readonly RequestView[] | undefined;
  #jsonSize: JsonSize | undefined;
  #exactJson: { readonly value: unknown } | undefined;
  #graphql: { readonly read: GraphqlRead | undefined } | undefined;

  constructor(
    request: MockRequest,
    names: readonly string[],
    found: WithParams,
    requestNumber: number,
    seed: number | null = null,
  ) {
    this.request = request;
    this.#names = names;
    this.#found = found;
    this.requestNumber = requestNumber;
    this.seed = seed;
  }

  /**
   * Draws for one purpose: with a seed the same for the same number of a request.
   *
   * @param stream From `streamOf` with method and path of the route, and the purpose.
   */
  random(stream: number): Random {
    return this.seed === null ? Math.random : draws(this.seed, stream, this.requestNumber);
  }

  /** A condition that cannot be evaluated decides nothing: the route answers 500. */
  fail(problem: string): void {
    this.#problem ??= problem;
    this.work = -1;
  }

  /** Why the conditions were not evaluated to their end. */
  get problem(): string {
    return this.#problem ?? TOO_MUCH_WORK;
  }

  urlParam(name: string): string | undefined {
    const index = this.#names.indexOf(name);
    if (index === -1) return undefined;
    this.#params ??= this.#found.params;
    return this.#params[index];
  }

  /** Decoded names and values of the path's parameters, alternating, without those that are absent. */
  paramPairs(): string[] {
    this.#params ??= this.#found.params;
    const values = this.#params;
    return this.#names.flatMap((name, index) => {
      const value = values[index];
      return value === undefined ? [] : [name, value];
    });
  }

  /** Decoded names and values of the query parameters, alternating, in the order received. */
  queryPairs(): readonly string[] {
    if (this.request.query === '') return NONE;
    this.#query ??= parsePairs(this.request.query, this);
    this.work -= this.#query.length;
    return this.#query;
  }

  /** Decoded values of a query parameter, in the order received. */
  queryValues(name: string): string[] {
    return valuesOf(this.queryPairs(), name);
  }

  /** Decoded names of all query parameters. */
  queryNames(): string[] {
    return this.queryPairs().filter((_, index) => index % 2 === 0);
  }

  /** The files of a multipart body. */
  get files(): readonly FilePart[] {
    this.#files ??= parseFiles(this.#contentType, this.body, this);
    return this.#files;
  }

  /** The parts of a multipart body, each as a request of its own with its headers and content. */
  get parts(): readonly RequestView[] {
    this.#parts ??= parseParts(this.#contentType, this.body, this).map(({ headers, content }) => {
      const request = { ...this.request, headers, body: content };
      const part = new RequestView(request, [], NO_PARAMS, this.requestNumber, this.seed);
      part.now = this.now;
      return part;
    });
    return this.#parts;
  }

  /** Whether a test holds for some part. It takes from the budget of the request. */
  somePart(holds: (part: RequestView) => boolean): boolean {
    for (const part of this.parts) {
      part.work = this.work - PART_WORK;
      const isHeld = holds(part);
      this.work = part.work;
      if (isHeld || this.work < 0) return isHeld && this.work >= 0;
    }
    return false;
  }

  /** @param name In lower case. */
  headerValues(name: string): string[] {
    return valuesOf(this.request.headers, name);
  }

  /** The first value; undefined without one. @param name In lower case. */
  header(name: string): string | undefined {
    return firstOf(this.request.headers, name);
  }

  cookie(name: string): string | undefined {
    const cookies = this.#readCookies();
    return Object.hasOwn(cookies, name) ? cookies[name] : undefined;
  }

  /** Decoded names and values of the cookies, alternating. */
  cookiePairs(): string[] {
    return Object.entries(this.#readCookies()).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  }

  #readCookies(): Readonly<Record<string, string | undefined>> {
    return (this.#cookies ??= parseCookie(this.headerValues('cookie').join('; '), COOKIE_OPTIONS));
  }

  /** For what is rendered when the memory of the body that was received is used again. @param body A copy of it. */
  keepBody(body: Buffer | undefined): void {
    this.request = { ...this.request, body };
  }

  /** "" when it is absent. Bytes that are not UTF-8 become U+FFFD. */
  get bodyText(): string {
    if (this.#bodyText === undefined) {
      const { body } = this;
      this.#bodyText = body === undefined ? '' : decodeUtf8(body, this);
    }
    return this.#bodyText;
  }

  /**
   * The body as JSON; undefined when it is not JSON. A body declared as a form counts only as an object or an array:
   * `42` is a field there.
   */
  get json(): { readonly value: unknown } | undefined {
    if (this.#json === null) {
      const mayBeJson = !declaresForm(this.#contentType) || startsLikeJson(this.body);
      this.#json = mayBeJson ? parseJson(this.bodyText, this) : undefined;
    }
    return this.#json;
  }

  /** The body as JSON of whose numbers no digit is lost (json-text.ts): `json` itself for most bodies. Only when that is defined. */
  get exactJson(): unknown {
    if (this.#exactJson === undefined) {
      const { json, bodyText } = this;
      this.#exactJson = mayHaveLongNumbers(bodyText, this)
        ? (parseJson(markLongNumbers(bodyText, this), this) ?? json)
        : json;
    }
    return this.#exactJson?.value;
  }

  /** The body as an operator compares it: by all digits of its numbers, but for a schema, which asks for numbers. */
  jsonFor(operator: ConditionOperator): unknown {
    return operator === 'jsonSchema' ? this.json?.value : this.exactJson;
  }

  /** The body without its content coding: as it was sent where it cannot be decoded. */
  get body(): Buffer | undefined {
    const { body } = this.request;
    if (body === undefined || body.length === 0) return body;
    if (this.#body === undefined) {
      const coding = this.header('content-encoding');
      this.#body = coding === undefined ? body : this.#decoded(body, coding);
    }
    return this.#body;
  }

  #decoded(body: Buffer, coding: string): Buffer {
    if (!take(this, DECODE_WORK + CODED_BYTE_WORK * body.length)) return body;
    const decoded = decodedBodySync(body, coding, Math.trunc(this.work / DECODED_BYTE_WORK));
    if (decoded === 'undecodable') return body;
    // What is larger takes more work than a request may.
    this.work = decoded === 'tooLarge' ? -1 : this.work - DECODED_BYTE_WORK * decoded.length;
    return decoded === 'tooLarge' ? body : decoded;
  }

  /** The counts of `json`, or of `formObject`. */
  get jsonSize(): JsonSize {
    this.#jsonSize ??= this.form === undefined ? measureJson(this.bodyText, this) : sizeOf(this.form);
    // Nested too deeply to be measured: as many values as it has characters.
    this.#jsonSize ??= { values: this.bodyText.length, knownNames: 0, newNames: 0, work: 0 };
    return this.#jsonSize;
  }

  /** The fields of a body declared as a form, unless it is JSON: `curl -d '{…}'` declares a form too. */
  get form(): Form | undefined {
    if (this.#form === null) {
      const isForm = declaresForm(this.#contentType) && this.json === undefined;
      this.#form = isForm ? parseForm(this.#contentType, this.body, this) : undefined;
    }
    return this.#form;
  }

  /** The form in which conditions and templates read the body; null when reading it takes more work than a request may. */
  get bodyReadAs(): BodyReading | null {
    const isEmpty = this.bodyText === '';
    const isJson = !isEmpty && this.json !== undefined;
    if (this.work < 0) return null;
    if (isEmpty) return 'none';
    if (isJson) return 'json';
    return declaresForm(this.#contentType) ? 'form' : 'text';
  }

  /** The GraphQL request; undefined for any other request. */
  get graphql(): GraphqlRead | undefined {
    this.#graphql ??= { read: readGraphql(this) };
    return this.#graphql.read;
  }

  get #contentType(): string {
    return this.header('content-type') ?? '';
  }

  /** The fields as a JSON object: a repeated field is an array. */
  get formObject(): object | undefined {
    const { form } = this;
    if (form === undefined) return undefined;
    this.#formObject ??= objectOfForm(form, this);
    return this.#formObject;
  }

  /** The same with names in brackets as objects and lists; undefined where there are none. */
  get nestedForm(): object | undefined {
    const { form } = this;
    if (form === undefined || this.work < 0) return undefined;
    if (this.#nestedForm === null) {
      const isNested = [...form.keys()].some((name) => name.endsWith(']'));
      this.#nestedForm = isNested ? nestedFields(pairsOfForm(form), this) : undefined;
    }
    return this.#nestedForm;
  }

  /** A body declared as XML, as an object; undefined for any other. */
  get xml(): { readonly value: unknown } | undefined {
    if (this.#xml === null) {
      const isXml = XML.test(this.#contentType) && this.json === undefined;
      this.#xml = isXml ? xmlValue(this.bodyText, this) : undefined;
    }
    return this.#xml;
  }

  /** The query as such an object. */
  get queryObject(): object {
    this.#queryObject ??= nestedFields(this.queryPairs(), this);
    return this.#queryObject;
  }
}

/** The body may be an object or an array. Forms rarely start like one, so they need not be parsed as JSON. */
function startsLikeJson(body: Buffer | undefined): boolean {
  if (body === undefined) return false;
  let at = 0;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at++;
  return body[at] === 0x7b || body[at] === 0x5b;
}

/** @param pairs Names and values, alternating. */
export function valuesOf(pairs: readonly string[], name: string): string[] {
  let values: string[] | undefined;
  for (let at = 0; at < pairs.length; at += 2) {
    if (pairs[at] !== name) continue;
    // As in parsePairs: there is usually one.
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
