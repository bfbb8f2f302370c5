/** The options of every command that talks to a server. */
import { InvalidArgumentError, type Command, type Option } from 'commander';
import { nonEmpty } from './option-values.ts';
import { KEY_VARIABLE, option } from './environment.ts';

export interface ServerOptions {
  /** Without the version: `http://127.0.0.1:8080`. */
  readonly server: string;
  readonly keyFile?: string;
}

export function addServerOptions(command: Command): Command {
  return command
    .addOption(serverOption())
    .addOption(option('--key-file <file>', `file with the API key, instead of ${KEY_VARIABLE}`, undefined, nonEmpty));
}

/** Where the server is. */
export function serverOption(): Option {
  return option('--server <url>', 'address of the server', 'http://127.0.0.1:8080', serverUrl);
}

/** URL as `serve` prints it, with or without its path. */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === undefined || !/^https?:$/.test(url.protocol) || !isPlain) {
    throw new InvalidArgumentError('Expected a URL such as http://127.0.0.1:8080.');
  }
  return `${url.origin}${url.pathname.replace(/(\/v1)?\/*$/, '')}`;
}
