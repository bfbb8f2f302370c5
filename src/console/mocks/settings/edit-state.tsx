/** What becomes of typed fields: being saved, saved, found again after a reload, failed, or changed by somebody else too. */
import type { JSX } from 'preact';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox } from '../../parts/states.tsx';
import type { FieldsEdit } from './use-fields-edit.ts';

interface EditStateProps<Fields extends object> {
  readonly edit: FieldsEdit<Fields>;
  /** What failed, for the message: "Saving the settings". */
  readonly what: string;
  readonly labelOf: (name: keyof Fields & string) => string;
  readonly wordsOf: (name: keyof Fields & string, value: unknown) => string;
  /** Its details stand at fields. */
  readonly isAtField: boolean;
}

export function EditState<Fields extends object>(props: EditStateProps<Fields>): JSX.Element {
  const { edit, what, labelOf, wordsOf, isAtField } = props;
  return (
    <>
      {edit.conflicts.map(({ name, theirs }) => (
        <div key={name} class="bar" role="alert">
          <span>
            Somebody else has changed “{labelOf(name)}” meanwhile, to{' '}
            <strong>
              <SafeLine text={wordsOf(name, theirs)} />
            </strong>
            .
          </span>
          <Button onClick={() => edit.choose(name, 'mine')}>Keep mine</Button>
          <Button onClick={() => edit.choose(name, 'theirs')}>Take theirs</Button>
        </div>
      ))}
      {edit.isFound && (
        <div class="bar" role="status">
          <span>This was typed before the page was loaded, and is not saved.</span>
          <Button onClick={() => void edit.save()}>Save it</Button>
          <Button onClick={edit.drop}>Drop it</Button>
        </div>
      )}
      {edit.failure !== undefined && !isAtField && (
        <FailureBox failure={edit.failure} what={what} onRetry={() => void edit.save()} />
      )}
    </>
  );
}

interface EditHeadProps<Fields extends object> {
  readonly edit: FieldsEdit<Fields>;
  readonly title: string;
  readonly id: string;
  /** Said once it is written: "Saved." */
  readonly saved: string;
}

/** The heading of the fields, and beside it whether they are saved: nothing moves when it says something. */
export const EditHead = <Fields extends object>({ edit, title, id, saved }: EditHeadProps<Fields>): JSX.Element => (
  <div class="settings-head">
    <h2 id={id}>{title}</h2>
    <span class="muted" role="status">
      {edit.isSaving ? 'Saving…' : edit.isDirty ? 'Not saved yet' : edit.isSaved ? saved : ''}
    </span>
  </div>
);
