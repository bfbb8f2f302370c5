/** Brings rules and groups in from a file: first what it would do with each, then the import itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ImportedRules, RulesImportOptions } from '../../../client/shapes.ts';
import { Button, Check, Field, SelectField } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { numberText } from '../../parts/words.ts';
import { api } from '../../state/session.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';
import { ImportReport } from './import-report.tsx';

const CONFLICTS = [
  ['duplicate', 'Make a second one'],
  ['overwrite', 'Replace it'],
  ['skip', 'Leave it as it is'],
] as const;

interface ImportDialogProps {
  readonly onClose: () => void;
  readonly onChange: () => void;
}

export function ImportDialog({ onClose, onChange }: ImportDialogProps): JSX.Element {
  const [file, setFile] = useState<File>();
  const [onConflict, setOnConflict] = useState<NonNullable<RulesImportOptions['onConflict']>>('duplicate');
  const [activate, setActivate] = useState(false);
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
          <div class="row">
            <Button kind="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="Import rules" onClose={onClose} wide>
      <div class="stack">
        <Field label="File" hint="Rules as Requestly or Switchyard exports them, up to 10 MB.">
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
            label="A rule or group that is here already, by its id"
            value={onConflict}
            options={CONFLICTS}
            onChange={setOnConflict}
          />
          <Check label="Turn on what is on in the file" checked={activate} onChange={setActivate} />
        </div>
        {failure !== undefined && <FailureBox failure={failure} what="The import" onRetry={() => void look()} />}
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
