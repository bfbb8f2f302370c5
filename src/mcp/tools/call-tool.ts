/** Runs a tool: checks what it is given, and answers in any case. */
import type { JsonObject } from '../../base/json-object.ts';
import { compileCheck, type Check } from '../../model/validate.ts';
import { answerText } from '../answer.ts';
import type { Api } from '../api.ts';
import { ToolError } from '../tool-error.ts';
import type { Tool } from './tool.ts';

interface CalledTool {
  /** At most ANSWER_BYTES_MAX bytes. */
  readonly text: string;
  readonly isError: boolean;
}

const checks = new Map<string, Check>();

/** @throws Error only for a mistake of this program. */
export async function callTool(tool: Tool, api: Api, input: JsonObject): Promise<CalledTool> {
  try {
    return { text: answerText(await runTool(tool, api, input)), isError: false };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { text: answerText({ data: error.data }), isError: true };
  }
}

/** @throws ToolError */
export function runTool(tool: Tool, api: Api, input: JsonObject): ReturnType<Tool['run']> {
  const { name, input: schema } = tool;
  let check = checks.get(name);
  // A misspelt member would have no effect.
  if (check === undefined) checks.set(name, (check = compileCheck({ ...schema, additionalProperties: false })));
  const problems = check(input, '');
  if (problems === undefined) return tool.run(api, input as never);
  const { details, limit } = problems;
  throw new ToolError(400, 'the input does not fit the schema of the tool', limit === undefined ? details : [limit]);
}
