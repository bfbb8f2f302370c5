/** Bounds the bodies that are received to be recorded, or wait for their credentials to be replaced: one mock leaves space to others. */
import { RECORDING_WAITING_BYTES_MAX, RECORDING_WAITING_BYTES_PER_MOCK } from '../../limits.ts';

export class WaitingBytes {
  #bytes = 0;
  readonly #byMock = new Map<string, number>();

  /** @returns Whether they fit: they are to be released then. */
  take(mockId: string, bytes: number): boolean {
    const own = (this.#byMock.get(mockId) ?? 0) + bytes;
    if (own > RECORDING_WAITING_BYTES_PER_MOCK || this.#bytes + bytes > RECORDING_WAITING_BYTES_MAX) return false;
    this.#bytes += bytes;
    if (own > 0) this.#byMock.set(mockId, own);
    return true;
  }

  release(mockId: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byMock.get(mockId) ?? 0) - bytes;
    if (own > 0) this.#byMock.set(mockId, own);
    else this.#byMock.delete(mockId);
  }
}
