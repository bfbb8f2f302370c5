/** The state between typed and stored values: unsaved after a reload, failed, or in conflict with another user's edit. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Conflict, Edit } from '../state/edit.ts';
import type { Side } from '../state/merge.ts';
import { Button } from './controls.tsx';
import { Dialog } from './dialog.tsx';
import { SafeBlock } from './safe-text.tsx';
import { FailureBox } from './states.tsx';

interface ConflictProps {
  readonly edit: { readonly conflict: Conflict | undefined; readonly drop: () => void };
  /** "this route" */
  readonly of: string;
  /** The label of the choice: "Save these". */
  readonly verb: string;
  readonly labelOf?: (field: string) => string;
  /** undefined: the value as it is. */
  readonly wordsOf?: (field: string, value: unknown) => string | undefined;
  /** Who made the other edit. */
  readonly children?: ComponentChildren;
}

/** Another user edited the same record: the differing fields, mine and theirs, with a choice for each. */
export const ConflictDialog = ({ edit, ...props }: ConflictProps): JSX.Element | null =>
  edit.conflict === undefined ? null : <Choices {...props} conflict={edit.conflict} onDrop={edit.drop} />;

type ChoicesProps = Omit<ConflictProps, 'edit'> & { readonly conflict: Conflict; readonly onDrop: () => void };

function Choices({ conflict, onDrop, of, verb, labelOf, wordsOf, children }: ChoicesProps): JSX.Element {
  const { differences, resolve, postpone } = conflict;
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const all = (side: Side): void => setChosen(Object.fromEntries(differences.map(({ field }) => [field, side])));
  const show = (field: string, value: unknown): string => wordsOf?.(field, value) ?? shownValue(value);
  return (
    <Dialog title={`Another user changed ${of}`} wide onClose={postpone}>
      <div class="stack">
        <p>{children} Choose a value for each field. Nothing is saved before.</p>
        {differences.length > 1 && (
          <p class="row">
            <Button onClick={() => all('mine')}>Keep all mine</Button>
            <Button onClick={() => all('theirs')}>Use all theirs</Button>
          </p>
        )}
        {differences.map((difference) => (
          <fieldset key={difference.field} class="choices sides">
            <legend>
              {labelOf?.(difference.field) ?? difference.label}{' '}
              {difference.isBoth && <span class="badge warn">changed by both</span>}
            </legend>
            {(['mine', 'theirs'] as const).map((side) => (
              <div key={side}>
                <label class="check">
                  <input
                    type="radio"
                    name={difference.field}
                    checked={(chosen[difference.field] ?? difference.proposed) === side}
                    onChange={() => setChosen({ ...chosen, [difference.field]: side })}
                  />
                  {side === 'mine' ? 'Mine' : 'Theirs'}
                </label>
                <SafeBlock text={show(difference.field, difference[side])} max={CHARS_SHOWN} />
              </div>
            ))}
          </fieldset>
        ))}
        <p class="row">
          <Button kind="primary" onClick={() => resolve((field) => chosen[field])}>
            {verb}
          </Button>
          <Button onClick={onDrop}>Discard my changes</Button>
        </p>
      </div>
    </Dialog>
  );
}

const CHARS_SHOWN = 2_000;

function shownValue(value: unknown): string {
  if (value === undefined) return '(missing)';
  if (value === '') return '(empty)';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

interface EditStateProps extends Omit<ConflictProps, 'edit'> {
  readonly edit: Pick<Edit<object>, 'conflict' | 'isFound' | 'failure' | 'save' | 'drop'>;
  /** The action, for a failure: "Saving the settings". */
  readonly what: string;
  /** Completes "A change …": "is not saved". */
  readonly where: string;
  /** A field shows the failure. */
  readonly isAtField?: boolean;
}

/** For forms that save on blur. */
export function EditState({ edit, what, where, isAtField = false, ...conflict }: EditStateProps): JSX.Element {
  return (
    <>
      {edit.failure !== undefined && !isAtField ? (
        <div class="stack">
          <FailureBox failure={edit.failure} what={what} onRetry={() => void edit.save()} />
          <p class="row">
            <span class="muted">Your changes are kept in this tab.</span>
            <Button kind="quiet" onClick={edit.drop}>
              Discard my changes
            </Button>
          </p>
        </div>
      ) : (
        edit.isFound && (
          <div class="bar" role="status">
            <span>A change from before the reload {where}.</span>
            <Button onClick={() => void edit.save()}>{conflict.verb}</Button>
            <Button kind="quiet" onClick={edit.drop}>
              Discard
            </Button>
          </div>
        )
      )}
      <ConflictDialog edit={edit} {...conflict} />
    </>
  );
}

interface EditHeadProps {
  readonly edit: { readonly isSaving: boolean; readonly isDirty: boolean; readonly isSaved: boolean };
  readonly title: string;
  readonly id: string;
  /** The confirmation: "Saved." */
  readonly saved: string;
}

export const EditHead = ({ edit, title, id, saved }: EditHeadProps): JSX.Element => (
  <div class="spread">
    <h2 id={id}>{title}</h2>
    <span class="muted" role="status">
      {edit.isSaving ? 'Saving…' : edit.isDirty ? 'Unsaved changes' : edit.isSaved ? saved : ''}
    </span>
  </div>
);
