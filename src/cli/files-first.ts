/** `switchyard openapi.yaml`: files and folders where a command is expected are served as mocks, on ports that are free. */
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { isAbsolute } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { variableOf } from './environment.ts';
import { API_PORT, HOST, MOCK_PORT } from './options.ts';

const PORTS_TRIED = 50;

/**
 * @param args     Of the command line, without the program.
 * @param commands The names that commands have.
 * @returns The arguments of `serve`; undefined when a command or an option is first. @throws OperatorError when the first is neither a command nor a file.
 */
export async function filesFirst(
  args: readonly string[],
  commands: ReadonlySet<string>,
): Promise<readonly string[] | undefined> {
  const [first = '-'] = args;
  if (first.startsWith('-') || commands.has(first)) return undefined;
  // What looks like a mistyped command is commander's to answer.
  if (!existsSync(first) && /^[\w-]+$/.test(first)) return undefined;
  const end = args.findIndex((each) => each.startsWith('-'));
  const files = end === -1 ? args : args.slice(0, end);
  const options = args.slice(files.length);
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new OperatorError(`there is no file, folder or command ${missing}`);
  const host = optionValue('--host', options) ?? HOST;
  const apiPort = await portOption('--port', API_PORT, host, options, optionValue('--mock-port', options));
  const mockPort = await portOption(
    '--mock-port',
    MOCK_PORT,
    host,
    options,
    optionValue('--port', [...options, ...apiPort]),
  );
  return ['serve', ...files.flatMap((file) => ['--mock', pathWithoutId(file)]), ...apiPort, ...mockPort, ...options];
}

/** `--mock` reads what stands before a "=" as an id, unless it has a "/". */
function pathWithoutId(file: string): string {
  return file.includes('=') && !isAbsolute(file) ? `./${file}` : file;
}

/**
 * A port that is given is used, or refused; the default gives way to the next that is free.
 *
 * @param other The port of the other listener.
 */
async function portOption(
  name: string,
  from: number,
  host: string,
  options: readonly string[],
  other: string | undefined,
): Promise<string[]> {
  if (optionValue(name, options) !== undefined) return [];
  for (let port = from; port < from + PORTS_TRIED; port++) {
    if (String(port) !== other && (await isFree(port, host))) return [name, String(port)];
  }
  return [];
}

/** @returns What the command line or the environment gives an option. */
function optionValue(name: string, options: readonly string[]): string | undefined {
  const at = options.findIndex((each) => each === name || each.startsWith(`${name}=`));
  if (at === -1) return variableOf(name);
  return options[at] === name ? options[at + 1] : options[at]?.slice(name.length + 1);
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false)).listen(port, host, () => server.close(() => resolve(true)));
  });
}
