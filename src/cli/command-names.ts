/** Names of commands in place of those of tools, in texts for people. */
import { TOOLS } from '../mcp/tools/all-tools.ts';

const VERBS = new Map(TOOLS.map(({ name, verb }) => [name, verb]));
const NAMES = new RegExp(`\\b(?:${[...VERBS.keys()].join('|')})\\b`, 'g');

export function asCommands(text: string): string {
  return text.replaceAll(NAMES, (name) => `\`switchyard ${VERBS.get(name)}\``);
}
