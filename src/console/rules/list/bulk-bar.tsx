/** Atomic commands on the selected rules. */
import { useState } from 'preact/hooks';
import type { RuleRecord, RulesBatch } from '../../../client/shapes.ts';
import { Button, SelectField } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { api } from '../../state/session.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { notify } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newIdempotencyKey, useWrite, type Write } from '../../state/write.ts';
import { deleteRules } from '../common/delete-rules.ts';
import { groupOptions, type Groups } from '../common/groups.ts';
import { SELECTED_MAX, type Selection } from './selection.ts';

interface BulkBarProps {
  readonly selection: Selection;
  /** The displayed rules, which may be newer than the selection. */
  readonly shown: () => Iterable<RuleRecord>;
  /** The number of matching rules. */
  readonly total: number;
  readonly groups: Groups;
  readonly onSelectAll: () => void;
  readonly onChange: () => void;
}

type Change = NonNullable<RulesBatch['set']>;

export function BulkBar({ selection, shown, total, groups, onSelectAll, onChange }: BulkBarProps): JSX.Element {
  const write = useWrite();
  const [dialog, setDialog] = useState<'move' | 'delete'>();
  const rules = [...selection.rules.value.values()];
  const newest = (): readonly RuleRecord[] => {
    selection.update(shown());
    return [...selection.rules.value.values()];
  };
  useShortcuts([{ keys: 'Escape', label: 'Clear the selection', run: () => selection.clear() }]);
  const set = async (change: Change, done: string): Promise<void> => {
    const before = newest();
    if (!(await setAll(write, before, change))) return;
    selection.update(before.map((rule) => ({ ...rule, ...change })));
    onChange();
    notify(`${countText(before.length, 'rule')} ${done}.`, { label: 'Undo', run: () => void back(before, change) });
  };
  const back = async (before: readonly RuleRecord[], change: Change): Promise<void> => {
    if (await undo(write, before, change)) selection.update(before);
    else notify(`Undo failed: ${write.failure.value?.message ?? ''}`);
    onChange();
  };
  const remove = async (): Promise<void> => {
    if (!(await deleteRules(write, newest(), groups, onChange))) return;
    setDialog(undefined);
    selection.clear();
    onChange();
    focusList();
  };
  const failure = write.failure.value;
  return (
    <>
      <div class="row rules-bulk" role="toolbar" aria-label="Selected rules">
        {rules.length === 0 ? (
          <>
            <span class="muted">Nothing selected</span>
            {total > 0 && (
              <Button kind="quiet" onClick={onSelectAll}>
                {total > SELECTED_MAX
                  ? `Select the first ${numberText(SELECTED_MAX)}`
                  : `Select all ${numberText(total)}`}
              </Button>
            )}
          </>
        ) : (
          <>
            <strong role="status">{numberText(rules.length)} selected</strong>
            <Button busy={write.isRunning.value} onClick={() => void set({ status: 'Active' }, 'turned on')}>
              Turn on
            </Button>
            <Button busy={write.isRunning.value} onClick={() => void set({ status: 'Inactive' }, 'turned off')}>
              Turn off
            </Button>
            <Button onClick={() => setDialog('move')}>Move…</Button>
            <Button kind="danger" onClick={() => setDialog('delete')}>
              Delete…
            </Button>
            <Button
              kind="quiet"
              onClick={() => {
                selection.clear();
                focusList();
              }}
            >
              Clear selection
            </Button>
          </>
        )}
      </div>
      {dialog === undefined && <FailureBox failure={failure} what="Changing the rules" />}
      {dialog === 'move' && (
        <MoveDialog
          rules={rules}
          groups={groups}
          write={write}
          onClose={() => setDialog(undefined)}
          onMove={(groupId, name) => {
            setDialog(undefined);
            void set({ groupId }, groupId === '' ? 'ungrouped' : `moved to “${visibleLine(name, 60)}”`);
          }}
        />
      )}
      {dialog === 'delete' && (
        <FormDialog
          title={`Delete ${countText(rules.length, 'rule')}?`}
          submit={`Delete ${countText(rules.length, 'rule')}`}
          danger
          onSubmit={() => void remove()}
          onClose={() => setDialog(undefined)}
          write={write}
          what="Deleting the rules"
        >
          <ul class="safe-line">
            {rules.slice(0, 8).map(({ id, name }) => (
              <li key={id}>{visibleLine(name, 80)}</li>
            ))}
            {rules.length > 8 && <li class="muted">and {numberText(rules.length - 8)} more</li>}
          </ul>
          <p>You can undo this for ten seconds. Restored rules get new ids.</p>
        </FormDialog>
      )}
    </>
  );
}

interface MoveDialogProps {
  readonly rules: readonly RuleRecord[];
  readonly groups: Groups;
  readonly write: Write;
  readonly onMove: (groupId: string, name: string) => void;
  readonly onClose: () => void;
}

function MoveDialog({ rules, groups, write, onMove, onClose }: MoveDialogProps): JSX.Element {
  const [groupId, setGroupId] = useState(groups[0]?.id ?? '');
  const name = groups.find(({ id }) => id === groupId)?.name ?? '';
  return (
    <FormDialog
      title={`Move ${countText(rules.length, 'rule')}`}
      submit="Move"
      onSubmit={() => onMove(groupId, name)}
      onClose={onClose}
      write={write}
    >
      <SelectField
        label="Group"
        value={groupId}
        options={groupOptions(groups, groupId, 'No group')}
        onChange={setGroupId}
      />
    </FormDialog>
  );
}

async function setAll(write: Write, rules: readonly RuleRecord[], set: Change): Promise<boolean> {
  const options = { idempotencyKey: newIdempotencyKey() };
  return (await write.run(() => api().rules.batch({ ids: rules.map(({ id }) => id), set }, options))) !== undefined;
}

/** Restores the previous values: one request per distinct value. */
async function undo(write: Write, before: readonly RuleRecord[], change: Change): Promise<boolean> {
  const member = change.status === undefined ? 'groupId' : 'status';
  const byValue = new Map<string, RuleRecord[]>();
  for (const rule of before) {
    if (rule[member] !== change[member]) byValue.set(rule[member], [...(byValue.get(rule[member]) ?? []), rule]);
  }
  for (const [value, rules] of byValue) {
    if (!(await setAll(write, rules, { [member]: value }))) return false;
  }
  return true;
}

/** The focused buttons are gone. */
function focusList(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>('main [role="grid"]')?.focus());
}
