/**
 * The declaration of an endpoint: its method and path, who may use it, its documentation, its body, and its handler.
 *
 * Files of the API declare operations (api/operation.ts), of which endpoints are made. run-endpoint.ts receives and reads the body before it calls
 * `handle`.
 */
import type { TObject, TSchema } from 'typebox';
import type { JsonObject } from '../base/json-object.ts';
import type { Detail, Refusal, RefusalKind } from '../errors.ts';
import type { KeyAccess, Principal } from '../model/principal.ts';
import type { Call } from './call.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `public` needs no key; `write` is for writes, and for reads of editors only. */
type Access = 'public' | KeyAccess;

/** @typeParam Value The body as `handle` gets it. */
export interface Endpoint<Value = unknown> {
  readonly method: Method;
  /** Segments that start with ":" are parameters: "/v1/rules/:ruleId". "*" at the end takes the rest of any length, as the last parameter. */
  readonly path: string;
  readonly access: Access;
  /** Absent for routes outside the API, such as the pages of its documentation. */
  readonly doc?: EndpointDoc;
  /** Asked again and again by balancers and the like: a request that finds all well is logged at `debug`. */
  readonly isProbe?: true;
  /** Answers while the service is overloaded. */
  readonly answersOverloaded?: true;
  /** Takes the key as `Authorization: Bearer`, too, as clients of the protocol that it speaks send it. */
  readonly takesBearer?: true;
  /** Takes it as the password of `Authorization: Basic`, too. */
  readonly takesBasic?: true;
  /** Needs no key where the operator says so. */
  readonly mayBeOpen?: true;
  /** Who may call by the path alone; undefined where it names no secret, and the key counts. */
  readonly callerByPath?: (params: readonly string[]) => Principal | undefined;
  /** The body of refusals, where they have the form of another product. */
  readonly refusalBody?: (refusal: Refusal) => string;
  /** In a cluster, the home of the mock that is the path's first parameter answers, or that of the owner's gateway. */
  readonly atHomeOf?: 'mock' | 'gateway';
  /** Absent for an endpoint that does not read a body. */
  readonly body?: EndpointBody<Value>;
  /**
   * Answers the call, now or later.
   *
   * @param body The value of the body's `read`, or a refusal of the body: the command refuses with it after it knows
   *             that the addressed record exists (docs/api.md, "Order of checks"). undefined without a declared body.
   */
  handle(call: Call, body: Value | Refusal): void;
}

export interface EndpointBody<Value> {
  /** For OpenAPI. */
  readonly schema: TSchema;
  /** Valid bodies, by name. */
  readonly examples?: Readonly<Record<string, object>>;
  /** Larger bodies are refused as soon as they exceed this. */
  readonly bytesMax: number;
  /** The refusal of a body that is not a JSON object. */
  readonly invalid: RefusalKind;
  /** Whether it is a file of any media type, but for archives and compressed ones; else it is JSON. */
  readonly anyMediaType?: true;
  /** Whether a request may have none: `read` gets no bytes then. */
  readonly optional?: true;
  /**
   * Parses the bytes, which are only valid during the call. Returns a promise for work in the sandbox. Absent: the
   * value is the JSON object.
   */
  readonly read?: (bytes: Buffer, call: Call) => Value | Refusal | Promise<Value | Refusal>;
}

export interface EndpointDoc {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: TObject;
  /** Descriptions of path parameters, by name; `rest` is the text that "*" matches. */
  readonly params?: Readonly<Record<string, string>>;
  /** Answers and refusals have the shapes of this other product, and are not described. */
  readonly product?: string;
  /** Members of the envelope besides `success`. */
  readonly answer: TObject;
  /** An answer whose `data` is one object, but not a record: it is sent without an ETag. */
  readonly untagged?: true;
  /** An answer whose `data` is a list: it is sent with an ETag. */
  readonly tagged?: true;
  /** An answer without the envelope. */
  readonly contentType?: string;
  /** Request headers that this endpoint heeds. */
  readonly headers?: readonly ('If-Match' | 'If-None-Match' | 'Idempotency-Key' | 'Last-Event-ID')[];
  /** In addition to those of every endpoint with this access (openapi.ts). */
  readonly refusals: readonly RefusalKind[];
}

/** The mistake of a request without the file that its body must be. */
export const NO_FILE: Detail = { path: '', message: 'the body must be a file' };

/** Declares an endpoint; `handle` gets the type that its body's `read` returns. */
export function endpoint<Value = JsonObject>(declared: Endpoint<Value>): Endpoint {
  return declared;
}
