/** Words errors in the arguments of a command: the nearest name, and how the command is used. */
import type { Command } from 'commander';

/** @param text Of commander, such as "error: unknown command 'mock'\n(Did you mean mocks?)". */
export function withSuggestion(text: string): string {
  if (/unknown command '.*'$/.test(text)) return `${text}: \`switchyard --help\` lists all commands`;
  return text.replace(
    /\n\(Did you mean (?:one of )?(.*)\?\)$/,
    (_, names: string) => `: did you mean ${names.replaceAll(/[^, ]+/g, "'$&'").replace(/, (?=[^,]*$)/, ' or ')}?`,
  );
}

/** A usage names the options that a command cannot do without. */
export function showUsageAfterErrors(command: Command): void {
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags.replace(/^-\w, /, ''));
  if (needed.length > 0) command.usage(`${needed.join(' ')} ${command.usage()}`);
  command.showHelpAfterError(`usage: ${command.createHelp().commandUsage(command).replaceAll(/\|\w+/g, '')}`);
  for (const each of command.commands) showUsageAfterErrors(each);
}
