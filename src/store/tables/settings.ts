/** Settings of the store itself, in the table `meta`: a few numbers without a checksum. */
import { pack, unpack } from 'msgpackr';
import type { Database } from 'lmdb';

/**
 * `format` is STORE_FORMAT of store-format.ts. `initialised` is set once the first start is over.
 * `keysGeneration` changes with the API keys.
 */
const NAMES = ['format', 'initialised', 'keysGeneration'] as const;
type SettingName = (typeof NAMES)[number];
export const SETTING_NAMES: ReadonlySet<string> = new Set(NAMES);

export class Settings {
  readonly #meta: Database<Buffer, string>;

  constructor(meta: Database<Buffer, string>) {
    this.#meta = meta;
  }

  /** 0 when the store was never served, NaN when it is damaged. */
  get format(): number {
    return this.has('format') ? (this.get('format') ?? NaN) : 0;
  }

  has(name: SettingName): boolean {
    return this.#meta.doesExist(name);
  }

  /** @returns undefined for a damaged value too. */
  get(name: SettingName): number | undefined {
    const bytes = this.#meta.get(name);
    return bytes && settingIn(bytes);
  }

  /** Sets it to at least this. Durable as `put` is. */
  raise(name: SettingName, value: number): void {
    if ((this.get(name) ?? 0) < value) this.put(name, value);
  }

  /** Durable with the transaction in which it is called. */
  put(name: SettingName, value: number): void {
    void this.#meta.put(name, pack(value));
  }
}

/** @returns undefined for a damaged value: each setting is a natural number. */
export function settingIn(bytes: Buffer): number | undefined {
  try {
    const value: unknown = unpack(bytes);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  } catch {
    return undefined;
  }
}
