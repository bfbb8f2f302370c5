/** Loads and edits a route of the working copy. Leaving a field writes it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { DefinitionWarning } from '../../../model/mocks/show/warnings.ts';
import { errorsOf } from '../../parts/bound.ts';
import { Button, Check } from '../../parts/controls.tsx';
import { EditState } from '../../parts/edit-state.tsx';
import { isWide } from '../../parts/panes.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox, Shown } from '../../parts/states.tsx';
import { useEdit, type Edit } from '../../state/edit.ts';
import { navigate, place } from '../../state/place.ts';
import { changesOf, useResource, type Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { notify } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';
import { TryPanel } from '../try/try-panel.tsx';
import { copyOf, withoutBlanks } from './new-route.ts';
import { RouteForm } from './route-form.tsx';
import { routeMerge } from './route-merge.ts';
import { addRoute } from './write-route.ts';

interface RouteEditorProps {
  readonly record: MockRecord;
  readonly routeId: string;
  readonly responseId: string | undefined;
  /** Whether the address names it. */
  readonly isAsked: boolean;
  readonly canEdit: boolean;
  /** The id of the next route: a copy is inserted before it. */
  readonly copyBefore: string | undefined;
  readonly onWritten: (route: MockRoute) => void;
  readonly onCopied: (copy: MockRoute) => void;
  readonly onMove: (step: -1 | 1) => void;
  readonly onDelete: () => void;
}

export function RouteEditor(props: RouteEditorProps): JSX.Element {
  const { record, routeId, isAsked } = props;
  const loaded = useResource(
    () => api().mocks.staged.getRoute(record.id, routeId),
    [record.id, routeId],
    changesOf(record.id),
  );
  const root = useRef<HTMLElement>(null);
  /** From a field to the route, and from there to the list. */
  const leave = (): void => {
    if (document.activeElement?.matches('input, textarea, select') === true) return root.current?.focus();
    if (!isWide.value) navigate(['mocks', record.id, 'routes'], Object.fromEntries(place.value.query));
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.route-list [role=grid]')?.focus());
  };
  useShortcuts([{ keys: 'Escape', label: 'Back to the list', run: leave }]);
  // Takes the focus where the route replaces the list, or the focused element is gone.
  useEffect(() => {
    if (isAsked && (document.activeElement === document.body || !isWide.value)) root.current?.focus();
  }, []);
  return (
    <section class="stack route-editor" aria-label="The route" ref={root} tabIndex={-1}>
      <Shown of={loaded} what="the route">
        {(known) => <LoadedRoute {...props} loaded={loaded} known={known} />}
      </Shown>
    </section>
  );
}

type LoadedRouteProps = RouteEditorProps & { readonly loaded: Resource<MockRoute>; readonly known: MockRoute };

function LoadedRoute(props: LoadedRouteProps): JSX.Element {
  const { record, routeId, responseId, canEdit, copyBefore, loaded, known, onWritten, onCopied } = props;
  const [warnings, setWarnings] = useState<readonly DefinitionWarning[]>([]);
  const copying = useWrite();
  const edit = useEdit<MockRoute, MockRoute>({
    name: `route.${record.id}.${routeId}`,
    known,
    toEditable: (route) => route,
    async write(route, ifMatch) {
      const answer = await api().mocks.staged.putRoute(record.id, routeId, route, { ifMatch });
      const all = api().mocks.warningsOf(answer);
      setWarnings(all.filter((each) => each.routeId === routeId));
      onWritten(answer);
      return answer;
    },
    read: () => api().mocks.staged.getRoute(record.id, routeId),
    onKnown: (route) => loaded.replace(route),
    merge: routeMerge,
    cleaned: withoutBlanks,
  });
  const save = (): void => void edit.save();
  useShortcuts(canEdit ? [{ keys: 'Ctrl+s', label: 'Update the working copy', run: save }] : [], [canEdit]);
  // The address may change while a field has the focus, as with the browser's Back.
  const leave = useRef(save);
  leave.current = () => (edit.isFound ? undefined : save());
  useEffect(() => () => leave.current(), []);
  const copy = async (): Promise<void> => {
    const added = await copying.run(() => addRoute(record.id, copyOf(known), copyBefore));
    if (added === undefined) return;
    notify(`Added a copy of ${known.method} ${known.path}.`);
    onCopied(added);
  };
  return (
    <>
      <RouteHead {...props} edit={edit} onCopy={() => void copy()} />
      <FailureBox failure={copying.failure.value} what="Duplicating" />
      <EditState
        edit={edit}
        of="this route"
        verb="Update the working copy"
        what="Updating the working copy"
        where="is not in the working copy yet"
      />
      <Warnings warnings={warnings} route={edit.shown} />
      <div class="stack route-columns">
        <RouteForm
          mockId={record.id}
          route={edit.shown}
          responseId={responseId}
          canEdit={canEdit}
          errorAt={errorsOf(edit.failure)}
          onChange={edit.change}
          onRevise={edit.revise}
          onSave={save}
        />
        <TryPanel mockId={record.id} route={known} onRun={edit.save} />
      </div>
    </>
  );
}

interface WarningsProps {
  /** From the last write. */
  readonly warnings: readonly DefinitionWarning[];
  readonly route: MockRoute;
}

function Warnings({ warnings, route }: WarningsProps): JSX.Element | null {
  if (warnings.length === 0) return null;
  const nameOf = (responseId: string | undefined): string =>
    responseId === undefined ? 'It' : `Response ${route.responses.findIndex(({ id }) => id === responseId) + 1}`;
  return (
    <div class="warning" role="status">
      <ul>
        {warnings.map(({ responseId, warning }) => (
          <li key={`${responseId} ${warning}`}>
            <span aria-hidden="true">⚠</span> {nameOf(responseId)} <SafeLine text={warning} max={400} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface RouteHeadProps {
  readonly edit: Edit<MockRoute>;
  readonly canEdit: boolean;
  readonly onMove: (step: -1 | 1) => void;
  readonly onDelete: () => void;
  readonly onCopy: () => void;
}

function RouteHead({ edit, canEdit, onCopy, onMove, onDelete }: RouteHeadProps): JSX.Element {
  const route = edit.shown;
  const turn = (enabled: boolean): void => edit.revise((known) => ({ ...known, enabled }));
  return (
    <header class="row route-head">
      <h2>
        {route.method} <SafeLine text={route.path} />
      </h2>
      {canEdit ? (
        <>
          <span class="hint route-standing" role="status">
            {standingOf(edit)}
          </span>
          <div class="row">
            <Check label="Enabled" asSwitch checked={route.enabled} onChange={turn} />
            <Button kind="quiet" label="Move up (Alt+↑)" onClick={() => onMove(-1)}>
              ↑
            </Button>
            <Button kind="quiet" label="Move down (Alt+↓)" onClick={() => onMove(1)}>
              ↓
            </Button>
            <Button kind="quiet" onClick={onCopy}>
              Duplicate
            </Button>
            <Button kind="quiet" onClick={onDelete}>
              Delete
            </Button>
          </div>
        </>
      ) : (
        !route.enabled && <span class="badge">off</span>
      )}
    </header>
  );
}

function standingOf({ isSaving, isDirty, failure }: Edit<MockRoute>): string {
  if (isSaving) return 'Saving…';
  if (failure !== undefined) return 'Not in the working copy';
  return isDirty ? 'Not in the working copy yet' : 'In the working copy';
}
