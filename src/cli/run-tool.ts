/** Runs a tool against a server, and prints its answer: lines for a person, or JSON. */
import { OperatorError } from '../base/operator-error.ts';
import type { JsonObject } from '../base/json-object.ts';
import { Api, type Carry } from '../mcp/api.ts';
import { ToolError } from '../mcp/tool-error.ts';
import { runTool as run } from '../mcp/tools/call-tool.ts';
import type { Tool } from '../mcp/tools/tool.ts';
import { asCommands } from './command-names.ts';
import { outlineLines } from './outline-lines.ts';
import { printable, say } from './print.ts';
import type { ServerOptions } from './server-options.ts';
import { withServer, readKey } from './with-server.ts';

/** Exit status of `verify` when it is not verified. */
const NOT_VERIFIED = 1;
const REFUSED = 2;

/** @throws OperatorError for what the server refuses; as JSON that is printed, with the same status. */
export async function runTool(tool: Tool, options: ServerOptions, input: JsonObject, asJson: boolean): Promise<void> {
  const caller = await withServer(options, (client) => client.me());
  const api = new Api(caller, carryTo(options.server, readKey(options.keyFile)));
  try {
    const { data } = await run(tool, api, input);
    say(asJson ? JSON.stringify(data, undefined, 2) : asCommands(outlineLines(data).map(printable).join('\n')));
    if ('verified' in data && data.verified === false) process.exitCode = NOT_VERIFIED;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (!asJson) throw new OperatorError(asCommands(printable(reasonOf(error))));
    say(asCommands(JSON.stringify(error.data, undefined, 2)));
    process.exitCode = REFUSED;
  }
}

function carryTo(server: string, key: string): Carry {
  return async ({ method, path, query, headers, body }) => {
    const url = `${server}${path}${query === '' ? '' : `?${query}`}`;
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, 'x-api-key': key },
        ...(body === undefined ? {} : { body: new Uint8Array(body) }),
      });
      return { status: response.status, headers: new Map(response.headers), body: await response.text() };
    } catch (error) {
      throw new OperatorError(`no answer of ${server}: ${(error as Error).message}`);
    }
  };
}

/** What is wrong where, what to do, and what it would do now. */
function reasonOf({ data }: ToolError): string {
  const { error, status: _status, details = [], todo, ...more } = data;
  const places = details.map(({ path, message }) => `${path} ${message}`.trim());
  return [error, ...places, todo, ...outlineLines(more)].join('; ');
}
