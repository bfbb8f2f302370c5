/** Runs a tool against a server, and prints its answer: lines for a person, or JSON. */
import { OperatorError } from '../base/operator-error.ts';
import type { JsonObject } from '../base/json-object.ts';
import { FIX_DETAILS, ToolError } from '../mcp/tool-error.ts';
import { runTool as run } from '../mcp/tools/call-tool.ts';
import { apiOf, type Tool } from '../mcp/tools/tool.ts';
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
  const { server, keyFile } = options;
  try {
    const { data } = await withServer(options, async (client) =>
      run(tool, apiOf(await client.me(), { apiUrl: `${server}/v1`, key: readKey(keyFile) }), input),
    );
    say(asJson ? JSON.stringify(data, undefined, 2) : asCommands(outlineLines(data).map(printable).join('\n')));
    if ('verified' in data && data.verified === false) process.exitCode = NOT_VERIFIED;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (!asJson) throw new OperatorError(asCommands(printable(reasonOf(error))));
    say(asCommands(JSON.stringify(error.data, undefined, 2)));
    process.exitCode = REFUSED;
  }
}

/** Names each problem with its place, the remedy, and what it would do now. */
function reasonOf({ data }: ToolError): string {
  const { error, status: _status, details = [], todo, ...more } = data;
  const places = details.map(({ path, message }) => `${path} ${message}`.trim());
  const advice = todo === FIX_DETAILS && places.length > 0 ? [] : [todo];
  return [error, ...places, ...advice, ...outlineLines(more)].join('; ');
}
