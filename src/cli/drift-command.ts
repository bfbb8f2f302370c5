/** `switchyard drift`: its options. What it does is loaded when it runs. */
import { Option, type Command } from 'commander';
import { DRIFT_REPEAT_MAX } from '../limits.ts';
import { integerFrom, nonEmpty, reachList } from './option-values.ts';
import { option } from './environment.ts';
import { addServerOptions } from './server-options.ts';
import type { DriftOptions } from './drift.ts';

export function addDriftCommand(program: Command): void {
  addServerOptions(
    program
      .command('drift')
      .description('compare a mock with the real service; exits with 1 if the service has breaking changes')
      .argument('<mock>', 'id of a mock, or a file or folder for a temporary server', nonEmpty)
      .addOption(
        new Option('--upstream <url>', "the service, with its base path (default: the mock's own)").argParser(nonEmpty),
      )
      .addOption(repeated('--header <line>', 'header of each request, "name: value", such as credentials; repeatable'))
      .option('--header-file <file>', 'file with such lines: unlike options, other users cannot see it', nonEmpty)
      .addOption(repeated('--ignore <path>', 'JSONPath to ignore; repeatable'))
      .addOption(new Option('--compare <what>', 'what to compare (default: shape)').choices(['shape', 'values']))
      .addOption(
        new Option('--against <copy>', 'compare the saved version or the working copy (default: saved)').choices([
          'saved',
          'staged',
        ]),
      )
      .addOption(
        new Option('--repeat <n>', 'how often to send each request (default: 2)').argParser(
          integerFrom(1, DRIFT_REPEAT_MAX),
        ),
      )
      .option('--unsafe', 'also send requests other than GET and HEAD')
      .option('--stage', 'stage responses with breaking changes in the working copy')
      .option('--strict', 'exit with 3 if anything was added, skipped or not answered')
      .option('--json', 'print the report as JSON')
      .option('--junit <file>', 'write the report as JUnit XML', nonEmpty)
      .addOption(
        option('--egress-allow <list>', 'with a file: networks and hosts where the service may be', '', reachList),
      )
      .addOption(option('--egress-ca <file>', 'with a file: CA certificates to trust (PEM)', undefined, nonEmpty)),
  ).action(async (mock: string, given: DriftOptions) => {
    const { drift } = await import('./drift.ts');
    process.exitCode = await drift(mock, given);
  });
}

function repeated(flags: string, description: string): Option {
  return new Option(flags, description)
    .argParser((text: string, before: readonly string[]) => [...before, text])
    .default([], 'none');
}
