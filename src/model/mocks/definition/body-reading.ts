/** How conditions and templates read a body, and a request to a GraphQL service. A file of its own: the data plane's main thread needs no schemas. */

export const BODY_READINGS = ['json', 'form', 'text', 'none'] as const;
export type BodyReading = (typeof BODY_READINGS)[number];

export const GRAPHQL_PLACES = ['json', 'graphql', 'multipart', 'url'] as const;

/** The GraphQL operation of a request. */
export interface GraphqlReading {
  /** Where it was read from: `graphql` is a body of the type `application/graphql`. */
  readonly from: (typeof GRAPHQL_PLACES)[number];
  /** Absent for an anonymous operation, and for a document with a `problem`. */
  readonly operation?: string;
  readonly type?: string;
  /** Top-level fields. */
  readonly fields?: readonly string[];
  /** With the defaults of the document, as JSON text. */
  readonly variables?: string;
  /** By which the service knows a persisted query. */
  readonly hash?: string;
  /** Requests in the batch, of which this is the first. */
  readonly batch?: number;
  /** Why the document is not valid. */
  readonly problem?: string;
}
