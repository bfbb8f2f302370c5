/** Changes of one world wait for each other: what one has answered, no other undoes. */
const waiting = new Map<string, Promise<unknown>>();

/** @param world Any text that names it. */
export async function afterOthers<Value>(world: string, change: () => Promise<Value>): Promise<Value> {
  const before = waiting.get(world);
  const own = before === undefined ? change() : before.then(change, change);
  waiting.set(world, own);
  try {
    return await own;
  } finally {
    if (waiting.get(world) === own) waiting.delete(world);
  }
}
