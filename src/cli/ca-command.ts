/** `switchyard ca`: its commands and options. */
import type { Command } from 'commander';
import { option } from './environment.ts';
import { integerFrom, list, nonEmpty } from './option-values.ts';
import { authorityOption, dataOption, storeOption } from './options.ts';
import { say } from './print.ts';

interface PlaceOptions {
  readonly data: string;
  readonly store?: string;
}

const CLIENT_DAYS = 30;

export function addCaCommand(program: Command): void {
  const ca = program
    .command('ca')
    .description(
      'manage the CA of the gateway and of `serve --https`, which clients must trust; a server reads it at its start',
    );
  for (const [name, description, run] of [
    ['show', 'print the path and fingerprint of the CA certificate', 'showAuthority'],
    ['create', 'create a CA if there is none', 'createAuthority'],
    ['rotate', 'replace the CA; clients must then trust the new one', 'rotateAuthority'],
    ['trust', 'print how clients get to trust the CA; changes nothing', 'trustLines'],
  ] as const) {
    const command = ca.command(name).description(description).addOption(dataOption()).addOption(storeOption());
    // Nobody else makes that of the operator.
    if (name === 'show' || name === 'trust') command.addOption(authorityOption());
    command.action(async (given: PlaceOptions & { gatewayCa?: string }) =>
      say(await (await import('./gateway-ca.ts'))[run](given)),
    );
  }
  ca.command('client')
    .description('write a client certificate with its key into a file, for `serve --mtls-port`: .pem, or .p12 for Java')
    .argument('<name>', 'common name of the client')
    .argument('<file>', 'file to write')
    .option('--ou <unit>', 'organisational unit')
    .addOption(option('--san <names>', 'further names, separated by commas: hosts, addresses, e-mail, URIs', [], list))
    .addOption(option('--days <n>', 'days until it ends', CLIENT_DAYS, integerFrom(1, 3_650)))
    .addOption(option('--password <text>', 'password of a .p12 file', 'changeit', nonEmpty))
    .addOption(dataOption())
    .addOption(storeOption())
    .action(
      async (
        name: string,
        file: string,
        given: PlaceOptions & { ou?: string; san: string[]; days: number; password: string },
      ) => say(await (await import('./gateway-ca.ts')).makeClient(name, file, given)),
    );
  ca.command('export')
    .description('write the CA certificate into a file: .pem, .der, or .p12 for Java')
    .argument('<file>', 'file to write')
    .addOption(option('--password <text>', 'password of a .p12 file', 'changeit', nonEmpty))
    .addOption(dataOption())
    .addOption(storeOption())
    .addOption(authorityOption())
    .action(async (file: string, given: PlaceOptions & { gatewayCa?: string; password: string }) =>
      say(await (await import('./gateway-ca.ts')).exportAuthority(file, given)),
    );
}
