/** JSON objects as `JSON.parse` returns them. A separate file, since the client's types import it and must not need Node.js. */
export type JsonObject = { [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
