/**
 * The command line: its commands and options. What each command does is in the file of its name, which is loaded when
 * the command runs: most of the program is for `serve`.
 */
import { resolve } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { OperatorError } from '../base/operator-error.ts';
import { buildText, ownBuild } from '../base/own-build.ts';
import { newApiKey, parseApiKey } from '../model/api-key.ts';
import { ROLES, type Role } from '../model/principal.ts';
import { STORE_FORMAT } from '../store/store-format.ts';
import { isEngineRejection } from '../store/engine-rejection.ts';
import { shownStore } from '../store/store-url.ts';
import type { QuotaOptions } from './owner-quota.ts';
import type { TaskControl } from '../store/snapshots/create-snapshot.ts';
import { filesFirst } from './files-first.ts';
import { addBrowserCommand } from './browser-command.ts';
import { addCaCommand } from './ca-command.ts';
import { addDriftCommand } from './drift-command.ts';
import { addInterchangeCommands } from './interchange-commands.ts';
import type { HealthOptions } from './health.ts';
import { keyEnd } from './key-end.ts';
import { commandLine, option } from './environment.ts';
import { integerFrom, keptCount, nonEmpty, principalId } from './option-values.ts';
import { addHealthOptions, addServeOptions, dataOption, serveConfig, storeOption } from './options.ts';
import { say, warn } from './print.ts';
import { progressLines } from './progress-lines.ts';
import { addRulesCommands } from './rules-commands.ts';
import { addRunCommand } from './run-command.ts';
import { addServerOptions, serverOption } from './server-options.ts';
import { showUsageAfterErrors, withSuggestion } from './usage-errors.ts';
import { addSocketsCommand } from './sockets-command.ts';
import { addStoresCommand } from './stores-command.ts';
import { addStreamsCommand } from './streams-command.ts';
import type { McpOptions } from './mcp.ts';

/** Exit status of a command that could not be carried out, and changed nothing. */
const REFUSED = 2;
/**
 * Exit status of a snapshot of a store with damaged values: a script that tests the status must not remove older
 * snapshots.
 */
const DAMAGED = 1;

/** Exit status of `health`: that of an OperatorError is reserved by Docker. */
const UNHEALTHY = 1;

/** The modules of the commands. */
const load = {
  check: () => import('./check.ts'),
  consoleLink: () => import('./console-link.ts'),
  health: () => import('./health.ts'),
  keys: () => import('./keys.ts'),
  init: () => import('./init.ts'),
  mcp: () => import('./mcp.ts'),
  ownerQuota: () => import('./owner-quota.ts'),
  serve: () => import('./serve.ts'),
  store: () => import('./store.ts'),
  toolCommands: () => import('./tool-commands.ts'),
  snapshots: () => import('./snapshots.ts'),
};

/** The signal that ended long work. */
let endedBy: NodeJS.Signals | undefined;

/** Runs the command line of this process to its end, which is the end of the process where it is refused. */
export async function runProgram(): Promise<void> {
  process.on('unhandledRejection', (error) => {
    if (!isEngineRejection(error)) throw error;
  });
  const program = await commandTree({ withTools: asksForTool() });
  const commands = new Set(['help', ...program.commands.flatMap((each) => [each.name(), ...each.aliases()])]);
  const parse = async (): Promise<unknown> => {
    const files = await filesFirst(commandLine(), commands);
    return files === undefined ? program.parseAsync() : program.parseAsync(files, { from: 'user' });
  };
  await parse().catch((error: unknown) => {
    // The work is undone: end by the same signal, as its sender expects.
    if (endedBy !== undefined) return void process.removeAllListeners(endedBy).kill(process.pid, endedBy);
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : REFUSED);
    if (error instanceof OperatorError) {
      process.stderr.write(`error: ${error.message.replaceAll('\n', ' ')}\n`);
      process.exit(REFUSED);
    }
    throw error;
  });
}

