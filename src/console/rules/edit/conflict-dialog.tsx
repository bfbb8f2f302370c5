/** Somebody else has changed the same members of a rule: mine against theirs, each with a choice. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';
import type { Groups } from '../common/groups.ts';
import type { EditedRule, Member } from './edited-rule.ts';

const LABELS: Readonly<Record<Member, string>> = {
  name: 'Name',
  description: 'Description',
  status: 'On or off',
  groupId: 'Group',
  pairs: 'Pairs',
};

interface ConflictDialogProps {
  readonly members: readonly Member[];
  readonly mine: EditedRule;
  readonly theirs: EditedRule;
  /** The user who has changed it. */
  readonly by: string;
  readonly groups: Groups;
  /** @param kept Members of which mine is to be kept. */
  readonly onResolve: (kept: readonly Member[]) => void;
  readonly onClose: () => void;
}

export function ConflictDialog(props: ConflictDialogProps): JSX.Element {
  const { members, mine, theirs, by, groups, onResolve, onClose } = props;
  const [kept, setKept] = useState<readonly Member[]>(members);
  const choose = (member: Member, isMine: boolean): void =>
    setKept(isMine ? [...kept, member] : kept.filter((each) => each !== member));
  const show = (rule: EditedRule, member: Member): string => {
    if (member === 'pairs') return JSON.stringify(rule.pairs, null, 2);
    if (member === 'groupId') return groups.find(({ id }) => id === rule.groupId)?.name ?? 'No group';
    if (member === 'status') return rule.status === 'Active' ? 'on' : 'off';
    return rule[member];
  };
  return (
    <Dialog title="Somebody else has changed this rule" onClose={onClose} wide>
      <div class="stack">
        <p>
          {by} has saved it since you began. What only one of you has changed stays as it is; choose what these become.
        </p>
        {members.map((member) => (
          <fieldset key={member} class="rules-conflict">
            <legend>{LABELS[member]}</legend>
            {([true, false] as const).map((isMine) => (
              <div key={String(isMine)}>
                <label class="check">
                  <input
                    type="radio"
                    name={`conflict-${member}`}
                    checked={kept.includes(member) === isMine}
                    onChange={() => choose(member, isMine)}
                  />
                  <span>{isMine ? 'Mine' : 'Theirs'}</span>
                </label>
                <SafeBlock text={show(isMine ? mine : theirs, member)} />
              </div>
            ))}
          </fieldset>
        ))}
        <div class="row">
          <Button kind="primary" onClick={() => onResolve(kept)}>
            Save these
          </Button>
          <Button onClick={onClose}>Go on editing</Button>
        </div>
      </div>
    </Dialog>
  );
}
