/** Creates, renames, pins or deletes a group. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { GroupRecord } from '../../../client/shapes.ts';
import { bound } from '../../parts/bound.ts';
import { Button, Check, TextField } from '../../parts/controls.tsx';
import { ConfirmDialog, FormDialog } from '../../parts/dialog.tsx';
import { ConflictDialog } from '../../parts/edit-state.tsx';
import { countText } from '../../parts/words.ts';
import { useEdit } from '../../state/edit.ts';
import type { Failure } from '../../state/failure.ts';
import { api } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';
import { errorsOf } from '../common/form-errors.tsx';

interface GroupDialogProps {
  readonly onClose: () => void;
  readonly onChange: () => void;
}

interface EditedGroup {
  readonly name: string;
  readonly isFavourite: boolean;
}

export function NewGroup({ onClose, onChange }: GroupDialogProps): JSX.Element {
  const [group, setGroup] = useState<EditedGroup>({ name: '', isFavourite: false });
  const idempotencyKey = useMemo(newIdempotencyKey, [group]);
  const write = useWrite();
  const create = async (): Promise<void> => {
    const made = await write.run(() => api().groups.create(group, { idempotencyKey }));
    if (made === undefined) return;
    notify(`Created the group “${visibleLine(made.name, 60)}”.`);
    onChange();
    onClose();
  };
  return (
    <FormDialog
      title="New group"
      submit="Create"
      write={write}
      what="Saving the group"
      onSubmit={() => void create()}
      onClose={onClose}
    >
      <GroupFields group={group} failure={write.failure.value} onChange={setGroup} />
    </FormDialog>
  );
}

export function EditGroup({
  group,
  onClose,
  onChange,
}: GroupDialogProps & { readonly group: GroupRecord }): JSX.Element {
  const [known, setKnown] = useState(group);
  const [isDeleting, setDeleting] = useState(false);
  const { id, name } = known;
  const done = (text: string): void => {
    notify(text);
    onChange();
    onClose();
  };
  const edit = useEdit({
    name: `group.${id}`,
    known,
    toEditable: ({ name: own, isFavourite }: GroupRecord): EditedGroup => ({ name: own, isFavourite }),
    write: (edited, ifMatch) => api().groups.update(id, edited, { ifMatch }),
    read: () => api().groups.get(id),
    onKnown: setKnown,
    onSaved: (saved) => done(`Saved the group “${visibleLine(saved.name, 60)}”.`),
  });
  useEffect(() => edit.drop, []);
  if (edit.conflict !== undefined) {
    return (
      <ConflictDialog
        edit={edit}
        of="this group"
        verb="Save"
        labelOf={(field) => (field === 'name' ? 'Name' : 'Pinned')}
        wordsOf={(_, value) => (typeof value === 'boolean' ? (value ? 'yes' : 'no') : undefined)}
      />
    );
  }
  return isDeleting ? (
    <ConfirmDialog
      title="Delete this group?"
      submit="Delete the group"
      what="Deleting the group"
      send={() => api().groups.delete(id)}
      onDone={() => done(`Deleted the group “${visibleLine(name, 60)}”. Its rules are now ungrouped.`)}
      onClose={() => setDeleting(false)}
    >
      Its {countText(known.ruleCount, 'rule')} will become ungrouped
      {known.status === 'Inactive' && ', and enabled ones become active'}.
    </ConfirmDialog>
  ) : (
    <FormDialog
      title="Edit group"
      submit="Save"
      write={edit.write}
      what="Saving the group"
      onSubmit={() => (edit.isDirty ? void edit.save() : onClose())}
      onClose={onClose}
    >
      <GroupFields group={edit.shown} failure={edit.failure} onChange={edit.change} />
      <p>
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete…
        </Button>
      </p>
    </FormDialog>
  );
}

interface GroupFieldsProps {
  readonly group: EditedGroup;
  readonly failure: Failure | undefined;
  readonly onChange: (group: EditedGroup) => void;
}

function GroupFields({ group, failure, onChange }: GroupFieldsProps): JSX.Element {
  const field = bound(group, onChange, errorsOf(failure));
  return (
    <>
      <TextField label="Name" {...field('name')} takesFocus hint="Switches its rules on and off together." />
      <Check label="Pin to the top" {...field('isFavourite')} />
    </>
  );
}
