/** The heading of the fields, and beside it whether they are saved: nothing moves when it says something. */
import type { JSX } from 'preact';

interface EditHeadProps {
  readonly edit: { readonly isSaving: boolean; readonly isDirty: boolean; readonly isSaved: boolean };
  readonly title: string;
  readonly id: string;
  /** Said once it is written: "Saved." */
  readonly saved: string;
}

export const EditHead = ({ edit, title, id, saved }: EditHeadProps): JSX.Element => (
  <div class="settings-head">
    <h2 id={id}>{title}</h2>
    <span class="muted" role="status">
      {edit.isSaving ? 'Saving…' : edit.isDirty ? 'Not saved yet' : edit.isSaved ? saved : ''}
    </span>
  </div>
);
