/** What is said to agents of tools is said to people of commands. */
import { TOOLS } from '../mcp/tools/all-tools.ts';

const VERBS = new Map(TOOLS.map(({ name, verb }) => [name, verb]));
const NAMES = new RegExp(`\\b(?:${[...VERBS.keys()].join('|')})\\b`, 'g');

export function asCommands(text: string): string {
  return text.replaceAll(NAMES, (name) => `\`switchyard ${VERBS.get(name)}\``);
}
