/** A JSON object as `JSON.parse` makes it. In a file of its own: the client's types reach it, and need nothing of Node.js. */
export type JsonObject = { [key: string]: unknown };
