/** mockttp as a proxy that sets one header each way, in a process of its own. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peerFolder } from '../installed.ts';

interface Mockttp {
  readonly getLocal: () => {
    readonly port: number;
    start(): Promise<void>;
    forAnyRequest(): { thenPassThrough(options: object): Promise<void> };
  };
}

const [name, value] = process.argv.slice(2) as [string, string];
const { getLocal } = (await import(
  pathToFileURL(join(peerFolder('mockttp'), 'dist/main.js')).href
)) as unknown as Mockttp;
const server = getLocal();
await server.start();
const updateHeaders = { [name]: value };
await server
  .forAnyRequest()
  .thenPassThrough({ transformRequest: { updateHeaders }, transformResponse: { updateHeaders } });
process.on('disconnect', () => process.exit());
process.send?.(server.port);
