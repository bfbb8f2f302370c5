/** Requests that nothing answered, in words: each with the reason. */
import type { RequestRecord, TryAnswer } from './shapes.ts';

/** A request that no route answered. */
export interface Miss {
  readonly request: RequestRecord;
  readonly reason: string;
}

export class MissesError extends Error {
  override readonly name = 'MissesError';
  /** All there were. */
  readonly count: number;
  /** The newest, newest first. */
  readonly misses: readonly Miss[];

  /** @param hint The last line of the message; none when it is empty. */
  constructor(count: number, misses: readonly Miss[], hint = '') {
    const lines = misses.map(({ request: { method, path, query, status }, reason }) => {
      const target = query === '' ? path : `${path}?${query}`;
      return `  ${method} ${target} -> ${status}${reason === '' ? '' : `: ${reason}`}`;
    });
    const more = count - misses.length;
    super(
      [
        `expected no request to go unmatched, but ${count} did`,
        ...lines,
        ...(more > 0 ? [`  and ${more} more`] : []),
        ...(hint === '' ? [] : [hint]),
      ].join('\n'),
    );
    this.count = count;
    this.misses = misses;
  }
}

interface NearRoute {
  readonly method: string;
  readonly path: string;
  readonly problems: readonly string[];
}

/** Reason why the nearest route did not match. @param answer To the same request as a dry run, in which no route matches. */
export function reasonOf({ explanation }: TryAnswer): string {
  const [nearest] = (explanation['nearest'] ?? []) as readonly NearRoute[];
  if (nearest === undefined) return 'the mock has no route';
  return `no route matches; nearest is ${nearest.method} ${nearest.path}: ${nearest.problems.join(', ')}`;
}
