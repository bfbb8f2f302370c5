/** Exports a mock as a file, with a report on what the format cannot express. */
import { useState } from 'preact/hooks';
import type { ExportOptions, MockExport, MockRecord } from '../../../client/shapes.ts';
import { bytesOf, download } from '../../parts/body-text.ts';
import { Button, Form, SelectField } from '../../parts/controls.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { api } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';
import { FidelityReport } from '../../parts/fidelity-report.tsx';
import { summaryOf } from '../../parts/report-rows.ts';
import { fileNameOf } from './settings-words.ts';
import { choices } from '../../parts/words.ts';

const FORMATS = choices({ switchyard: 'Switchyard (complete, for git)', openapi: 'OpenAPI 3.1' });

const COPIES = choices({ saved: 'Served version', staged: 'Working copy' });

export function ExportForm({ record }: { readonly record: MockRecord }): JSX.Element {
  const [format, setFormat] = useState<(typeof FORMATS)[number][0]>('switchyard');
  const [from, setFrom] = useState<(typeof COPIES)[number][0]>('saved');
  const [written, setWritten] = useState<MockExport & { readonly name: string }>();
  const request = useWrite();
  const write = async (): Promise<void> => {
    const options: ExportOptions = { format, from: record.hasStagedChanges ? from : 'saved' };
    const answer = await request.run(() => api().mocks.export(record.id, options));
    if (answer === undefined) return;
    const name = fileNameOf(record, format);
    download(bytesOf(answer.file), name);
    setWritten({ ...answer, name });
  };
  return (
    <Form onSubmit={() => void write()}>
      <div class="row">
        <SelectField label="Format" value={format} options={FORMATS} onChange={setFormat} />
        {record.hasStagedChanges && <SelectField label="Copy" value={from} options={COPIES} onChange={setFrom} />}
      </div>
      <div class="row">
        <Button type="submit" busy={request.isRunning.value}>
          Export
        </Button>
        <span class="muted" role="status">
          {written !== undefined && `${written.name}: ${summaryOf(written.report)}.`}
        </span>
      </div>
      <FailureBox failure={request.failure.value} what="The export" />
      {written !== undefined && written.report.entries.length > 0 && <FidelityReport report={written.report} />}
    </Form>
  );
}