/** @param withTools Whether the commands of agents' tools are complete: their schemas take a while to load. */
export async function commandTree(
  { withTools }: { readonly withTools: boolean } = { withTools: false },
): Promise<Command> {
  const program = new Command('switchyard')
    .description('Mock servers, and rules that change live HTTP traffic, behind one API.')
    .usage('[options] [command], or one or more files to serve as mocks: switchyard openapi.yaml')
    .version(buildText(await ownBuild(), STORE_FORMAT), '-V, --version', 'print version, commit and store format')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    // One line for every error, and one for the usage: commander puts its suggestion on a line of its own.
    .configureOutput({
      outputError: (text, write) => write(`${withSuggestion(text.trimEnd()).replaceAll('\n', ' ')}\n`),
    })
    .exitOverride();

  addServeOptions(program.command('serve').alias('start').description('start the server')).action(
    async (given: Record<string, unknown>, command: Command) => {
      const config = serveConfig(given, command.getOptionValueSource('data') !== 'default');
      const { serve } = await load.serve();
      await serve(config);
    },
  );

  program
    .command('init')
    .description('write an example mock file, and print how to serve and call it')
    .argument('[file]', 'file to write', nonEmpty, 'mock.yaml')
    .action(async (file: string) => say((await load.init()).initMock(file).join('\n')));

  addHealthOptions(
    program
      .command('health')
      .description('check whether the server that this environment configures is ready; exits with 1 if it is not'),
  ).action(async (options: HealthOptions) => {
    const { isReady, line } = await (await load.health()).readiness(options);
    say(line);
    if (!isReady) process.exitCode = UNHEALTHY;
  });

  program
    .command('check')
    .description('check every key and value of the store; a server may be running')
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async ({ data, store }: PlaceOptions) =>
      store === undefined
        ? (await load.check()).checkDirectory(data, say)
        : (await load.store()).checkDatabase(store, say),
    );
  program
    .command('migrate')
    .description('move all data from a data directory to PostgreSQL (--data, --to), or back (--store, --to)')
    .addOption(dataOption())
    .addOption(storeOption())
    .addOption(
      new Option('--to <place>', 'postgres://user@host/database, or a new data directory')
        .argParser(nonEmpty)
        .makeOptionMandatory(),
    )
    .action(async ({ to, ...place }: PlaceOptions & { to: string }) =>
      say(await (await load.store()).moveStore(placeOf(place), to)),
    );
  addKeys(program);
  addOwners(program);
  addCaCommand(program);
  addConsole(program);
  addSnapshots(program);
  addStore(program);
  addRulesCommands(program);
  addInterchangeCommands(program);
  addDriftCommand(program);
  addStreamsCommand(program);
  addStoresCommand(program);
  addSocketsCommand(program);
  addRunCommand(program);
  addBrowserCommand(program);
  addMcp(program);
  await addTools(program, withTools);
  showUsageAfterErrors(program);
  return program;
}

/** Where the store is. */
interface PlaceOptions {
  readonly data: string;
  readonly store?: string;
}

function placeOf({ data, store }: PlaceOptions): string {
  return store ?? data;
}

interface KeyOptions extends PlaceOptions {
  readonly owner: string;
  readonly user: string;
  readonly role: Role;
  /** Milliseconds since the Unix epoch. */
  readonly expires?: number;
  readonly new?: boolean;
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('manage API keys; a running server applies changes within a second');
  addHolderOptions(keys.command('create').description('create a key and print it; it cannot be shown again'))
    .addOption(
      new Option(
        '--expires <when>',
        'when the key expires: a time from now, such as 12h or 30d, or an ISO date',
      ).argParser((text: string) => keyEnd(text)),
    )
    .addOption(new Option('--new', 'create the store if it does not exist'))
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async ({ owner, user, role, expires, new: isNew = false, ...place }: KeyOptions) => {
      const { createKey } = await load.keys();
      say(await createKey(placeOf(place), { ownerId: owner, userId: user, role, expiresAt: expires }, isNew));
    });
  keys
    .command('generate')
    .description('print a new key for a file that `serve --key-file` reads; needs no store')
    .action(() => say(newApiKey().text));
  keys
    .command('list')
    .description('list keys, without their secrets')
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async (place: PlaceOptions) => {
      const { listKeys } = await load.keys();
      say((await listKeys(placeOf(place))).join('\n'));
    });
  keys
    .command('revoke')
    .description('revoke a key permanently')
    .argument('<keyid>', 'id of the key, as `keys list` shows it', nonEmpty)
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async (keyId: string, place: PlaceOptions) => {
      // A whole key, pasted by mistake, stands for its id; its secret must not end up on a screen.
      const id = parseApiKey(keyId)?.keyId ?? keyId;
      const { revokeKey } = await load.keys();
      const at = placeOf(place);
      if (await revokeKey(at, id)) return say(`Revoked the key ${id}`);
      throw new OperatorError(`there is no key ${id} in ${place.store === undefined ? resolve(at) : shownStore(at)}`);
    });
}

