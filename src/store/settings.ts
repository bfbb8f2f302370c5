/** What a store says of itself, in the table `meta`: a few numbers, which have no checksum. */
import { pack, unpack } from 'msgpackr';
import type { Database } from 'lmdb';

/**
 * `format` is that of form.ts. `initialised` is there when the first start is over. `keysGeneration` changes with the API keys.
 */
const NAMES = ['format', 'initialised', 'keysGeneration'] as const;
export type SettingName = (typeof NAMES)[number];
export const SETTING_NAMES: ReadonlySet<string> = new Set(NAMES);

export class Settings {
  readonly #meta: Database<Buffer, string>;

  constructor(meta: Database<Buffer, string>) {
    this.#meta = meta;
  }

  has(name: SettingName): boolean {
    return this.#meta.doesExist(name);
  }

  /** @returns undefined for what is damaged too. */
  get(name: SettingName): number | undefined {
    const bytes = this.#meta.get(name);
    return bytes && settingIn(bytes);
  }

  /** Durable with the transaction that it is called in. */
  put(name: SettingName, value: number): void {
    void this.#meta.put(name, pack(value));
  }
}

/** @returns undefined for bytes that are none: no number that counts up, as each of them does. */
export function settingIn(bytes: Buffer): number | undefined {
  try {
    const value: unknown = unpack(bytes);
    return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
  } catch {
    return undefined;
  }
}
