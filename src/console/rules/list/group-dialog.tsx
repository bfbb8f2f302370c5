/** A new group, or an edited one: its name, whether it is pinned, and its end. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { GroupRecord } from '../../../client/shapes.ts';
import { failureOf } from '../../state/failure.ts';
import { Button, Check, TextField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { api } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';
import { errorsOf } from '../common/form-errors.ts';

interface GroupDialogProps {
  /** A new one when absent. */
  readonly group: GroupRecord | undefined;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

export function GroupDialog({ group, onClose, onChange }: GroupDialogProps): JSX.Element {
  const [name, setName] = useState(group?.name ?? '');
  const [isFavourite, setFavourite] = useState(group?.isFavourite ?? false);
  const [isDeleting, setDeleting] = useState(false);
  const idempotencyKey = useMemo(newIdempotencyKey, [name, isFavourite]);
  const write = useWrite();
  const failure = write.failure.value;
  const done = (text: string): void => {
    tell(text);
    onChange();
    onClose();
  };
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const body = { name, isFavourite };
    const saved = await write.run(() =>
      group === undefined ? api().groups.create(body, { idempotencyKey }) : update(group, body),
    );
    if (saved !== undefined) done(`${group === undefined ? 'Made' : 'Saved'} the group “${visibleLine(name, 60)}”.`);
  };
  const remove = async (): Promise<void> => {
    if (group === undefined) return;
    const isGone = await write.run(() =>
      api()
        .groups.delete(group.id)
        .then(() => true),
    );
    if (isGone === true) done(`Deleted the group “${visibleLine(group.name, 60)}”. Its rules are in no group now.`);
  };
  return (
    <Dialog title={group === undefined ? 'New group' : 'Edit group'} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <TextField
          label="Name"
          value={name}
          onInput={setName}
          takesFocus
          hint="Its rules are turned on and off together."
          error={errorsOf(failure)('/name')}
        />
        <Check label="Pin it to the top of the list" checked={isFavourite} onChange={setFavourite} />
        {failure !== undefined && (
          <FailureBox failure={failure} what={isDeleting ? 'Deleting the group' : 'Saving the group'} />
        )}
        {isDeleting && group !== undefined ? (
          <div class="stack">
            <p>
              Delete this group? Its {group.ruleCount.toLocaleString('en')} {group.ruleCount === 1 ? 'rule' : 'rules'}{' '}
              will stay, in no group{group.status === 'Inactive' && ', and those that are on will act'}.
            </p>
            <div class="row">
              <Button kind="danger" busy={write.isRunning.value} onClick={() => void remove()}>
                Delete the group
              </Button>
              <Button onClick={() => setDeleting(false)}>Keep it</Button>
            </div>
          </div>
        ) : (
          <div class="row">
            <Button type="submit" kind="primary" busy={write.isRunning.value}>
              {group === undefined ? 'Create' : 'Save'}
            </Button>
            <Button onClick={onClose}>Cancel</Button>
            {group !== undefined && (
              <Button kind="danger" onClick={() => setDeleting(true)}>
                Delete…
              </Button>
            )}
          </div>
        )}
      </form>
    </Dialog>
  );
}

/** Name and pin alone: what others have changed of the rest stays, so that the newest tag may be used. */
async function update(group: GroupRecord, body: { name: string; isFavourite: boolean }): Promise<GroupRecord> {
  try {
    return await api().groups.update(group.id, body, { ifMatch: group });
  } catch (error) {
    if (failureOf(error).status !== 412) throw error;
    const theirs = await api().groups.get(group.id);
    if (theirs.name !== group.name || theirs.isFavourite !== group.isFavourite) throw error;
    return api().groups.update(group.id, body, { ifMatch: theirs });
  }
}
