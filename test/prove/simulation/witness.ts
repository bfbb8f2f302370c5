/**
 * Watches one run: what the disk took, what was replied, and whether both agree with the oracle.
 *
 * Every commit has its place, the owner's version, so a reply fits when it is what the oracle says for some version that was durable when
 * the reply came, and that is not below what anybody had been told before the request was made. That is linearizability of the
 * whole owner, and durability of all that is revealed.
 */
import { isRefusal, type RefusalKind } from '../../../src/errors.ts';
import { IDEMPOTENCY_RETENTION_MS } from '../../../src/limits.ts';
import type { Commit } from '../../../src/store/store.ts';
import { differenceOf, EMPTY, expectedOf, textOf, type Operation, type View } from './oracle.ts';
import { answerText, recordText, type Outcome } from './requests.ts';
import type { DurableOwner } from './simulated-store.ts';

export interface Request {
  readonly number: number;
  readonly ownerId: string;
  readonly operation: Operation;
  readonly user: string;
  readonly idempotencyKey: string | undefined;
  /** What anybody had been told of its owner when it was made. */
  readonly revealedBefore: number;
  /** Durable versions of all owners when it was made, in the order of `OWNERS`. */
  readonly durableBefore: readonly number[];
  /** Whether it is a bug that throws, which must not be answered. */
  readonly isBug: boolean;
  replies: number;
  /** `refused` had no effect; of what is `unknown` one may show, or none. */
  fate: 'waiting' | 'answered' | 'refused' | 'unknown';
}

interface Landed {
  readonly request: Request;
  readonly version: number;
  readonly answer: string;
  /** By the clock that may jump. */
  readonly date: number | undefined;
}

export const OWNERS = ['alpha', 'beta', 'gamma'] as const;

export class Witness {
  readonly violations: string[] = [];
  readonly requests: Request[] = [];
  /** Whether this run makes no faults: then nobody may be told of one. */
  readonly #faultless: boolean;
  readonly #views = new Map<string, View[]>(OWNERS.map((ownerId) => [ownerId, [EMPTY]]));
  readonly #revealed = new Map<string, number>();
  readonly #landed = new Map<number, Landed>();
  /** Oldest first. More than one when the clock jumped over the retention. */
  readonly #landedByKey = new Map<string, Landed[]>();
  readonly #latestDates = new Map<string, number>();
  readonly #usedIds = new Set<string>();

  constructor(faultless: boolean) {
    this.#faultless = faultless;
  }

