/** uWebSockets.js with the reply and nothing else, and the same defensive: see raw-app.ts. */
import { UWS_PACKAGE } from '../../src/wire/uws.ts';
import { installedVersion } from '../installed.ts';
import { startScript, type Server } from '../processes.ts';
import type { Contender } from './contender.ts';
import type { RawAppOptions } from './raw-app.ts';

export const raw = contender('raw', false);
export const defensive = contender('defensive', true);

function contender(name: string, isDefensive: boolean): Contender {
  return {
    name,
    missing: () => undefined,
    version: async () => installedVersion(UWS_PACKAGE),
    start: ({ rawWork }, { reply }) => startRawApp({ reply, defensive: isDefensive, parse: rawWork === 'parse' }),
  };
}

export async function startRawApp(options: RawAppOptions): Promise<Server> {
  const { child, message } = startScript('contenders/raw-app.ts', [JSON.stringify(options)]);
  return { pid: child.pid as number, port: await message<number>() };
}
