/**
 * What an owner's rules take in memory, measured in a process of its own: `--expose-gc resident-rules.ts <data> <owner>`.
 *
 * The owner is loaded as the service loads it. The collector runs before and after, so that only what is kept counts. RSS
 * holds pages of the store that were read, which the system takes back when it needs them, and what V8 keeps for later: it is
 * told with and without mapped files.
 */
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ruleJson } from '../src/http/represent.ts';
import { LmdbStore } from '../src/store/lmdb-store.ts';

/** Sums over all rules. */
export interface ResidentRules {
  readonly ruleCount: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** RSS without mapped files. */
  readonly anonymousBytes: number;
  /** The rules as clients see them. */
  readonly jsonBytes: number;
}

/** Memory comes in pages: too few rules to fill one count as one. */
const PAGE_BYTES = 4_096;

const [data, ownerId] = process.argv.slice(2) as [string, string];
const store = LmdbStore.open(data);
// Compiles what loads an owner, so that its code does not count as a rule.
await store.loadOwner('nobody');
const before = await memory();
const state = await store.loadOwner(ownerId);
const after = await memory();
const grown = (name: keyof Memory) => Math.max(PAGE_BYTES, after[name] - before[name]);
let jsonBytes = 0;
for (const rule of state.rules.ordered()) jsonBytes += Buffer.byteLength(ruleJson(rule, ownerId));
process.send?.({
  ruleCount: state.rules.count,
  heapBytes: grown('heap'),
  rssBytes: grown('rss'),
  anonymousBytes: grown('anonymous'),
  jsonBytes,
} satisfies ResidentRules);
await store.close();
process.disconnect();

interface Memory {
  readonly heap: number;
  readonly rss: number;
  readonly anonymous: number;
}

async function memory(): Promise<Memory> {
  // What a first collection finalises, a second one frees.
  for (let run = 0; run < 3; run++) {
    await nextTurn();
    globalThis.gc?.();
  }
  const status = readFileSync('/proc/self/status', 'latin1');
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]);
  return {
    heap: process.memoryUsage().heapUsed,
    rss: kilobytes('VmRSS') * 1_024,
    anonymous: kilobytes('RssAnon') * 1_024,
  };
}
