/** The heading of a group in the list of rules: collapsed or not, on or off, and its active rules. */
import type { GroupRecord } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { Cell } from '../../parts/virtual-list.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { TurnSwitch } from './turn-switch.tsx';
import { toggleSection, type Section } from './rule-sections.ts';

interface GroupCellsProps {
  readonly section: Section;
  readonly onEdit: (group: GroupRecord) => void;
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
      <Cell class="wide rules-group-name one-line">
        <strong class="cut">{name}</strong>
        {group?.isFavourite === true && <span class="badge">pinned</span>}
        {group !== undefined && (
          <span class={group.status === 'Active' ? 'badge good' : 'badge'}>
            {group.status === 'Active' ? '● on' : '○ off'}
          </span>
        )}
        <span class="cut muted">{actingText(group, count)}</span>
      </Cell>
      {group !== undefined && mayEdit.value && (
        <>
          <Cell>
            <Button kind="quiet" label={`Edit the group ${name}`} onClick={() => onEdit(group)}>
              Edit
            </Button>
          </Cell>
          <Cell class="rules-turn">
            <TurnSwitch
              what={`The group “${visibleLine(group.name, 60)}”`}
              label={`The group ${visibleLine(group.name, 60)} is on`}
              status={group.status}
              send={(status) => api().groups.update(group.id, { name: group.name, status }, { ifMatch: group })}
              onChange={onChange}
              onRefused={onChange}
            />
          </Cell>
        </>
      )}
    </>
  );
}

function actingText(group: GroupRecord | undefined, count: number): string {
  const rules = countText(count, 'rule');
  if (group === undefined) return rules;
  if (count === 0) return 'no rules';
  if (group.status === 'Inactive') return `none of ${numberText(count)} on`;
  return `${numberText(group.activeRuleCount)} of ${numberText(count)} on`;
}
