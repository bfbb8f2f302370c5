/** Shared by the commands about open connections of a mock: its streams and its WebSockets. */
import { Option, type Command } from 'commander';
import { nonEmpty } from './option-values.ts';
import { outlineLines } from './outline-lines.ts';
import { printable, say } from './print.ts';
import { addServerOptions, type ServerOptions } from './server-options.ts';

export interface OpenOptions extends ServerOptions {
  readonly session?: string;
  readonly json?: true;
}

/** @param noun In the plural. @returns A command that takes a mock, and a session of it. */
export function openCommand(program: Command, name: string, noun: string, description: string): Command {
  const session = new Option('--session <id>', `${noun} of this session (default: those outside of sessions)`);
  return addServerOptions(
    program
      .command(name)
      .description(description)
      .argument('<mock>', 'id of the mock', nonEmpty)
      .addOption(session.argParser(nonEmpty)),
  ).option('--json', 'print the answer as JSON');
}

/** Prints an answer as JSON, or as lines for a person. */
export function sayAnswer(answer: object, asJson = false): void {
  say(asJson ? JSON.stringify(answer, undefined, 2) : outlineLines(answer).map(printable).join('\n'));
}