function addOwners(program: Command): void {
  program
    .command('owners')
    .description('manage owners; a running server applies changes within a second')
    .command('quota')
    .description("set and print limits of one owner, which replace the server's")
    .argument('<owner>', 'id of the owner', principalId)
    .addOption(new Option('--rules-max <n>', 'maximum number of rules').argParser(integerFrom(0, 1_000_000)))
    .addOption(new Option('--groups-max <n>', 'maximum number of groups').argParser(integerFrom(0, 1_000_000)))
    .addOption(new Option('--mocks-max <n>', 'maximum number of mocks').argParser(integerFrom(0, 100_000)))
    .addOption(
      new Option('--mock-bytes-max <bytes>', 'maximum size of all mocks and their versions').argParser(
        integerFrom(0, 10_000_000_000),
      ),
    )
    .addOption(
      new Option('--rate-limit <n>', 'requests per second and key; 0 for no limit').argParser(
        integerFrom(0, 1_000_000),
      ),
    )
    .addOption(new Option('--reset', "remove the owner's own limits first"))
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async (owner: string, { data, store, ...given }: PlaceOptions & QuotaOptions) => {
      const { changeQuota } = await load.ownerQuota();
      say((await changeQuota(store ?? data, owner, given)).join('\n'));
    });
}

/** @param standard Owner and user of a key where none is named; undefined: they must be. */
function addHolderOptions(command: Command, standard?: string): Command {
  const isMandatory = standard === undefined;
  return command
    .addOption(
      option(
        '--owner <id>',
        'owner (account, workspace or project) of the key',
        standard,
        principalId,
      ).makeOptionMandatory(isMandatory),
    )
    .addOption(option('--user <id>', 'user of the key', standard, principalId).makeOptionMandatory(isMandatory))
    .addOption(
      option(
        '--role <role>',
        'admin also manages keys, editor reads and writes, viewer only reads, proxy only uses the gateway',
        'editor',
      ).choices([...ROLES]),
    );
}

interface ConsoleLinkOptions extends Omit<KeyOptions, 'expires' | 'new'> {
  readonly server: string;
}

function addConsole(program: Command): void {
  addHolderOptions(
    program
      .command('console')
      .description('print a console link that signs a browser in for 24 hours; it works once, within a minute'),
    'local',
  )
    .addOption(serverOption())
    .addOption(dataOption())
    .addOption(storeOption())
    .action(async ({ server, owner, user, role, ...place }: ConsoleLinkOptions, command: Command) => {
      const { consoleLink, serverOf } = await load.consoleLink();
      const at = placeOf(place);
      const isGiven = command.getOptionValueSource('server') !== 'default';
      const running = isGiven ? server : await serverOf(at);
      if (running === undefined)
        warn('found no address of a running server: this is the default one; name another with --server');
      say(await consoleLink(at, running ?? server, { ownerId: owner, userId: user, role }));
    });
}

function addMcp(program: Command): void {
  addServerOptions(
    program
      .command('mcp')
      .description('serve agents over standard input and output: forwards the Model Context Protocol to a server')
      .addOption(
        new Option('--mock <path>', 'start a temporary server with this file or folder as a mock; repeatable')
          .argParser((text: string, before: readonly string[]) => [...before, text])
          .default([], 'none'),
      ),
  ).action(async (options: McpOptions) => (await load.mcp()).serveStdio(options));
}

