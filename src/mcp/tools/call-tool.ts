/** Runs a tool: checks what it is given, and answers in any case. */
import type { JsonObject } from '../../base/json-object.ts';
import { SwitchyardError } from '../../client/switchyard-error.ts';
import { compileCheck, type Check } from '../../model/validate.ts';
import { answerText, type ToolAnswer } from '../answer.ts';
import { ToolError } from '../tool-error.ts';
import type { Api, Tool } from './tool.ts';

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

/** Members that become a segment of a path, where a URL takes these for a step. */
const IDS = ['mock', 'into', 'session', 'request', 'id'];

/** @throws ToolError for what is refused, SwitchyardError with status 0 without an answer of the API. */
export async function runTool(tool: Tool, api: Api, input: JsonObject): Promise<ToolAnswer> {
  const { name, input: schema } = tool;
  let check = checks.get(name);
  // A misspelt member would have no effect.
  if (check === undefined) checks.set(name, (check = compileCheck({ ...schema, additionalProperties: false })));
  const problems = check(input, '');
  if (problems !== undefined) {
    const { details, limit } = problems;
    throw new ToolError(400, 'the input does not fit the schema of the tool', limit === undefined ? details : [limit]);
  }
  for (const member of IDS) {
    const id = input[member];
    if (typeof id === 'string' && /^\.{0,2}$/.test(id))
      throw new ToolError(400, `\`${member}\` must be an id, not "${id}"`);
  }
  try {
    return await tool.run(api, input as never);
  } catch (error) {
    if (!(error instanceof SwitchyardError) || error.status === 0) throw error;
    throw new ToolError(error.status, error.refusal, error.details);
  }
}
