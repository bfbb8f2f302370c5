/** Writes rules with their groups as a file: all, one group, or the selected ones. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleRecord, RulesExportOptions } from '../../../client/shapes.ts';
import { Button, SelectField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import type { Groups } from '../common/groups.ts';
import { exportSelected } from './export-selected.ts';

const FORMATS = [
  ['requestly', 'For Requestly'],
  ['switchyard', 'For Switchyard, to keep in git'],
] as const;

interface ExportDialogProps {
  readonly selected: readonly RuleRecord[];
  readonly groups: Groups;
  readonly onClose: () => void;
}

export function ExportDialog({ selected, groups, onClose }: ExportDialogProps): JSX.Element {
  const isAnySelected = selected.length > 0;
  const [what, setWhat] = useState(isAnySelected ? 'selected' : 'all');
  const [format, setFormat] = useState<'requestly' | 'switchyard'>('requestly');
  const write = useWrite();
  const failure = write.failure.value;
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const text = await write.run(() =>
      what === 'selected' ? exportSelected(selected, format) : api().rules.export({ ...whichOf(what), format }),
    );
    if (text === undefined) return;
    saveFile(text, format === 'requestly' ? 'rules.json' : 'rules.switchyard.json');
    onClose();
  };
  return (
    <Dialog title="Export rules" onClose={onClose}>
      <form class="stack" onSubmit={(event) => void save(event)}>
        <SelectField
          label="Rules"
          value={what}
          options={[
            ['all', 'All rules'],
            ...(isAnySelected ? [['selected', `The ${selected.length.toLocaleString('en')} selected`] as const] : []),
            ...groups.map(({ id, name }) => [id, `Of the group ${visibleLine(name, 100)}`] as const),
            ['', 'Those in no group'],
          ]}
          onChange={setWhat}
        />
        <SelectField label="File" value={format} options={FORMATS} onChange={setFormat} />
        {failure !== undefined && <FailureBox failure={failure} what="The export" />}
        <div class="row">
          <Button type="submit" kind="primary" busy={write.isRunning.value}>
            Save the file
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

const whichOf = (what: string): RulesExportOptions => (what === 'all' ? {} : { groupIds: [what] });

function saveFile(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
