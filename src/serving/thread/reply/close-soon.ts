/** Closes the connection of a reply that is broken off on purpose, once its last bytes are sent. */
import type { Exchange } from './exchange.ts';

/** On a later turn: bytes reach the kernel when the callback of uWebSockets.js returns. */
export function closeSoon(exchange: Exchange): void {
  setImmediate(() => exchange.breakOff());
}
