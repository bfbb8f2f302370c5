/** One mock as a sequential object: its name, its working copy and its last saved version. */
import type { Model } from './check-history.ts';
import type { Sights } from './unanswered.ts';

interface Guarded {
  readonly ifMatch?: string | undefined;
}

/** The record as an answer shows it. Its tag covers its name, not its working copy. */
export interface ShownMock {
  readonly name: string;
  readonly version: number;
  readonly hasStagedChanges: boolean;
  readonly etag?: string | undefined;
}

/** A request, with its answer unless that is unknown. */
export type MockCall =
  | (Guarded & { readonly kind: 'rename'; readonly name: string; readonly answer?: ShownMock | 'preconditionFailed' })
  | (Guarded & { readonly kind: 'stage'; readonly value: string; readonly answer?: Staged | 'preconditionFailed' })
  | (Guarded & { readonly kind: 'save'; readonly answer?: ShownMock | 'preconditionFailed' })
  | { readonly kind: 'read'; readonly answer: ShownMock }
  | { readonly kind: 'readStaged'; readonly answer: Staged }
  /** `value` is undefined when there is no such version. */
  | { readonly kind: 'readVersion'; readonly version: number; readonly value: string | undefined };

export interface Staged {
  readonly value: string;
  readonly etag: string;
}

export interface MockState {
  readonly name: string;
  /** Undefined until somebody has seen it. */
  readonly nameTag: string | undefined;
  readonly staged: string;
  readonly stagedTag: string | undefined;
  /** What each version saved, from the first. */
  readonly saved: readonly string[];
}

/** Thousands of versions: a state is made from another without a copy of them. */
interface Saved {
  readonly value: string;
  readonly count: number;
  readonly before: Saved | undefined;
  /** Of the last ones. */
  key?: string;
}

type State = Omit<MockState, 'saved'> & { readonly saved: Saved };

/** Clients read the version that they saw last, while others save: it is among the last of these. */
const VERSIONS_READ = 30;

export function mockModel({ saved: versions, ...initial }: MockState): Model<State, MockCall> {
  return {
    initial: { ...initial, saved: versions.reduce(savedAfter, undefined as Saved | undefined) as Saved },
    // States that differ in a version that somebody may still read are not one state.
    keyOf: ({ name, nameTag, staged, stagedTag, saved }) =>
      [name, nameTag ?? '?', staged, stagedTag ?? '?', keyOf(saved)].join(' '),
    isHarmless: (call) => call.kind.startsWith('read') || ('answer' in call && call.answer === 'preconditionFailed'),
    after(state, call) {
      switch (call.kind) {
        case 'rename': {
          const held = call.ifMatch === undefined || call.ifMatch === state.nameTag;
          if (!held || call.answer === 'preconditionFailed') return refusedRightly(state, held, call.answer);
          return shownAs({ ...state, name: call.name, nameTag: call.answer?.etag }, call.answer);
        }
        case 'stage': {
          const held = call.ifMatch === undefined || call.ifMatch === state.stagedTag;
          if (!held || call.answer === 'preconditionFailed') return refusedRightly(state, held, call.answer);
          if (call.answer !== undefined && call.answer.value !== call.value) return undefined;
          return { ...state, staged: call.value, stagedTag: call.answer?.etag };
        }
        case 'save': {
          const held = call.ifMatch === undefined || call.ifMatch === state.stagedTag;
          if (!held || call.answer === 'preconditionFailed') return refusedRightly(state, held, call.answer);
          return shownAs({ ...state, saved: savedAfter(state.saved, state.staged) }, call.answer);
        }
        case 'read':
          return shownAs(state, call.answer);
        case 'readStaged': {
          const { value, etag } = call.answer;
          if (value !== state.staged || (state.stagedTag ?? etag) !== etag) return undefined;
          return state.stagedTag === etag ? state : { ...state, stagedTag: etag };
        }
        case 'readVersion':
          return valueOf(state.saved, call.version) === call.value ? state : undefined;
      }
    },
  };
}

/** Each name and each working copy is a new one; a save writes what is there. */
export const mockSights: Sights<MockCall> = {
  written(call) {
    if (call.kind === 'rename') return `name ${call.name}`;
    return call.kind === 'stage' ? `routes ${call.value}` : undefined;
  },
  shown(call) {
    if (call.kind === 'readVersion') return call.value === undefined ? [] : [`routes ${call.value}`];
    const { answer } = call;
    if (answer === undefined || answer === 'preconditionFailed') return [];
    return ['value' in answer ? `routes ${answer.value}` : `name ${answer.name}`];
  },
};

function savedAfter(before: Saved | undefined, value: string): Saved {
  return { value, count: (before?.count ?? 0) + 1, before };
}

function valueOf(saved: Saved, version: number): string | undefined {
  if (version > saved.count) return undefined;
  let at: Saved | undefined = saved;
  while (at !== undefined && at.count > version) at = at.before;
  return at?.value;
}

function keyOf(saved: Saved): string {
  if (saved.key !== undefined) return saved.key;
  const values: string[] = [];
  for (let at: Saved | undefined = saved; at !== undefined && values.length < VERSIONS_READ; at = at.before)
    values.push(at.value);
  return (saved.key = [saved.count, ...values].join(' '));
}

function refusedRightly(state: State, held: boolean, answer: unknown): State | undefined {
  return !held && answer === 'preconditionFailed' ? state : undefined;
}

/** @returns The state with the tag that was seen, undefined when the answer shows another. */
function shownAs(state: State, shown: ShownMock | undefined): State | undefined {
  if (shown === undefined) return state;
  const { name, version, hasStagedChanges, etag } = shown;
  const { saved, staged, nameTag } = state;
  if (name !== state.name || version !== saved.count || hasStagedChanges !== (staged !== saved.value)) return undefined;
  if (etag === undefined || etag === nameTag) return state;
  return nameTag === undefined ? { ...state, nameTag: etag } : undefined;
}
