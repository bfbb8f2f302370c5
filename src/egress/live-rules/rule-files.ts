/** Files that rules serve in one exchange: read at each request, and counted among the bodies in memory until they are sent. */
import { readBelow } from '../../base/open-file.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { RULE_FILE_BYTES_MAX } from '../../limits.ts';
import type { RuleFile } from '../../rules-table/rule-file.ts';

export class RuleFiles {
  readonly #folders: readonly string[];
  readonly #held: WaitingBytes;
  readonly #ownerId: string;
  #bytes = 0;
  #isReleased = false;

  /** @param folders Without links. */
  constructor(folders: readonly string[], held: WaitingBytes, ownerId: string) {
    this.#folders = folders;
    this.#held = held;
    this.#ownerId = ownerId;
  }

  /** Never rejects. */
  readonly read = (path: string): Promise<RuleFile> =>
    readBelow(this.#folders, path, RULE_FILE_BYTES_MAX, (bytes) => {
      if (this.#isReleased || !this.#held.take(this.#ownerId, bytes)) return false;
      this.#bytes += bytes;
      return true;
    });

  /** The exchange is over. */
  release(): void {
    this.#isReleased = true;
    this.#held.release(this.#ownerId, this.#bytes);
    this.#bytes = 0;
  }
}
