/**
 * `switchyard run`: a command whose HTTP goes through a gateway, by its environment; docs/gateway.md, "One command".
 *
 * Standard input and both outputs are the command's own. It gets the signals that this process gets.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { OperatorError } from '../base/operator-error.ts';
import { createClient, SwitchyardError, type Client } from '../client/index.ts';
import { environmentWith, KEY_VARIABLE } from './environment.ts';
import { startOwnServer } from './own-server.ts';
import { printable } from './print.ts';
import { importLines, isRefused } from './rules-import.ts';
import type { ServerOptions } from './server-options.ts';
import { withGateway } from './with-gateway.ts';
import { readInput, withServer } from './with-server.ts';

export interface RunCommandOptions extends ServerOptions {
  readonly mock: readonly string[];
  readonly rules?: string;
  readonly egressAllow: string;
  readonly egressCa?: string;
  readonly direct?: readonly string[];
  readonly session?: string;
  readonly newSession?: true;
}

/** The exit statuses of a shell. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;
const SIGNALLED = 128;

/** Bound of the API. */
const LABEL_CHARS_MAX = 1_000;

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const;

/**
 * @param isNamed Whether a server that runs is meant, unless there is something for a temporary one.
 * @returns The exit status of the command.
 * @throws OperatorError when it was not started.
 */
export async function runCommand(
  command: readonly string[],
  options: RunCommandOptions,
  isNamed: boolean,
): Promise<number> {
  const isEmpty = options.mock.length === 0 && options.rules === undefined;
  const isTemporary = !isNamed || !isEmpty;
  if (isTemporary && isEmpty) {
    process.stderr.write(`note: no key in ${KEY_VARIABLE}: a temporary server is used, without rules and mocks\n`);
  }
  // From here on a signal is the command's.
  const run = new CommandRun(command);
  return isTemporary
    ? withOwnServer(options, (client, named) => throughGateway(client, 'the server', options, run, named))
    : withServer(options, (client) => throughGateway(client, options.server, options, run, {}));
}

/** @param named What names the server, in the environment of the command. */
function throughGateway(
  client: Client,
  server: string,
  { session: id, newSession, direct }: RunCommandOptions,
  run: CommandRun,
  named: Readonly<Record<string, string>>,
): Promise<number> {
  const choice = { session: id, newSession: newSession && { label: run.label } };
  return withGateway(client, server, choice, async (session) => {
    const given = { ...(session === undefined ? {} : { session }), ...(direct === undefined ? {} : { direct }) };
    return run.until({ ...named, ...(await client.gateway.env(given)) });
  });
}

/** Once, and with its signals. */
class CommandRun {
  readonly #command: readonly string[];
  #pass: (signal: NodeJS.Signals) => void;

  constructor(command: readonly string[]) {
    this.#command = command;
    // A temporary server ends with this process.
    this.#pass = (signal) => process.exit(SIGNALLED + constants.signals[signal]);
    for (const signal of PASSED_ON) process.on(signal, () => this.#pass(signal));
  }

  /** Label in the console. */
  get label(): string {
    return this.#command.join(' ').slice(0, LABEL_CHARS_MAX);
  }

  /** @returns Its exit status. */
  until(added: Readonly<Record<string, string>>): Promise<number> {
    const [name = '', ...args] = this.#command;
    let child: ChildProcess;
    try {
      child = spawn(name, args, { stdio: 'inherit', env: environmentWith(added) });
    } catch (error) {
      return Promise.resolve(notStarted(name, error as Error));
    }
    this.#pass = (signal) => {
      // A terminal sends these to all that runs in it.
      const isSent = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!isSent) child.kill(signal);
    };
    return new Promise((resolve) => {
      child.on('error', (error) => {
        // A signal that could not be sent is one to a command that has ended.
        if (child.pid === undefined) resolve(notStarted(name, error));
      });
      child.on('close', (status, signal) => {
        if (child.pid !== undefined) resolve(status ?? SIGNALLED + constants.signals[signal as NodeJS.Signals]);
      });
    });
  }
}

/** Says so. Some errors are thrown, others come later. @returns The exit status. */
function notStarted(name: string, { code, message }: NodeJS.ErrnoException): number {
  const isMissing = code === 'ENOENT' || name === '';
  process.stderr.write(
    `error: ${isMissing ? `command not found: ${printable(name === '' ? "''" : name)}` : message}\n`,
  );
  return isMissing ? NOT_FOUND : NOT_EXECUTABLE;
}

/** @param use Gets what names the server to test suites, as its fixtures read it. */
async function withOwnServer(
  { mock, rules, egressAllow, egressCa }: RunCommandOptions,
  use: (client: Client, named: Record<string, string>) => Promise<number>,
): Promise<number> {
  const content = rules === undefined ? undefined : readInput(rules);
  const args = [
    ...(egressAllow === '' ? [] : ['--egress-allow', egressAllow]),
    ...(egressCa === undefined ? [] : ['--egress-ca', egressCa]),
  ];
  const own = await startOwnServer({ mocks: mock, gateway: true, args }, { isDetached: true });
  try {
    const client = createClient(own);
    if (content !== undefined) await importRules(client, rules as string, content);
    return await use(client, { SWITCHYARD_SERVER: own.apiUrl.replace(/\/v1$/, ''), [KEY_VARIABLE]: own.key });
  } catch (error) {
    if (!(error instanceof SwitchyardError)) throw error;
    throw new OperatorError(error.message);
  } finally {
    await own.stop();
  }
}

/** @throws OperatorError when one of them is refused. */
async function importRules(client: Client, file: string, content: Buffer): Promise<void> {
  const imported = await client.rules.import(content, { activate: true, atomic: true }).catch((error: unknown) => {
    throw error instanceof SwitchyardError ? new OperatorError(printable(`${file}: ${error.message}`)) : error;
  });
  if (isRefused(imported)) throw new OperatorError(printable(`${file}: ${importLines(imported, false).join('; ')}`));
}