  /** Versions of all owners that are durable now. */
  durable(): number[] {
    return OWNERS.map((ownerId) => this.#viewsOf(ownerId).length - 1);
  }

  revealed(ownerId: string): number {
    return this.#revealed.get(ownerId) ?? 0;
  }

  latest(ownerId: string): View {
    return this.#viewsOf(ownerId).at(-1) as View;
  }

  violated(what: string): void {
    this.violations.push(what);
  }

  /** The disk has taken a commit. */
  onLanded(commit: Commit): void {
    const { principal, date, changes, idempotency } = commit;
    const { ownerId } = principal;
    const request = this.requests[Number(principal.keyId.slice(1))] as Request;
    const who = nameOf(request);
    if (this.#landed.has(request.number)) this.violated(`${who} is stored twice`);
    if (request.fate === 'refused') this.violated(`${who} was refused without effect, and is stored`);

    const before = this.latest(ownerId);
    const made = changes.find((change) => 'isNew' in change && change.isNew);
    const newId = made === undefined ? '' : recordOf(made).id;
    if (this.#usedIds.has(newId)) this.violated(`${who} makes ${newId}, which was there before`);
    if (newId !== '') this.#usedIds.add(newId);
    const circumstances = { user: request.user, date, newId, heldElsewhere: () => false };
    const expected = expectedOf(before, request.operation, circumstances);
    if (expected.view === before) this.violated(`${who} is stored, and should be refused: ${expected.refused}`);
    const stored = changes.map((change) =>
      change.kind.startsWith('put') ? recordText(recordOf(change)) : `without ${recordOf(change).id}`,
    );
    const difference = differenceOf(before, expected.view);
    if (stored.toSorted().join('\n') !== difference.join('\n')) {
      this.violated(`${who} stores ${stored.join('; ')} and should store ${difference.join('; ')}`);
    }
    if (date < (this.#latestDates.get(ownerId) ?? 0)) this.violated(`${who} goes back in time to ${date}`);
    this.#latestDates.set(ownerId, date);
    const backdated = [...expected.view.rules, ...expected.view.groups].find((entry) => entry.writtenAt < entry.madeAt);
    if (backdated !== undefined) this.violated(`${who} leaves ${textOf(backdated)}: written before it was made`);

    const version = commit.expectedVersion + 1;
    if (version !== before.version + 1) this.violated(`${who} is version ${version} after ${before.version}`);
    const landed = { request, version, answer: expected.answer ?? '', date: idempotency?.date };
    this.#landed.set(request.number, landed);
    if (idempotency !== undefined) this.#checkFirst(landed, idempotency.key);
    this.#viewsOf(ownerId).push({ ...expected.view, version });
  }

  /** A key has one effect within its retention, as the clock tells. */
  #checkFirst(landed: Landed, key: string): void {
    const earlier = this.#landedByKey.get(key) ?? [];
    this.#landedByKey.set(key, [...earlier, landed]);
    const first = earlier.at(-1);
    if (first === undefined) return;
    const isKept = (first.date as number) + IDEMPOTENCY_RETENTION_MS > (landed.date as number);
    if (isKept) this.violated(`${nameOf(landed.request)} and ${nameOf(first.request)} have an effect each`);
  }

  onReply(request: Request, outcome: Outcome): void {
    const who = nameOf(request);
    request.replies++;
    if (request.replies > 1) return this.violated(`${who} got a second reply`);
    const kind = isRefusal(outcome) ? outcome.kind : undefined;
    if (kind === 'overloaded' || kind === 'ownerReset' || kind === 'storeUnavailable') {
      request.fate = 'refused';
      if (this.#landed.has(request.number)) this.violated(`${who} is refused without effect, and was stored`);
      if (kind !== 'overloaded' && this.#faultless) this.violated(`${who} hears of a fault that never was`);
      return undefined;
    }
    if (kind === 'serverError') {
      request.fate = 'unknown';
      if (this.#faultless) this.violated(`${who} hears of a fault that never was`);
      return undefined;
    }
    request.fate = 'answered';
    // The first answer to its key is given without deciding anything.
    const isBug = request.isBug && this.#firstsOf(request.idempotencyKey).length === 0;
    if (isBug) return this.violated(`${who} is a bug, and is answered`);
    if (kind === 'idempotencyKeyReused') return this.#checkReused(request);
    const text = isRefusal(outcome) ? undefined : answerText(outcome);
    const writes = !/^(read|list)/.test(request.operation.kind);
    if (writes && text !== undefined) return this.#checkWritten(request, text);
    return this.#checkRead(request, kind, text);
  }

  /** An answer to a command reveals a commit that is on the disk: its own, or that of the request that it repeats. */
  #checkWritten(request: Request, text: string): void {
    const { number, ownerId, idempotencyKey, revealedBefore } = request;
    const who = nameOf(request);
    const own = this.#landed.get(number);
    const firsts = own !== undefined ? [own] : this.#firstsOf(idempotencyKey);
    if (firsts.length === 0) return this.violated(`${who} is acknowledged, and is not on the disk`);
    const first = firsts.find(({ answer }) => answer === text);
    if (first === undefined) return this.violated(`${who} is answered\n${text}\nand not\n${firsts.at(-1)?.answer}`);
    if (own !== undefined && own.version <= revealedBefore) {
      this.violated(`${who} became version ${own.version} after ${revealedBefore} was seen`);
    }
    this.#reveal(ownerId, first.version);
  }

  #checkReused(request: Request): void {
    const body = bodyOf(request.operation);
    if (!this.#firstsOf(request.idempotencyKey).some((first) => bodyOf(first.request.operation) !== body)) {
      this.violated(`${nameOf(request)} is told of another use of its key, and there was none`);
    }
  }

  /** The lowest version that fits is what it reveals. */
  #checkRead(request: Request, kind: RefusalKind | undefined, text: string | undefined): void {
    const views = this.#viewsOf(request.ownerId);
    for (const view of views.slice(request.revealedBefore)) {
      for (const heldElsewhere of this.#heldElsewhere(request)) {
        const expected = expectedOf(view, request.operation, { user: request.user, date: 0, newId: '', heldElsewhere });
        if (expected.refused === kind && (kind !== undefined || expected.answer === text)) {
          return this.#reveal(request.ownerId, view.version);
        }
      }
    }
    const range = `${request.revealedBefore} to ${views.length - 1}`;
    return this.violated(`${nameOf(request)} is answered ${kind ?? text}, which fits no version from ${range}`);
  }

  /** What of the named records another owner may have held at some moment between the request and its reply: each way it could be. */
  #heldElsewhere({ operation, ownerId, durableBefore }: Request): ((id: string) => boolean)[] {
    const during = OWNERS.flatMap((other, index) =>
      other === ownerId ? [] : [this.#viewsOf(other).slice(durableBefore[index])],
    );
    let ways: string[][] = [[]];
    for (const member of ['id', 'groupId'] as const) {
      const id = member in operation ? (operation as { [member]?: string })[member] : undefined;
      const isIn = (view: View): boolean => [...view.rules, ...view.groups].some((entry) => entry.id === id);
      if (id === undefined || !during.some((views) => views.some(isIn))) continue;
      const held = ways.map((way) => [...way, id]);
      ways = during.some((views) => views.every(isIn)) ? held : [...ways, ...held];
    }
    return ways.map((way) => (id) => way.includes(id));
  }

  #firstsOf(idempotencyKey: string | undefined): readonly Landed[] {
    return (idempotencyKey === undefined ? undefined : this.#landedByKey.get(idempotencyKey)) ?? [];
  }

  #reveal(ownerId: string, version: number): void {
    this.#revealed.set(ownerId, Math.max(this.revealed(ownerId), version));
  }

  /** What is on the disk is the fold of the commands that it took. */
  checkDisk(ownerId: string, { version, rules, groups }: DurableOwner): void {
    const view = this.latest(ownerId);
    if (version !== view.version) this.violated(`${ownerId} has version ${version} instead of ${view.version}`);
    for (const [kind, stored] of [
      ['rules', rules],
      ['groups', groups],
    ] as const) {
      const found = [...stored.values()].map(recordText).toSorted().join('\n');
      const expected = view[kind].map(textOf).toSorted().join('\n');
      if (found !== expected) this.violated(`${kind} of ${ownerId} are\n${found}\ninstead of\n${expected}`);
    }
  }

  #viewsOf(ownerId: string): View[] {
    return this.#views.get(ownerId) as View[];
  }
}

export function nameOf({ number, ownerId, operation }: Request): string {
  return `#${number} ${operation.kind} of ${ownerId}`;
}

/** What a client sends with a command: equal for repetitions. */
export function bodyOf(operation: Operation): string {
  return JSON.stringify(operation);
}

function recordOf(change: Commit['changes'][number]): Parameters<typeof recordText>[0] {
  if ('rule' in change) return change.rule;
  if ('group' in change) return change.group;
  throw new Error('the simulation has no mocks');
}
