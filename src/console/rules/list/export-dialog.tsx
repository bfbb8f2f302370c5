/** Writes rules with their groups as a file: all, one group, or the selected ones. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RuleRecord, RulesExportOptions } from '../../../client/shapes.ts';
import { SelectField } from '../../parts/controls.tsx';
import { bytesOf, download } from '../../parts/body-text.ts';
import { FormDialog } from '../../parts/dialog.tsx';
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
  const save = async (): Promise<void> => {
    const text = await write.run(() =>
      what === 'selected' ? exportSelected(selected, format) : api().rules.export({ ...whichOf(what), format }),
    );
    if (text === undefined) return;
    download(bytesOf(text), format === 'requestly' ? 'rules.json' : 'rules.switchyard.json');
    onClose();
  };
  return (
    <FormDialog
      title="Export rules"
      submit="Save the file"
      write={write}
      what="The export"
      onSubmit={() => void save()}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}

const whichOf = (what: string): RulesExportOptions => (what === 'all' ? {} : { groupIds: [what] });
