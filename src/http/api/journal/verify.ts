/**
 * Verification: whether what is expected is on record, of requests, exchanges or callbacks. Polls until it is, cannot be any more, or the
 * time is over.
 *
 * An order is one entry for each step, each after that of the step before; others may lie between. The first entry that matches a step is
 * taken for it: if any choice of entries is in order, this one is. What was found stays found, so each poll goes on with the step that is
 * missing.
 */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import type { NumberedRecord } from '../../../model/journal.ts';
import type { Call } from '../../call.ts';
import { nextLook } from './next-look.ts';

/** Bounds of a count, from an expectation. */
interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
}

/** An expectation of requests, callbacks or exchanges: of a count with `match`, of an order with `inOrder`. */
interface Expectation extends Bounds {
  readonly match?: unknown;
  readonly inOrder?: readonly unknown[];
  readonly withinMs?: number;
}

/** Entries that match, as of one moment. */
interface Look<Entry> {
  readonly count: number;
  readonly truncated: boolean;
  /** Count of entries of which it is unknown whether they match. */
  readonly unjudged?: number;
  readonly epoch: string;
  /** The first one after `afterNumber`. */
  readonly records: readonly Entry[];
  /** Another one, after a reset for example, makes what was found before void. */
  readonly life: string;
}

/** Which entries are wanted besides their count: the first one after a number, or none. */
type Range = { readonly limit: 0 } | { readonly limit: 1; readonly afterNumber: number; readonly isOldestFirst: true };

/** Where a verification looks. */
export interface Verified<Step, Entry extends NumberedRecord> {
  /** One where a count is expected. */
  readonly steps: readonly Step[];
  /** Whether it may be unknown of an entry whether it matches. */
  readonly mayBeUnjudged?: boolean;
  /** @returns Undefined while the process that has the entries is away. */
  readonly look: (step: Step, range: Range) => Promise<Look<Entry> | Refusal | undefined>;
  /** Members of an answer that is not verified: what came closest. @param after Number of the entry of the step before. */
  readonly closest: (step: Step, after: number) => Promise<object>;
  readonly represent: (entry: Entry) => object;
}

/** Polls. @param isDraining Whether the service is stopping: a verification then ends with the current result. */
export async function verify<Step, Entry extends NumberedRecord>(
  call: Call,
  { match, withinMs = 0, ...bounds }: Expectation,
  isDraining: () => boolean,
  verified: Verified<Step, Entry>,
): Promise<object> {
  const deadline = performance.now() + withinMs;
  const judge = match === undefined ? orderOf(verified) : countOf(verified, bounds);
  for (;;) {
    const isLast = performance.now() >= deadline || !call.open || isDraining();
    const outcome = await judge(isLast);
    if (typeof outcome === 'object') return outcome;
    if (outcome === 'again') continue;
    if (isLast) return refuse('overloaded');
    await nextLook(call.caller.ownerId);
  }
}

/** One poll. @returns The answer; `again` for another one at once. */
type Judge = (isLast: boolean) => Promise<object | 'again' | undefined>;

function countOf<Step, Entry extends NumberedRecord>(
  verified: Verified<Step, Entry>,
  { atLeast, atMost = Infinity, exactly }: Bounds,
): Judge {
  const upper = Math.min(atMost, exactly ?? Infinity);
  const lower = exactly ?? atLeast ?? (upper === Infinity ? 1 : 0);
  const step = verified.steps[0] as Step;
  return async (isLast) => {
    const look = await verified.look(step, { limit: 0 });
    if (look === undefined || isRefusal(look)) return look;
    const { count, truncated, unjudged = 0, epoch } = look;
    // With entries lost, an upper bound cannot be confirmed; with unjudged ones, only if they may all match.
    const isUpperKnown = upper === Infinity || (!truncated && count + unjudged <= upper);
    const isMet = count >= lower && count <= upper && isUpperKnown;
    const answer = {
      verified: isMet,
      count,
      truncated,
      ...(verified.mayBeUnjudged === true ? { unjudged } : {}),
      epoch,
    };
    if (isMet) return answer;
    // No wait changes a count that is above.
    return isLast || count > upper ? { ...answer, ...(await verified.closest(step, 0)) } : undefined;
  };
}

function orderOf<Step, Entry extends NumberedRecord>(verified: Verified<Step, Entry>): Judge {
  const { steps, mayBeUnjudged } = verified;
  let found: Entry[] = [];
  let life: string | undefined;
  let unjudged = 0;
  return async (isLast) => {
    const step = steps[found.length] as Step;
    const afterNumber = found.at(-1)?.number ?? 0;
    const look = await verified.look(step, { limit: 1, afterNumber, isOldestFirst: true });
    if (look === undefined || isRefusal(look)) return look;
    const isAnother = life !== undefined && life !== look.life;
    life = look.life;
    if (isAnother) {
      [found, unjudged] = [[], 0];
      return 'again';
    }
    found.push(...look.records);
    unjudged = Math.max(unjudged, look.unjudged ?? 0);
    const { truncated, epoch } = look;
    const answer = { count: found.length, truncated, ...(mayBeUnjudged === true ? { unjudged } : {}), epoch };
    if (found.length === steps.length) return { verified: true, ...answer };
    if (look.records.length > 0) return 'again';
    if (!isLast) return undefined;
    const order = { missing: found.length, found: found.map(verified.represent) };
    return { verified: false, ...answer, order, ...(await verified.closest(step, afterNumber)) };
  };
}

/** Members that do not go together, and bounds that no count can fit. */
export function contradictionsIn({ match, inOrder = [], exactly, atLeast, atMost }: Expectation): Detail[] {
  const details: Detail[] = [];
  const blame = (path: string, message: string): void => void details.push({ path, message });
  if (inOrder.length > 0) {
    if (match !== undefined) blame('/inOrder', 'cannot be combined with match');
    const given = Object.entries({ exactly, atLeast, atMost }).find(([, count]) => count !== undefined);
    if (given !== undefined) blame(`/${given[0]}`, 'requires match: inOrder expects one request per step');
    return details;
  }
  if (match === undefined) blame('/match', 'is required, unless inOrder is given');
  if (exactly !== undefined && (atLeast !== undefined || atMost !== undefined))
    blame('/exactly', 'cannot be combined with atLeast and atMost');
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) blame('/atLeast', 'is above atMost');
  return details;
}
