/** Exports rules with their groups: all, one group, or the selection. */
import { useState } from 'preact/hooks';
import type { RuleRecord, RulesExportOptions } from '../../../client/shapes.ts';
import { bytesOf, download } from '../../parts/body-text.ts';
import { SelectField } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { choices, numberText } from '../../parts/words.ts';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import type { Groups } from '../common/groups.ts';

const FORMATS = choices({ requestly: 'Requestly', switchyard: 'Switchyard (for git)' });

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
      submit="Export"
      onSubmit={() => void save()}
      onClose={onClose}
      write={write}
      what="The export"
    >
      <SelectField
        label="Rules"
        value={what}
        options={[
          ['all', 'All rules'],
          ...(isAnySelected ? [['selected', `Selected (${numberText(selected.length)})`] as const] : []),
          ...groups.map(({ id, name }) => [id, `Group ${visibleLine(name, 100)}`] as const),
          ['', 'Ungrouped rules'],
        ]}
        onChange={setWhat}
      />
      <SelectField label="File" value={format} options={FORMATS} onChange={setFormat} />
    </FormDialog>
  );
}

const whichOf = (what: string): RulesExportOptions => (what === 'all' ? {} : { groupIds: [what] });

/**
 * Ids are part of the request's address, and its head is limited to 4 kB: large selections take several requests, whose
 * files are joined. The longest id takes 34 characters.
 */
const IDS_MAX = 80;

type Format = NonNullable<RulesExportOptions['format']>;
type Named = { readonly id: string };

/** @returns The content of the file, with the rules in order of creation. */
async function exportSelected(rules: readonly RuleRecord[], format: Format): Promise<string> {
  const ids = rules.toSorted((one, other) => one.creationDate - other.creationDate).map(({ id }) => id);
  const texts: string[] = [];
  for (let from = 0; from < ids.length; from += IDS_MAX) {
    texts.push(await api().rules.export({ ids: ids.slice(from, from + IDS_MAX), format }));
  }
  const [only] = texts;
  return only !== undefined && texts.length === 1 ? only : joined(texts, format);
}

/** Joins files the way the server writes one: each group once, after the rules. Exported for its test. */
function joined(texts: readonly string[], format: Format): string {
  const files: unknown[] = texts.map((text) => JSON.parse(text));
  if (format === 'requestly') {
    const records = files.flat() as (Named & { readonly objectType: string })[];
    const [rules, groups] = [records.filter(isRule), records.filter((record) => !isRule(record))];
    return JSON.stringify([...rules, ...once(groups)], null, 2);
  }
  const parts = files as { readonly rules: readonly Named[]; readonly groups?: readonly Named[] }[];
  const groups = once(parts.flatMap((part) => part.groups ?? []));
  const whole = { ...parts[0], rules: parts.flatMap(({ rules }) => rules), ...(groups.length > 0 ? { groups } : {}) };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

const isRule = ({ objectType }: { readonly objectType: string }): boolean => objectType === 'rule';

const once = <Item extends Named>(items: readonly Item[]): readonly Item[] => [
  ...new Map(items.map((item) => [item.id, item])).values(),
];
