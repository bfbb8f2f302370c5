/** What processes of a server hold in memory, with garbage collected: collecting.mjs. Linux only. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { temporaryDirectory } from './server.ts';
import { ownMb } from './vital-signs.ts';

const POLL_MS = 250;
const MODULE = pathToFileURL(join(import.meta.dirname, 'collecting.mjs')).href;

interface Collecting {
  /** Of the server. */
  readonly env: Readonly<Record<string, string>>;
  /** @returns The least that each process held while garbage was collected for so long, in megabytes. */
  readonly collected: <Name extends string>(
    pids: Readonly<Record<Name, number>>,
    ms: number,
  ) => Promise<Record<Name, number>>;
}

/** @param options Further ones of Node.js. */
export function collecting(options: readonly string[] = []): Collecting {
  const file = join(temporaryDirectory(), 'collect');
  return {
    env: { NODE_OPTIONS: ['--import', MODULE, ...options].join(' '), COLLECT_FILE: file },
    async collected<Name extends string>(pids: Readonly<Record<Name, number>>, ms: number) {
      writeFileSync(file, '');
      const least = {} as Record<Name, number>;
      for (const until = performance.now() + ms; performance.now() < until; await sleep(POLL_MS)) {
        for (const name of Object.keys(pids) as Name[])
          least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, ownMb(pids[name]));
      }
      rmSync(file);
      return least;
    },
  };
}
