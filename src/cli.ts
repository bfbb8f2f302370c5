#!/usr/bin/env node
/** The command line: parses, calls, prints. What `serve` starts is main.ts; what `keys` does is keys.ts. */
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { addServeOptions, dataOption, nonEmpty, option, serveConfig, type Config } from './config.ts';
import type { NewKey } from './keys.ts';
import type { Service } from './main.ts';
import { parseApiKey } from './model/api-key.ts';
import { PRINCIPAL_ID, ROLES } from './model/principal.ts';

// `import` opens all modules of one depth at the same time: two hundred descriptors, which a process with a limit of 128 does not have, and
// which it misses with an error about a package. `require` opens one after the other; what it has loaded is not opened again.
if (process.features.require_module) createRequire(import.meta.url)('./main.js');
const { createKey, listKeys, revokeKey } = await import('./keys.ts');
const { StartError, startService } = await import('./main.ts');
const { DataDirectoryError, isEngineRejection } = await import('./store/lmdb-store.ts');

/** Exit status of a command that could not be carried out, and changed nothing. */
const REFUSED = 2;
const STOP_AFTER_FAILURE_MS = 2_000;

const program = new Command('switchyard')
  .description('Stores traffic-modification rules and groups behind a JSON API, and serves mock servers.')
  .showSuggestionAfterError(false)
  .exitOverride();

addServeOptions(program.command('serve').description('run the service')).action((given: Record<string, unknown>) =>
  serve(serveConfig(given)),
);

const keys = program
  .command('keys')
  .description('API keys; works beside a running server, which honours changes at once');
keys
  .command('create')
  .description('make a key and print it: it cannot be shown again')
  .addOption(
    option(
      '--owner <id>',
      'owner (account, workspace or project) of the key',
      undefined,
      principalId,
    ).makeOptionMandatory(),
  )
  .addOption(option('--user <id>', 'user of the key', undefined, principalId).makeOptionMandatory())
  .addOption(option('--role <role>', 'viewer reads only', 'editor').choices([...ROLES]))
  .addOption(dataOption())
  .action(async ({ data, owner, user, role }: { data: string; owner: string; user: string; role: NewKey['role'] }) =>
    say(await createKey(data, { ownerId: owner, userId: user, role })),
  );
keys
  .command('list')
  .description('list keys, without their secrets')
  .addOption(dataOption())
  .action(async ({ data }: { data: string }) => say((await listKeys(data)).join('\n')));
keys
  .command('revoke')
  .description('revoke a key for good')
  .argument('<keyid>', 'the id that `keys list` shows', nonEmpty)
  .addOption(dataOption())
  .action(async (keyId: string, { data }: { data: string }) => {
    // Whoever pastes the whole key means its id; and its secret must not end up on a screen.
    const id = parseApiKey(keyId)?.keyId ?? keyId;
    if (!(await revokeKey(data, id))) throw new DataDirectoryError(`there is no key ${id} in ${resolve(data)}`);
  });

/** Set when the store has failed: whatever is rejected then is an echo of it. */
let hasStoreFailed = false;
process.on('unhandledRejection', (error) => {
  if (!hasStoreFailed && !isEngineRejection(error)) throw error;
});

await program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : REFUSED);
  if (error instanceof StartError || error instanceof DataDirectoryError) {
    process.stderr.write(`error: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exit(REFUSED);
  }
  throw error;
});

async function serve(config: Config): Promise<void> {
  const service = await startService(config);
  const stop = async (): Promise<void> => {
    const allWritten = await service.stop();
    process.exit(allWritten ? 0 : 1);
  };
  let signals = 0;
  const onSignal = (): void => {
    signals++;
    // Whoever asks twice does not want to wait for what is in flight.
    if (signals > 1) process.exit(1);
    void stop();
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Last: whoever waits for its line may send a signal at once.
  announce(config, service);

  await service.failed;
  hasStoreFailed = true;
  // What waited has been answered; the next start recovers what is on the disk. The close of lmdb-js may hang after an I/O error.
  setTimeout(() => process.exit(1), STOP_AFTER_FAILURE_MS);
  await stop();
}

/** Plain lines for a person and for scripts that wait for them; log lines are JSON. */
function announce({ host, mockDomain, data, tlsCert }: Config, { apiPort, mockPort, firstKey }: Service): void {
  const address = host.includes(':') ? `[${host}]` : host;
  const scheme = tlsCert === undefined ? 'http' : 'https';
  const origin = `${scheme}://${address}:${apiPort}`;
  const api = `${origin}/v1`;
  if (firstKey !== undefined) {
    say(`First start: made the owner "local" and its API key, shown only now:

  ${firstKey}

Create a rule with it:

  curl -X POST ${api}/rules -H 'x-api-key: ${firstKey}' -H 'content-type: application/json' \\
    -d '{"name":"To staging","ruleType":"Redirect","pairs":[{"source":{"key":"Url","operator":"Contains","value":"api.example.com"},"destinationType":"url","destination":"https://staging.example.com"}]}'
`);
  }
  say(
    `Switchyard is ready: API ${api} (docs at ${origin}/docs), data ${resolve(data)}, mocks ${scheme}://<mock_id>.${mockDomain}:${mockPort}`,
  );
}

/** Written at once: a line of the log must not overtake it. A reader that has left already misses nothing. */
function say(text: string): void {
  try {
    writeSync(1, `${text}\n`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

function principalId(text: string): string {
  if (!PRINCIPAL_ID.test(text)) throw new InvalidArgumentError('Expected 1 to 64 characters of A-Z a-z 0-9 . _ @ -');
  return text;
}
