/** `switchyard run`: its options. What it does is loaded when it runs. */
import { Option, type Command } from 'commander';
import { nonEmpty, reachList } from './option-values.ts';
import { keyOfEnvironment, option } from './environment.ts';
import type { RunCommandOptions } from './run.ts';
import { addServerOptions } from './server-options.ts';

export function addRunCommand(program: Command): void {
  addServerOptions(
    program
      .command('run')
      .description(
        'run a command whose HTTP goes through the gateway of a server, or of a temporary one; exits as the command does',
      )
      .usage('[options] -- <command...>')
      .argument('<command...>', 'the command and its arguments')
      .addOption(
        new Option('--mock <path>', 'file or folder that a temporary server has as a mock; may be repeated')
          .argParser((text: string, before: readonly string[]) => [...before, text])
          .default([], 'none'),
      )
      .option('--rules <file>', 'file of rules that a temporary server has', nonEmpty)
      .addOption(
        new Option('--session <id>', 'session of the gateway that the requests belong to')
          .argParser(nonEmpty)
          .conflicts('newSession'),
      )
      .option('--new-session', 'make a session for the command, and end it')
      .addOption(
        option(
          '--egress-allow <list>',
          'with a temporary server: networks and hosts that may be reached, beside public ones and this machine',
          '',
          reachList,
        ),
      )
      .addOption(
        option('--egress-ca <file>', 'with a temporary server: certificates to trust (PEM)', undefined, nonEmpty),
      )
      .option('--direct <hosts>', 'hosts that are not reached through the gateway, as NO_PROXY lists them', hostList),
  ).action(async (command: readonly string[], given: RunCommandOptions, self: Command) => {
    const isNamed = self.getOptionValueSource('server') !== 'default' || given.keyFile !== undefined;
    const { runCommand } = await import('./run.ts');
    process.exitCode = await runCommand(command, given, isNamed || keyOfEnvironment() !== undefined);
  });
}

function hostList(text: string): readonly string[] {
  return nonEmpty(text)
    .split(',')
    .map((host) => host.trim());
}
