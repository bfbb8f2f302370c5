/**
 * Cross-origin requests: which pages may read answers, and the answer to a preflight.
 *
 * Any origin is allowed by default: the key, not the origin, is the credential, and no cookie is involved.
 */

/** `authorization` and those of the Model Context Protocol: for its clients in browsers. */
const ALLOWED_HEADERS =
  'x-api-key, content-type, if-match, if-none-match, idempotency-key, last-event-id, x-request-id, ' +
  'authorization, mcp-protocol-version, mcp-method, mcp-name';
const EXPOSED_HEADERS = 'etag, retry-after, x-request-id, x-switchyard-fidelity, content-disposition';
const PREFLIGHT_SECONDS = 600;

export class Cors {
  readonly #any: boolean;
  readonly #origins: ReadonlySet<string>;

  /** @param origins Allowed origins, such as "https://app.example"; "*" for any. */
  constructor(origins: readonly string[]) {
    this.#any = origins.includes('*');
    this.#origins = new Set(origins);
  }

  /** Header lines, each with CRLF before it, for the answer to a page of this origin, or to a request without one. */
  headers(origin: string | undefined): string {
    if (this.#any && origin === undefined) return '';
    if (this.#any) return `\r\naccess-control-allow-origin: *\r\naccess-control-expose-headers: ${EXPOSED_HEADERS}`;
    // Also for requests without an origin: otherwise a cache could give a page the answer to another.
    if (origin === undefined || !this.#origins.has(origin)) return '\r\nvary: origin';
    return `\r\naccess-control-allow-origin: ${origin}\r\nvary: origin\r\naccess-control-expose-headers: ${EXPOSED_HEADERS}`;
  }

  /** Header lines for the answer to a preflight. */
  preflightHeaders(methods: string): string {
    return (
      `\r\naccess-control-allow-methods: ${methods}\r\naccess-control-allow-headers: ${ALLOWED_HEADERS}` +
      `\r\naccess-control-max-age: ${PREFLIGHT_SECONDS}`
    );
  }
}
