/** A route of the working copy: loaded, edited, and written as soon as a field is left. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { MockRecord } from '../../../client/shapes.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox, Shown } from '../../parts/states.tsx';
import { go, place } from '../../state/place.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { tell } from '../../state/toasts.ts';
import { useWrite } from '../../state/write.ts';
import { TryPanel } from '../try/try-panel.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { errorsOf } from './field-errors.ts';
import { copyOf } from './new-route.ts';
import { RouteForm } from './route-form.tsx';
import { RouteHead } from './route-head.tsx';
import { useRouteEdit, type RouteEdit } from './use-route-edit.ts';
import { addRoute } from './write-route.ts';

interface RouteEditorProps {
  readonly record: MockRecord;
  readonly routeId: string;
  readonly responseId: string | undefined;
  readonly canEdit: boolean;
  /** The id of the route that follows: a copy stands before it. */
  readonly copyBefore: string | undefined;
  readonly onWritten: (route: MockRoute) => void;
  readonly onCopied: (copy: MockRoute) => void;
  readonly onMove: (step: -1 | 1) => void;
  readonly onDelete: () => void;
}

export function RouteEditor(props: RouteEditorProps): JSX.Element {
  const { record, routeId, responseId, canEdit, copyBefore, onWritten, onCopied, onMove, onDelete } = props;
  const edit = useRouteEdit(record.id, routeId, onWritten);
  const copying = useWrite();
  const root = useRef<HTMLElement>(null);
  /** From a field to the route, and from there to the list. */
  const leave = (): void => {
    if (document.activeElement?.matches('input, textarea, select') === true) return root.current?.focus();
    go(['mocks', record.id, 'routes'], Object.fromEntries(place.value.query));
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.route-list [role=grid]')?.focus());
  };
  useShortcuts(
    [
      ...(canEdit ? [{ keys: 'Ctrl+s', label: 'Put into the working copy', run: () => void edit.save() }] : []),
      { keys: 'Escape', label: 'Back to the list', run: leave },
    ],
    [edit.loaded, canEdit],
  );
  // Where the list gives way to the route, or what had the focus is gone, the focus comes here.
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (isLost || matchMedia('(max-width: 1023px)').matches) root.current?.focus();
  }, []);
  const copy = async (route: MockRoute): Promise<void> => {
    const added = await copying.run(() => addRoute(record.id, copyOf(route), copyBefore));
    if (added === undefined) return;
    tell(`Added a copy of ${route.method} ${route.path}.`);
    onCopied(added);
  };

  return (
    <section class="route-editor" aria-label="The route" ref={root} tabIndex={-1}>
      <Shown of={edit.loaded} what="the route">
        {(loaded) => {
          const route = edit.shown(loaded);
          return (
            <>
              <RouteHead
                route={route}
                edit={edit}
                canEdit={canEdit}
                onMove={onMove}
                onDelete={onDelete}
                onCopy={() => void copy(loaded)}
              />
              {copying.failure.value !== undefined && <FailureBox failure={copying.failure.value} what="Copying" />}
              <Standing edit={edit} />
              <Warnings edit={edit} route={route} />
              <div class="route-columns">
                <RouteForm
                  mockId={record.id}
                  route={route}
                  responseId={responseId}
                  canEdit={canEdit}
                  errorAt={errorsOf(edit.failure)}
                  onChange={edit.change}
                  onRevise={edit.revise}
                  onSave={() => void edit.save()}
                />
                <TryPanel mockId={record.id} route={loaded} onRun={edit.save} />
              </div>
            </>
          );
        }}
      </Shown>
      {edit.conflict !== undefined && (
        <ConflictDialog
          {...edit.conflict}
          onChoose={(route) => void edit.resolve(route)}
          onDrop={edit.drop}
          onClose={edit.postpone}
        />
      )}
    </section>
  );
}

/** What stands between what is typed and the working copy. */
function Standing({ edit }: { readonly edit: RouteEdit }): JSX.Element | null {
  if (edit.failure !== undefined) {
    return (
      <div class="stack">
        <FailureBox failure={edit.failure} what="Putting it into the working copy" onRetry={() => void edit.save()} />
        <p class="row">
          <span class="muted">What you typed is kept in this tab.</span>
          <Button kind="quiet" onClick={edit.drop}>
            Drop what I typed
          </Button>
        </p>
      </div>
    );
  }
  if (!edit.isFound) return null;
  return (
    <div class="bar" role="status">
      <span>This was typed before and is not in the working copy yet.</span>
      <Button onClick={() => void edit.save()}>Put into the working copy</Button>
      <Button kind="quiet" onClick={edit.drop}>
        Drop it
      </Button>
    </div>
  );
}

function Warnings({ edit, route }: { readonly edit: RouteEdit; readonly route: MockRoute }): JSX.Element | null {
  if (edit.warnings.length === 0) return null;
  const nameOf = (responseId: string | undefined): string =>
    responseId === undefined ? 'It' : `Response ${route.responses.findIndex(({ id }) => id === responseId) + 1}`;
  return (
    <div class="warning" role="status">
      <ul>
        {edit.warnings.map(({ responseId, warning }) => (
          <li key={`${responseId} ${warning}`}>
            <span aria-hidden="true">⚠</span> {nameOf(responseId)} <SafeLine text={warning} max={400} />
          </li>
        ))}
      </ul>
    </div>
  );
}