/** Purposes of the groups of commands that do the work of agents' tools. */
const TOOL_GROUPS = {
  mocks: 'list, read, create, edit, try and serve mocks',
  responses: 'change responses of a mock or a session',
  traffic: 'list requests to mocks, and explain misses',
  verify: 'check that a mock received the expected requests; exits with 1 if not',
  sessions: 'create and end sessions of a mock',
  gateway: 'list live requests, and what rules did to them',
  docs: 'search the documentation',
};

/** Adds the commands of a group when one of them is asked for. */
async function addTools(program: Command, isComplete: boolean): Promise<void> {
  for (const [name, description] of Object.entries(TOOL_GROUPS)) program.command(name).description(description);
  if (isComplete) (await load.toolCommands()).addToolCommands(program);
}

/** Some of the commands of `rules` are tools. */
function asksForTool(): boolean {
  const asked = commandLine().find((each) => !each.startsWith('-') && each !== 'help') ?? '';
  return asked in TOOL_GROUPS || asked === 'rules';
}

function addStore(program: Command): void {
  const store = program.command('store').description('manage a store in PostgreSQL');
  store
    .command('upgrade')
    // Its name before there was `migrate`, which moves all data.
    .alias('migrate')
    .description("create the store's tables in an empty database, or migrate those of an older version")
    .addOption(storeOption().makeOptionMandatory())
    .action(async ({ store: address }: { store: string }) => {
      const { upgradeStore } = await load.store();
      say(await upgradeStore(address));
    });
}

function addSnapshots(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .description('manage snapshots, which are consistent copies of the store; a server may be running');
  snapshot
    .command('create')
    .description('create a snapshot, verify it and print its name')
    .addOption(new Option('--keep <n>', 'number of snapshots to keep: removes the oldest others').argParser(keptCount))
    .addOption(dataOption())
    .action(async ({ data, keep }: { data: string; keep?: number }) => {
      const { formatDamageCount, takeSnapshot } = await load.snapshots();
      const { name, pruned, damagedValues } = await takeSnapshot(data, keep, taskControl());
      say([name, ...pruned.map((each) => `removed ${each}`)].join('\n'));
      if (damagedValues === 0) return;
      warn(
        `the store has ${formatDamageCount(damagedValues)}, and so has ${name}; no older snapshot was removed; \`switchyard check\` lists the damage`,
      );
      process.exitCode = DAMAGED;
    });
  snapshot
    .command('list')
    .description('list snapshots, oldest first')
    .addOption(dataOption())
    .action(async ({ data }: { data: string }) => {
      const { snapshotLines } = await load.snapshots();
      say(snapshotLines(data).join('\n'));
    });
  snapshot
    .command('verify')
    .description('read whole snapshots and compare them with their manifests')
    .argument('[name]', 'snapshot to verify, as `snapshot list` shows it; all by default', nonEmpty)
    .addOption(dataOption())
    .action(async (name: string | undefined, { data }: { data: string }) => {
      const { verifySnapshots } = await load.snapshots();
      const { damagedCount, count } = await verifySnapshots(data, name, say, taskControl());
      if (damagedCount > 0) throw new OperatorError(`${damagedCount} of ${count} verified cannot be restored`);
    });
  snapshot
    .command('restore')
    .description('restore a snapshot into a new data directory')
    .argument('<name>', 'snapshot to restore, as `snapshot list` shows it', nonEmpty)
    .addOption(
      new Option('--to <dir>', 'new data directory, which must be empty or missing')
        .argParser(nonEmpty)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--keep-keys [dir]', 'keep the current API keys of this data directory (default: that of --data)'),
    )
    .addOption(dataOption())
    .action(async (name: string, { data, to, keepKeys }: { data: string; to: string; keepKeys?: string | true }) => {
      const keysOf = keepKeys === true ? data : keepKeys;
      const { restore } = await load.snapshots();
      await restore({ directory: data, name, target: to, keysOf }, warn, taskControl());
      say(`Restored ${name}. To serve it: switchyard serve --data ${to}`);
    });
}

/** Prints progress, and aborts the work in order on a signal. */
function taskControl(): TaskControl {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      endedBy = signal;
      controller.abort();
    });
  }
  return { onProgress: progressLines(), signal: controller.signal };
}
