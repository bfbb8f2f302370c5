/** Opens the store that the configuration names: of a data directory, or in PostgreSQL. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import type { SealedAuthorities } from '../ca/sealed-authority.ts';
import { acquireInstanceLock } from '../store/instance-lock.ts';
import { assertReadable } from '../store/check/inspection.ts';
import { DataDirectoryError, LmdbStore, MOVED_FILE, STORE_FILE } from '../store/lmdb-store.ts';
import type { AuthorityTable } from '../store/postgres/authority-table.ts';
import type { NodeTable } from '../store/postgres/node-table.ts';
import type { ConsoleCodeStore, DiskSpaceFigures, Store } from '../store/store.ts';
import { shownStore } from '../store/store-url.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';

/** Interval of freeing the read slots of killed processes, whose pages cannot be reused before. */
const DEAD_READERS_MS = 60_000;

const MIB = 1_048_576;

export interface OpenStore {
  readonly store: Store & { readonly codes: ConsoleCodeStore };
  /** Whether the first start on it is over. */
  readonly isInitialised: boolean;
  /** Records that this version serves it: the first start is over, and older versions may no longer open it. */
  markServed(): Promise<void>;
  /** Says where this server is, to commands that use the same data directory. */
  announce(origin: string): void;
  /** Lets another server have it. After the store was closed, or has failed. */
  release(): Promise<void>;
  /** The nodes that share the store; undefined for a single server. */
  readonly nodes?: NodeTable;
  /** Where their gateways have their authority, and mocks their signing keys. */
  readonly authorities?: SealedAuthorities & Pick<AuthorityTable, 'at'>;
}

/** A store on its way: what needs no port begins at once. */
interface Opening {
  /** @throws OperatorError when it cannot be used. */
  open(): Promise<OpenStore>;
  stop(): Promise<void>;
}

export function beginOpen(config: Config, log: Log): Opening {
  return config.store === undefined ? ofDirectory(config, log) : ofPostgres(config.store, config, log);
}

/** The store is inspected while the ports are opened. */
function ofDirectory({ data, historyDays, diskReserveMib }: Config, log: Log): Opening {
  const stopping = new AbortController();
  const inspection = inspect(data, stopping.signal);
  // A start that fails before it opens the store does not ask for the result.
  inspection.catch(() => undefined);
  return {
    stop: async () => stopping.abort(),
    async open() {
      if (existsSync(join(data, MOVED_FILE)))
        throw new OperatorError(`cannot use the data directory ${data}: its data was moved to PostgreSQL`);
      await inspection;
      const store = LmdbStore.open(data, {
        historyRetentionDays: historyDays,
        diskReserveBytes: diskReserveMib * MIB,
        onSpaceChanged: (space) => logDiskSpace(log, space),
      });
      try {
        const lock = await acquireInstanceLock(data, (action) => store.exclusively(action));
        const forgetting = setInterval(() => store.forgetDeadReaders(), DEAD_READERS_MS);
        const release = async (): Promise<void> => {
          clearInterval(forgetting);
          await lock.release();
        };
        return {
          store,
          isInitialised: store.initialised,
          markServed: () => store.markServed(),
          announce: (origin) => lock.announce(origin),
          release,
        };
      } catch (error) {
        await store.close();
        throw error;
      }
    },
  };
}

/** Reading a damaged store may end the process that does. */
async function inspect(data: string, signal: AbortSignal): Promise<void> {
  try {
    await assertReadable(join(data, STORE_FILE), true, signal);
  } catch (error) {
    throw new DataDirectoryError(`cannot use the data directory ${data}: ${(error as Error).message}`);
  }
}

function ofPostgres(address: string, { historyDays, node }: Config, { logger }: Log): Opening {
  return {
    stop: async () => undefined,
    async open() {
      const { PostgresStore } = await import('../store/postgres/postgres-store.ts');
      const refuse = (error: unknown): never => {
        throw new OperatorError(`cannot use the store ${shownStore(address)}: ${(error as Error).message}`);
      };
      const store = await PostgresStore.open(address, {
        historyRetentionDays: historyDays,
        onAvailability(fault) {
          if (fault === undefined) logger.warn('the database is reachable again');
          else logger.error({ err: fault }, 'the database is unreachable: the API refuses requests until it is back');
        },
      }).catch(refuse);
      await store.beginServing(node !== undefined).catch(async (error: unknown) => {
        await store.close();
        return refuse(error);
      });
      const isInitialised = await store.isInitialised();
      return {
        store,
        isInitialised,
        markServed: () => store.markServed(),
        announce: () => undefined,
        release: async () => undefined,
        ...(node && { nodes: store.nodes(), authorities: store.authorities() }),
      };
    },
  };
}

function logDiskSpace({ logger }: Log, { isFull, ...space }: DiskSpaceFigures): void {
  if (isFull) logger.error(space, 'the disk is full: the server accepts only reads and deletes');
  else logger.warn(space, 'the disk has free space again');
}
