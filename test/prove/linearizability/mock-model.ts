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

/** Clients read the version that they saw last, while others save: it is among the last of these. */
const VERSIONS_READ = 30;

export function mockModel(initial: MockState): Model<MockState, MockCall> {
  return {
    initial,
    // States that differ in a version that somebody may still read are not one state.
    keyOf: ({ name, nameTag, staged, stagedTag, saved }) =>
      [name, nameTag ?? '?', staged, stagedTag ?? '?', saved.length, ...saved.slice(-VERSIONS_READ)].join(' '),
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
          return shownAs({ ...state, saved: [...state.saved, state.staged] }, call.answer);
        }
        case 'read':
          return shownAs(state, call.answer);
        case 'readStaged': {
          const { value, etag } = call.answer;
          if (value !== state.staged || (state.stagedTag ?? etag) !== etag) return undefined;
          return state.stagedTag === etag ? state : { ...state, stagedTag: etag };
        }
        case 'readVersion':
          return state.saved[call.version - 1] === call.value ? state : undefined;
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

function refusedRightly(state: MockState, held: boolean, answer: unknown): MockState | undefined {
  return !held && answer === 'preconditionFailed' ? state : undefined;
}

/** @returns The state with the tag that was seen, undefined when the answer shows another. */
function shownAs(state: MockState, shown: ShownMock | undefined): MockState | undefined {
  if (shown === undefined) return state;
  const { name, version, hasStagedChanges, etag } = shown;
  const { saved, staged, nameTag } = state;
  if (name !== state.name || version !== saved.length || hasStagedChanges !== (staged !== saved.at(-1)))
    return undefined;
  if (etag === undefined || etag === nameTag) return state;
  return nameTag === undefined ? { ...state, nameTag: etag } : undefined;
}
