/** The only reader of the command line and of the environment, and options that both may set. */
import { basename, relative } from 'node:path';
import { Option } from 'commander';
import { checkedSecret, SECRET_VARIABLE } from './node-config.ts';
import { shellWord } from '../languages/shell-word.ts';

const PREFIX = 'SWITCHYARD_';

/** Whether a variable switches an option on that has no value. */
export function isSet(name: string): boolean {
  return ['1', 'true', 'yes'].includes((process.env[PREFIX + name] ?? '').toLowerCase());
}

/** An option with an environment variable: SWITCHYARD_ and its name. `parse` throws on invalid text. */
export function option(flags: string, description: string, absent: unknown, parse?: (text: string) => unknown): Option {
  const name = /^--([a-z-]+)/.exec(flags)?.[1] as string;
  const made = new Option(flags, description).env(PREFIX + name.toUpperCase().replaceAll('-', '_'));
  if (Array.isArray(absent)) made.default(absent, absent.join() || 'none');
  else if (typeof absent === 'number' && flags.endsWith('<time>')) made.default(absent, `${absent / 1_000}s`);
  else if (absent !== undefined) made.default(absent);
  return parse === undefined ? made : made.argParser(parse);
}

/** Arguments behind the program on the command line. */
export function commandLine(): readonly string[] {
  return process.argv.slice(2);
}

/** @returns How this program was called, for commands that people copy: "switchyard", "npx switchyard" or "node dist/cli.js". */
export function programName(): string {
  const file = process.argv[1] ?? '';
  const shorter = relative('', file);
  if (file.endsWith('.js')) return `node ${shellWord(shorter.length < file.length ? shorter : file)}`;
  return `${/[/\\]node_modules[/\\]\.bin[/\\]/.test(file) ? 'npx ' : ''}${basename(file)}`;
}

/** @returns What the environment gives an option, such as `--mock-port`. */
export function variableOf(flag: string): string | undefined {
  return process.env[`${PREFIX}${flag.slice(2).toUpperCase().replaceAll('-', '_')}`];
}

/** Where commands that talk to a server read their API key: not an option, since command lines are seen by others. */
export const KEY_VARIABLE = `${PREFIX}API_KEY`;

/** @throws OperatorError where there is none, or one that is too short. */
export function clusterSecret(): string {
  return checkedSecret(process.env[SECRET_VARIABLE]);
}

export function keyOfEnvironment(): string | undefined {
  return process.env[KEY_VARIABLE];
}

/** The environment of a program that a command starts. */
export function environmentWith(added: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return { ...process.env, ...added };
}
