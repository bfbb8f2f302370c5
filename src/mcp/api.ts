/**
 * The API as tools use it: in the process of the server, or over HTTP from the command line. Both take the same requests
 * through the same steps.
 */
import type { JsonObject } from '../base/json-object.ts';
import type { Detail } from '../errors.ts';
import type { Principal } from '../model/principal.ts';
import { ToolError } from './tool-error.ts';

/** Carries one request to the API. Names of headers are in lower case. */
export type Carry = (request: {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}) => Promise<{ readonly status: number; readonly headers: ReadonlyMap<string, string>; readonly body: string }>;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

interface Options {
  readonly query?: Query;
  readonly ifMatch?: string | undefined;
  readonly body?: unknown;
  /** A file, instead of a JSON body. */
  readonly file?: string;
}

/** An answer of the API. `data` and the other members are as docs/api.md and the OpenAPI document say. */
export interface Answered<Data = JsonObject> {
  readonly data: Data;
  /** "" without one. */
  readonly etag: string;
  /** With further members, such as `total`. */
  readonly envelope: JsonObject;
}

export class Api {
  readonly caller: Omit<Principal, 'expiresAt'>;
  readonly #carry: Carry;

  constructor(caller: Omit<Principal, 'expiresAt'>, carry: Carry) {
    this.caller = caller;
    this.#carry = carry;
  }

  /** @param path Segments after `/v1`, as they are. @throws ToolError for what is refused. */
  get<Data = JsonObject>(path: readonly string[], query: Query = {}): Promise<Answered<Data>> {
    return this.send('GET', path, { query });
  }

  /** @throws ToolError for what is refused. */
  async send<Data = JsonObject>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: readonly string[],
    { query = {}, ifMatch, body, file }: Options = {},
  ): Promise<Answered<Data>> {
    const type = file === undefined ? 'application/json' : 'application/octet-stream';
    const sent = file ?? (body === undefined ? undefined : JSON.stringify(body));
    const answer = await this.#carry({
      method,
      path: `/v1/${path.map(segment).join('/')}`,
      query: queryText(query),
      headers: {
        ...(sent === undefined ? {} : { 'content-type': type }),
        ...(ifMatch === undefined || ifMatch === '' ? {} : { 'if-match': ifMatch }),
      },
      body: sent === undefined ? undefined : Buffer.from(sent),
    });
    const envelope = parsed(answer.body);
    if (answer.status >= 300) {
      const { message = 'no answer of the API', details = [] } = envelope as {
        message?: string;
        details?: readonly Detail[];
      };
      throw new ToolError(answer.status, message, details);
    }
    return { data: envelope['data'] as Data, etag: answer.headers.get('etag') ?? '', envelope };
  }
}

/** A path that a router takes for another, such as "..", cannot be an id. */
function segment(text: string): string {
  if (text === '' || /^\.{1,2}$/.test(text)) throw new ToolError(400, 'an id must not be empty', []);
  return encodeURIComponent(text);
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.toString();
}

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
