/** The head of a route: what it is, whether it is on, and what can be done with it as a whole. */
import type { JSX } from 'preact';
import type { MockRoute } from '../../../model/mocks/definition.ts';
import { Button, Check } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import type { Edit } from '../../state/edit.ts';

interface RouteHeadProps {
  readonly edit: Edit<MockRoute, MockRoute>;
  readonly canEdit: boolean;
  readonly onMove: (step: -1 | 1) => void;
  readonly onDelete: () => void;
  readonly onCopy: () => void;
}

export function RouteHead({ edit, canEdit, onCopy, onMove, onDelete }: RouteHeadProps): JSX.Element {
  const route = edit.shown;
  const turn = (enabled: boolean): void => edit.revise((known) => ({ ...known, enabled }));
  return (
    <header class="route-head">
      <h2>
        {route.method} <SafeLine text={route.path} />
      </h2>
      {canEdit ? (
        <>
          <span class="route-standing muted" role="status">
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

function standingOf({ isSaving, isDirty, failure }: Edit<MockRoute, MockRoute>): string {
  if (isSaving) return 'Writing…';
  if (failure !== undefined) return 'Not in the working copy';
  return isDirty ? 'Not in the working copy yet' : 'In the working copy';
}
