/**
 * A JSON object as `JSON.parse` returns it. A separate file, since the client's types import it and must not need
 * Node.js.
 */
export type JsonObject = { [key: string]: unknown };
