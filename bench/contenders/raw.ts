/** uWebSockets.js with the reply and nothing else, and the same guarded: see raw-app.ts. */
import { startScript, type Server } from '../processes.ts';
import type { Contender } from './contender.ts';
import { installedVersion } from './installed.ts';
import type { RawAppOptions } from './raw-app.ts';

export const raw = contender('raw', false);
export const guarded = contender('guarded', true);

function contender(name: string, isGuarded: boolean): Contender {
  return {
    name,
    missing: () => undefined,
    version: async () => installedVersion('uWebSockets.js'),
    start: ({ rawWork }, { reply }) => startRawApp({ guarded: isGuarded, parse: rawWork === 'parse', reply }),
  };
}

export async function startRawApp(options: RawAppOptions): Promise<Server> {
  const { child, message } = startScript('contenders/raw-app.ts', [JSON.stringify(options)]);
  return { pid: child.pid as number, port: await message<number>() };
}
