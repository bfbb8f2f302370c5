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
        "run a command with its HTTP through the gateway of a server, or of a temporary one; exits with the command's status",
      )
      .usage('[options] -- <command...>')
      .argument('<command...>', 'the command and its arguments')
      .addOption(
        new Option('--mock <path>', 'start a temporary server with this file or folder as a mock; repeatable')
          .argParser((text: string, before: readonly string[]) => [...before, text])
          .default([], 'none'),
      )
      .option('--rules <file>', 'start a temporary server with this file of rules', nonEmpty)
      .addOption(
        new Option('--session <id>', 'gateway session that the requests belong to')
          .argParser(nonEmpty)
          .conflicts('newSession'),
      )
      .option('--new-session', 'create a session for the command, and end it afterwards')
      .addOption(
        option(
          '--egress-allow <list>',
          'with a temporary server: allowed networks and hosts, besides public ones and this machine',
          '',
          reachList,
        ),
      )
      .addOption(
        option('--egress-ca <file>', 'with a temporary server: CA certificates to trust (PEM)', undefined, nonEmpty),
      )
      .option('--direct <hosts>', 'hosts to reach without the gateway, as in NO_PROXY', hostList),
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
