/** When a request that waits for something looks again. */

const LOOK_EVERY_MS = 50;
/** Between two looks of one owner, whatever they wait for: thousands that wait at once would keep the process and its channels busy. */
const LOOK_APART_MS = 1;

const lastLooks = new Map<string, number>();

/** Waits until a request of an owner that waits for something may look again. */
export function nextLook(ownerId: string, everyMs = LOOK_EVERY_MS): Promise<void> {
  const now = performance.now();
  const at = Math.max(now + everyMs, (lastLooks.get(ownerId) ?? 0) + LOOK_APART_MS);
  lastLooks.set(ownerId, at);
  return new Promise((look) => setTimeout(look, at - now));
}
