/** The heading of a group in the list of rules: open or closed, on or off, and how many of its rules act. */
import type { JSX } from 'preact';
import type { GroupRecord } from '../../../client/shapes.ts';
import { Button, Check } from '../../parts/controls.tsx';
import { Cell } from '../../parts/virtual-list.tsx';
import { isRefusedByTag } from '../../state/failure.ts';
import { api, mayEdit } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { toggleSection, type Section } from './rule-sections.ts';

interface GroupCellsProps {
  readonly section: Section;
  readonly onEdit: (group: GroupRecord) => void;
  /** Something of it has changed. */
  readonly onChange: () => void;
}

export function GroupCells({ section, onEdit, onChange }: GroupCellsProps): JSX.Element {
  const { group, isOpen, count } = section;
  const name = group === undefined ? 'No group' : visibleLine(group.name, 100);
  return (
    <>
      <Cell class="rules-fold">
        <Button
          kind="quiet"
          label={`${isOpen ? 'Close' : 'Open'} ${name}`}
          expanded={isOpen}
          onClick={() => toggleSection(group?.id ?? '')}
        >
          {isOpen ? '▾' : '▸'}
        </Button>
      </Cell>
      <Cell class="wide rules-group-name">
        <strong>{name}</strong>
        {group?.isFavourite === true && <span class="badge">pinned</span>}
        {group !== undefined && (
          <span class={group.status === 'Active' ? 'badge good' : 'badge'}>
            {group.status === 'Active' ? '● on' : '○ off'}
          </span>
        )}
        <span class="muted">{countText(group, count)}</span>
      </Cell>
      {group !== undefined && mayEdit.value && (
        <>
          <Cell>
            <Button kind="quiet" label={`Edit the group ${name}`} onClick={() => onEdit(group)}>
              Edit
            </Button>
          </Cell>
          <Cell class="rules-turn">
            <TurnGroup group={group} onChange={onChange} />
          </Cell>
        </>
      )}
    </>
  );
}

function countText(group: GroupRecord | undefined, count: number): string {
  const rules = `${count.toLocaleString('en')} ${count === 1 ? 'rule' : 'rules'}`;
  if (group === undefined) return rules;
  if (count === 0) return 'no rules';
  if (group.status === 'Inactive') return `none of ${count.toLocaleString('en')} on`;
  return `${group.activeRuleCount.toLocaleString('en')} of ${count.toLocaleString('en')} on`;
}

function TurnGroup({ group, onChange }: { readonly group: GroupRecord; readonly onChange: () => void }): JSX.Element {
  const write = useWrite();
  const { id, name, status } = group;
  const turn = async (): Promise<void> => {
    const next = status === 'Active' ? 'Inactive' : 'Active';
    const changed = await write.run(() => api().groups.update(id, { name, status: next }, { ifMatch: group }));
    const failure = write.failure.value;
    if (changed === undefined && failure !== undefined) {
      const why = isRefusedByTag(failure) ? 'somebody else has changed it' : failure.message;
      tell(`The group “${visibleLine(name, 60)}” was not changed: ${why}`);
    }
    onChange();
  };
  return (
    <Check
      label={`The group ${visibleLine(name, 60)} is on`}
      hiddenLabel
      asSwitch
      checked={status === 'Active'}
      onChange={() => void turn()}
    />
  );
}
