/** What an API file says about each of its endpoints: how it is reached, who may use it, how OpenAPI describes it, what it does. */
import type { TObject, TSchema } from 'typebox';
import type { RefusalKind } from '../errors.ts';
import type { Call } from './call.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** `public` needs no key, `read` any valid key, `write` a key of an editor, as do reads that are for editors alone. */
export type Access = 'public' | 'read' | 'write';

export interface Endpoint {
  readonly method: Method;
  /** Segments that start with ":" are parameters: "/v1/rules/:ruleId". */
  readonly path: string;
  readonly access: Access;
  /** Absent for what is no part of the API, such as the pages of its documentation. */
  readonly doc?: EndpointDoc;
  /** Answers while the service refuses for its load. */
  readonly answersOverloaded?: true;
  readonly handle: (call: Call) => void;
}

export interface EndpointDoc {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** Bodies that work as they stand, by what they show. */
  readonly examples?: Readonly<Record<string, object>>;
  /** What the envelope carries beside `success`. */
  readonly answer: TObject;
  /** Of an answer that is outside the envelope. */
  readonly contentType?: string;
  /** Request headers that mean something to this endpoint. */
  readonly headers?: readonly ('If-Match' | 'Idempotency-Key')[];
  /** Beyond those that every endpoint of its kind has. */
  readonly refusals: readonly RefusalKind[];
}
