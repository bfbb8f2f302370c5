/** A value that may be there at once: then no turn of the event loop is lost for it. */
export type Later<T> = T | Promise<T>;

/** Goes on with a value, at once when it is there. */
export function whenThere<T, Result>(later: Later<T>, use: (value: T) => Later<Result>): Later<Result> {
  return later instanceof Promise ? later.then(use) : use(later);
}
