/** The command line: parses, calls, prints. What `serve` starts is main.ts; what `keys`, `snapshot` and `check` do is in files of these names. */
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { checkDirectory } from './check.ts';
import { addServeOptions, dataOption, keptCount, nonEmpty, option, serveConfig, type Config } from './config.ts';
import { createKey, listKeys, revokeKey, type NewKey } from './keys.ts';
import { StartError, startService, type Service } from './main.ts';
import { parseApiKey } from './model/api-key.ts';
import { PRINCIPAL_ID, ROLES } from './model/principal.ts';
import { progressLines } from './progress-lines.ts';
import { damagedWords, restore, snapshotLines, takeSnapshot, verifySnapshots } from './snapshots.ts';
import { isEngineRejection } from './store/damage.ts';
import { DataDirectoryError } from './store/lmdb-store.ts';
import type { Course } from './store/snapshots/create-snapshot.ts';
import { SnapshotError } from './store/snapshots/snapshot-error.ts';
import { CommitHangError } from './store/store.ts';

/** Exit status of a command that could not be carried out, and changed nothing. */
const REFUSED = 2;
/** Exit status of a snapshot that was made of a store with damaged values: whoever goes by the status must not remove older ones. */
const DAMAGED = 1;
const STOP_AFTER_FAILURE_MS = 2_000;

const program = new Command('switchyard')
  .description('Stores traffic-modification rules and groups behind a JSON API, and serves mock servers.')
  .showSuggestionAfterError(false)
  .exitOverride();

addServeOptions(program.command('serve').description('run the service')).action((given: Record<string, unknown>) =>
  serve(serveConfig(given)),
);

program
  .command('check')
  .description('look at every page, key and value of the store, beside a running server or without one')
  .addOption(dataOption())
  .action(async ({ data }: { data: string }) => checkDirectory(data, say));

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

const snapshot = program
  .command('snapshot')
  .description('copies of the store as it was at one moment; works beside a running server');
snapshot
  .command('create')
  .description('make a snapshot, verify it and print its name')
  .addOption(new Option('--keep <n>', 'remove older ones, so that this many stay').argParser(keptCount))
  .addOption(dataOption())
  .action(async ({ data, keep }: { data: string; keep?: number }) => {
    const { name, pruned, damagedValues } = await takeSnapshot(data, keep, course());
    say([name, ...pruned.map((each) => `removed ${each}`)].join('\n'));
    if (damagedValues === 0) return;
    warn(
      `the store has ${damagedWords(damagedValues)}, and so has ${name}; no older snapshot was removed; \`switchyard check\` tells whose they are`,
    );
    process.exitCode = DAMAGED;
  });
snapshot
  .command('list')
  .description('list snapshots, the oldest first')
  .addOption(dataOption())
  .action(({ data }: { data: string }) => say(snapshotLines(data).join('\n')));
snapshot
  .command('verify')
  .description('read snapshots whole and compare them with what they were')
  .argument('[name]', 'one that `snapshot list` shows; all without it', nonEmpty)
  .addOption(dataOption())
  .action(async (name: string | undefined, { data }: { data: string }) => {
    const damagedCount = await verifySnapshots(data, name, say, course());
    if (damagedCount > 0) throw new SnapshotError(`cannot be restored: ${damagedCount} of what was verified`);
  });
snapshot
  .command('restore')
  .description('make a new data directory of a snapshot')
  .argument('<name>', 'one that `snapshot list` shows', nonEmpty)
  .addOption(
    new Option('--to <dir>', 'the new data directory: empty, or not there yet')
      .argParser(nonEmpty)
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--keep-keys [dir]', 'with the keys of this data directory as they are now (by default of --data)'),
  )
  .addOption(dataOption())
  .action(async (name: string, { data, to, keepKeys }: { data: string; to: string; keepKeys?: string | true }) => {
    const keysOf = keepKeys === true ? data : keepKeys;
    await restore({ directory: data, name, target: to, keysOf }, warn, course());
    say(`Restored ${name}. To serve it: switchyard serve --data ${to}`);
  });

/** The signal by which long work was asked to end. */
let endedBy: NodeJS.Signals | undefined;

/** Set when the store has failed: whatever is rejected then is an echo of it. */
let hasStoreFailed = false;
process.on('unhandledRejection', (error) => {
  if (!hasStoreFailed && !isEngineRejection(error)) throw error;
});

await program.parseAsync().catch((error: unknown) => {
  // What was begun is undone: end as whoever sent the signal expects.
  if (endedBy !== undefined) return void process.removeAllListeners(endedBy).kill(process.pid, endedBy);
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : REFUSED);
  if (error instanceof StartError || error instanceof DataDirectoryError || error instanceof SnapshotError) {
    process.stderr.write(`error: ${error.message.replaceAll('\n', ' ')}\n`);
    process.exit(REFUSED);
  }
  throw error;
});

/** Progress for whoever watches, and an end in order when a signal asks for it. */
function course(): Course {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      endedBy = signal;
      controller.abort();
    });
  }
  return { onProgress: progressLines(), signal: controller.signal };
}

async function serve(config: Config): Promise<void> {
  const service = await startService(config);
  // An exit waits for its threads, and one of them may wait for the disk; a signal waits for nobody.
  const kill = (): void => void process.kill(process.pid, 'SIGKILL');
  let end = (status: number): void => process.exit(status);
  const stop = async (): Promise<void> => {
    const allWritten = await service.stop();
    end(allWritten ? 0 : 1);
  };
  let signals = 0;
  const onSignal = (): void => {
    signals++;
    // Whoever asks twice does not want to wait for what is in flight.
    if (signals === 1) void stop();
    else if (service.isWriting) void service.flushLog().then(kill);
    else end(1);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  // Last: whoever waits for its line may send a signal at once.
  announce(config, service);

  const failure = await service.failed;
  hasStoreFailed = true;
  if (failure instanceof CommitHangError) end = kill;
  // What waited has been answered; the next start recovers what is on the disk. The close of lmdb-js may hang after an I/O error.
  setTimeout(() => end(1), STOP_AFTER_FAILURE_MS);
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

function warn(text: string): void {
  process.stderr.write(`warning: ${text}\n`);
}

function principalId(text: string): string {
  if (!PRINCIPAL_ID.test(text)) throw new InvalidArgumentError('Expected 1 to 64 characters of A-Z a-z 0-9 . _ @ -');
  return text;
}
