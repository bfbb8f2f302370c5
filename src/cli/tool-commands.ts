/**
 * The commands that do what agents' tools do: `switchyard mocks list` is the tool `mocks_list`. Arguments and options are
 * made of the input of each tool, so that neither has what the other lacks; test/mcp/verbs.test.ts compares them.
 *
 * Loaded when one of them is asked for: the schemas of the tools are half of the API's.
 */
import { Option, type Command } from 'commander';
import type { JsonObject } from '../base/json-object.ts';
import { TOOLS } from '../mcp/tools/all-tools.ts';
import type { Tool } from '../mcp/tools/tool.ts';
import { asCommands } from './command-names.ts';
import { integerFrom, jsonValue, nonEmpty } from './option-values.ts';
import { readRequestWords, type TypedRequest } from './request-words.ts';
import { addServerOptions, type ServerOptions } from './server-options.ts';

interface Member {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly description?: string;
}

interface ToolOptions extends ServerOptions, JsonObject {
  readonly json?: true;
}

export function addToolCommands(program: Command): void {
  for (const tool of TOOLS) {
    if (tool.hasOwnCommand !== true) addServerOptions(addTool(commandFor(program, tool.verb), tool));
  }
}

/** @param verb "mocks list", below a group; or "verify". */
function commandFor(program: Command, verb: string): Command {
  const [first = '', second] = verb.split(' ');
  const found = program.commands.find((each) => each.name() === first);
  const group = found ?? program.command(first);
  return second === undefined ? group : group.command(second);
}

function addTool(command: Command, tool: Tool): Command {
  const { properties, required = [] } = tool.input as { properties: Record<string, Member>; required?: string[] };
  const names = Object.keys(properties);
  const places = names.filter(
    (name) =>
      required.includes(name) && typeof properties[name]?.type === 'string' && properties[name].type === 'string',
  );
  const [summary = ''] = tool.description.split(/(?<=[.:;]) (?![^(]*\))/);
  command.summary(asCommands(summary.replace(/[.:;]$/, ''))).description(asCommands(tool.description));
  for (const name of places) {
    const { description = '', enum: values } = properties[name] as Member;
    const said = values === undefined ? asCommands(description) : values.join(' or ');
    command.argument(`<${name}>`, said, nonEmpty);
  }
  for (const name of names) {
    if (places.includes(name)) continue;
    const option = optionOf(name, properties[name] as Member);
    command.addOption(required.includes(name) ? option.makeOptionMandatory() : option);
  }
  const takesRequest = REQUEST_MEMBERS.every((name) => name in properties) || 'match' in properties;
  if (takesRequest) command.argument('[request...]', 'method and path, such as GET /users/7');
  command.option('--json', 'print the answer as JSON');
  return command.action(async (...given: unknown[]) => {
    const words = takesRequest ? (given.splice(places.length, 1)[0] as string[]) : [];
    const { server, keyFile, json, ...options } = given[places.length] as ToolOptions;
    const typed = readRequestWords(words);
    if (typed === undefined)
      command.error(`error: expected a method and a path, such as GET /users/7: ${words.join(' ')}`);
    const input = {
      ...Object.fromEntries(places.map((name, index) => [name, given[index]])),
      ...options,
      ...inputOf(typed, 'match' in properties, options['match']),
    };
    const { runTool } = await import('./run-tool.ts');
    await runTool(tool, { server, ...(keyFile === undefined ? {} : { keyFile }) }, input, json === true);
  });
}

const REQUEST_MEMBERS = ['method', 'path'] as const;

/** @param isMatch Whether they are members of `match`, of requests that were made. */
function inputOf({ method, target: path }: TypedRequest, isMatch: boolean, match: unknown): JsonObject {
  const request = { ...(method === undefined ? {} : { method }), ...(path === undefined ? {} : { path }) };
  if (!isMatch || path === undefined) return request;
  return { match: { ...(match as JsonObject | undefined), ...request } };
}

function optionOf(name: string, { type, enum: values, minimum = 0, description: text = '' }: Member): Option {
  const description = asCommands(text);
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (type === 'boolean') return new Option(flag, description);
  if (type === 'integer') return new Option(`${flag} <n>`, description).argParser(integerFrom(minimum, 1e15));
  if (values !== undefined) return new Option(`${flag} <${name}>`, description).choices([...values]);
  if (type === 'string') return new Option(`${flag} <text>`, description).argParser(nonEmpty);
  return new Option(`${flag} <json>`, `${description} JSON, or @ and the name of a file`.trim()).argParser(jsonValue);
}
