/** Imports rules and groups from a file, after a preview. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ImportedRules, RulesImportOptions } from '../../../client/shapes.ts';
import { Button, Check, Field, SelectField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FidelityReport } from '../../parts/fidelity-report.tsx';
import { refusedRows } from '../../parts/report-rows.ts';
import { FailureBox } from '../../parts/states.tsx';
import { choices, numberText } from '../../parts/words.ts';
import { api } from '../../state/session.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';

const CONFLICTS = choices({ duplicate: 'Duplicate it', overwrite: 'Replace it', skip: 'Skip it' });

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onChange: () => void;
}

export function ImportDialog({ onClose, onChange }: ImportDialogProps): JSX.Element {
  const [file, setFile] = useState<File>();
  const [chosen, setOnConflict] = useState<RulesImportOptions['onConflict']>();
  const [activate, setActivate] = useState(false);
  // As the API has it.
  const onConflict = chosen ?? (activate ? 'overwrite' : 'duplicate');
  const [preview, setPreview] = useState<ImportedRules>();
  const [done, setDone] = useState<ImportedRules>();
  const write = useWrite();
  const options = { onConflict, activate };
  const look = async (): Promise<void> => {
    setPreview(undefined);
    if (file === undefined) return;
    setPreview(await write.run(async () => api().rules.import(await bytesOf(file), { ...options, dryRun: true })));
  };
  useEffect(() => void look(), [file, onConflict, activate]);
  const store = async (): Promise<void> => {
    if (file === undefined) return;
    const idempotencyKey = newIdempotencyKey();
    const answer = await write.run(async () => api().rules.import(await bytesOf(file), { ...options, idempotencyKey }));
    if (answer === undefined) return;
    setDone(answer);
    onChange();
  };
  const failure = write.failure.value;
  const taken = preview?.records.filter(({ result }) => result !== 'refused' && result !== 'skipped').length ?? 0;
  if (done !== undefined) {
    return (
      <Dialog title="Imported" onClose={onClose} wide>
        <div class="stack">
          <ImportReport imported={done} isDone />
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import rules" onClose={onClose} wide>
      <div class="stack">
        <Field label="File" hint="An export of Requestly or Switchyard, up to 10 MB.">
          {(ids) => (
            <input
              {...ids}
              type="file"
              accept=".json,application/json"
              onChange={(event) => setFile(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <div class="rules-fields">
          <SelectField
            label="Existing rules and groups with the same id"
            value={onConflict}
            options={CONFLICTS}
            onChange={setOnConflict}
          />
          <Check label="Activate rules that are on in the file" checked={activate} onChange={setActivate} />
        </div>
        <FailureBox failure={failure} what="The import" onRetry={() => void look()} />
        {write.isRunning.value && (
          <p class="muted" role="status">
            Reading…
          </p>
        )}
        {preview !== undefined && <ImportReport imported={preview} isDone={false} />}
        <div class="row">
          <Button kind="primary" busy={write.isRunning.value} disabled={taken === 0} onClick={() => void store()}>
            {taken === 0 ? 'Import' : `Import ${numberText(taken)}`}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </div>
    </Dialog>
  );
}

const bytesOf = async (file: File): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

const RESULTS = [
  ['created', 'created', 'are new'],
  ['overwritten', 'replaced', 'replace existing ones'],
  ['skipped', 'skipped', 'are skipped'],
  ['refused', 'refused', 'are refused'],
] as const;

interface ReportProps {
  readonly imported: ImportedRules;
  readonly isDone: boolean;
}

/** The result or preview of an import: counts, refusals with reasons, and losses. */
function ImportReport({ imported: { records, report }, isDone }: ReportProps): JSX.Element {
  const refused = useMemo(() => refusedRows(records), [records]);
  return (
    <>
      <ul class="row">
        {RESULTS.map(([result, done, would]) => {
          const count = records.filter((record) => record.result === result).length;
          return count === 0 ? null : (
            <li key={result}>
              <strong>{numberText(count)}</strong> {isDone ? done : would}
            </li>
          );
        })}
        {records.length === 0 && <li>There are no rules in this file.</li>}
      </ul>
      <FidelityReport report={report} refused={refused} />
    </>
  );
}
