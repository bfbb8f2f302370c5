/** What an API file says about each of its routes: how it is reached, who may use it, how OpenAPI describes it, what it does. */
import type { TObject, TSchema } from 'typebox';
import type { RefusalKind } from '../errors.ts';
import type { Call } from './call.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** `public` needs no key, `read` any valid key, `write` a key of an editor. */
export type Access = 'public' | 'read' | 'write';

export interface Route {
  readonly method: Method;
  /** Segments that start with ":" are parameters: "/v1/rules/:ruleId". */
  readonly path: string;
  readonly access: Access;
  /** Absent for routes that are no part of the API, such as the pages of its documentation. */
  readonly doc?: RouteDoc;
  readonly handle: (call: Call) => void;
}

export interface RouteDoc {
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: TObject;
  readonly body?: TSchema;
  /** What the envelope carries beside `success`. */
  readonly answer: TObject;
  /** Request headers that mean something to this route. */
  readonly headers?: readonly ('If-Match' | 'Idempotency-Key')[];
  /** Beyond those that every route of its kind has. */
  readonly refusals: readonly RefusalKind[];
}
