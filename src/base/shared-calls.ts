/** Makes one call at a time: who asks while one runs gets the value of the next, together with all others. */
export function sharedCalls<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Value> | undefined;
  const begin = (): Promise<Value> => {
    next = undefined;
    const made = make();
    running = made.catch(() => undefined);
    return made;
  };
  return () => (next ??= running.then(begin));
}
