/** Proxies that change HTTP and HTTPS on its way, as clients use them that know their proxy: each sets one header each way. */
import { findProgram, missingPeer } from '../installed.ts';
import { startProgram, startScript, type Server } from '../processes.ts';
import { freePort, listening } from './ports.ts';

export interface Proxy {
  readonly name: string;
  /** @returns What it needs and this machine lacks. */
  missing(): string | undefined;
  /** @param upstreamPort Of the service behind, for a proxy that is asked as the service itself. */
  start(upstreamPort: number, header: { readonly name: string; readonly value: string }): Promise<Server>;
}

/** What node:http and undici cost alone. */
export const relay: Proxy = {
  name: 'bare relay',
  missing: () => undefined,
  start: (_, header) => startApp('contenders/relay-app.ts', header),
};

export const mockttp: Proxy = {
  name: 'mockttp',
  missing: () => missingPeer('mockttp'),
  start: (_, header) => startApp('contenders/mockttp-app.ts', header),
};

/** As Debian packages it. */
export const mitmproxy: Proxy = {
  name: 'mitmproxy',
  missing: () => (findProgram('mitmdump') === undefined ? 'not installed: apt install mitmproxy' : undefined),
  async start(_, { name, value }) {
    const port = await freePort();
    const headers = ['~q', '~s'].flatMap((filter) => ['--modify-headers', `/${filter}/${name}/${value}`]);
    const args = ['--quiet', '--listen-host', '127.0.0.1', '--listen-port', String(port), ...headers];
    return listening(startProgram(findProgram('mitmdump') as string, args), port);
  },
};

async function startApp(file: string, { name, value }: Parameters<Proxy['start']>[1]): Promise<Server> {
  const { child, message } = startScript(file, [name, value]);
  return { pid: child.pid as number, port: await message<number>() };
}
