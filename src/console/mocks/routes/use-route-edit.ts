/**
 * A route while it is edited: what the server has, what is typed, and how one becomes the other.
 *
 * What is typed stands in a draft until the server has taken it. A route that somebody else has changed meanwhile is
 * not overwritten: `conflict` then holds theirs.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { DefinitionWarning } from '../../../model/mocks/show/warnings.ts';
import { useDraft } from '../../state/draft.ts';
import type { Failure } from '../../state/failure.ts';
import { useResource, type Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';
import { withoutBlanks } from './route-edits.ts';
import { isSame } from './route-merge.ts';
import { isConflict, putRoute } from './write-route.ts';

interface Typed {
  /** The route as it was known when typing began. */
  readonly base: MockRoute;
  readonly mine: MockRoute;
}

export interface Conflict extends Typed {
  readonly theirs: MockRoute;
}

export interface RouteEdit {
  readonly loaded: Resource<MockRoute>;
  /** As it is typed; the server's when nothing is. */
  readonly shown: (route: MockRoute) => MockRoute;
  /** Something is typed that the server does not have. */
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  /** It was typed before the page was loaded, and nothing has been typed since. */
  readonly isFound: boolean;
  readonly failure: Failure | undefined;
  /** Probable mistakes in this route, as the last write has found them. */
  readonly warnings: readonly DefinitionWarning[];
  readonly conflict: Conflict | undefined;
  readonly change: (route: MockRoute) => void;
  /** Changes the route as it stands by then, and writes it: for what comes later, as an undo. */
  readonly revise: (revised: (route: MockRoute) => MockRoute) => void;
  readonly save: () => Promise<void>;
  /** Forgets what is typed. */
  readonly drop: () => void;
  /** Leaves a conflict open: what is typed stays, and the next write finds it again. */
  readonly postpone: () => void;
  /** Ends a conflict with the route that was chosen. */
  readonly resolve: (route: MockRoute) => Promise<void>;
}

export function useRouteEdit(mockId: string, routeId: string, onWritten: (route: MockRoute) => void): RouteEdit {
  const loaded = useResource(() => api().mocks.staged.getRoute(mockId, routeId), [mockId, routeId], {
    whenChanged: ({ recordIds }) => (recordIds.includes(mockId) ? 'reload' : undefined),
  });
  const draft = useDraft<Typed>(`route.${mockId}.${routeId}`);
  const write = useWrite();
  const theirs = useSignal<MockRoute | undefined>(undefined);
  const warnings = useSignal<readonly DefinitionWarning[]>([]);
  const isTouched = useSignal(false);
  const isAskedAgain = useRef(false);

  const known = loaded.state.value.value;
  const typed = draft.value.value;
  const isDirty = typed !== undefined && known !== undefined && !isSame(withoutBlanks(typed.mine), known);

  const save = async (): Promise<void> => {
    const now = draft.value.peek();
    const server = loaded.state.peek().value;
    if (now === undefined || server === undefined) return;
    const sent = withoutBlanks(now.mine);
    if (isSame(sent, server)) {
      if (sent === now.mine) draft.discard();
      return;
    }
    if (write.isRunning.peek()) {
      isAskedAgain.current = true;
      return;
    }
    if (!isSame(now.base, server)) {
      theirs.value = server;
      return;
    }
    const answer = await write.run(() => putRoute(mockId, server, sent));
    if (answer === undefined) return;
    if (isConflict(answer)) {
      loaded.replace(answer.theirs);
      theirs.value = answer.theirs;
      return;
    }
    loaded.replace(answer);
    warnings.value = api()
      .mocks.warningsOf(answer)
      .filter((each) => each.routeId === routeId);
    onWritten(answer);
    const later = draft.value.peek();
    if (later?.mine === sent) draft.discard();
    else if (later !== undefined) draft.value.value = { base: answer, mine: later.mine };
    if (isAskedAgain.current) {
      isAskedAgain.current = false;
      await save();
    }
  };

  // The address may change without the field being left: by the browser's Back.
  useEffect(
    () => () => {
      if (isTouched.peek()) void save();
    },
    [loaded],
  );
  useEffect(() => {
    if (!isDirty && known !== undefined && !isTouched.peek()) draft.discard();
  }, [isDirty, known]);

  const change = (mine: MockRoute): void => {
    const base = draft.value.peek()?.base ?? loaded.state.peek().value;
    if (base === undefined) return;
    isTouched.value = true;
    draft.value.value = { base, mine };
  };

  return {
    loaded,
    shown: (route) => draft.value.value?.mine ?? route,
    isDirty,
    isSaving: write.isRunning.value,
    isFound: draft.isFound && isDirty && !isTouched.value,
    failure: write.failure.value,
    warnings: warnings.value,
    conflict: theirs.value === undefined || typed === undefined ? undefined : { ...typed, theirs: theirs.value },
    change,
    revise(revised) {
      const now = draft.value.peek()?.mine ?? loaded.state.peek().value;
      if (now === undefined) return;
      change(revised(now));
      void save();
    },
    save,
    drop() {
      draft.discard();
      theirs.value = undefined;
      write.clear();
    },
    postpone: () => (theirs.value = undefined),
    async resolve(mine) {
      const base = theirs.peek();
      if (base === undefined) return;
      theirs.value = undefined;
      draft.value.value = { base, mine };
      await save();
    },
  };
}
