/** Creates a mock from a file. */
import { useMemo, useState } from 'preact/hooks';
import { Button, Check, Form, TextField } from '../../parts/controls.tsx';
import { Command } from '../../parts/copy-button.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, FailureBox, READ_ONLY } from '../../parts/states.tsx';
import { navigate, hrefOf } from '../../state/place.ts';
import { api, API_URL, mayEdit } from '../../state/session.ts';
import { notify } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { newIdempotencyKey, useWrite } from '../../state/write.ts';
import { ImportForm, type Ready } from './import-form.tsx';
import { summaryOf } from '../../parts/report-rows.ts';

const TRAIL = [{ label: 'Mocks', href: hrefOf(['mocks']) }];

export function ImportScreen(): JSX.Element {
  const [name, setName] = useState('');
  const [start, setStart] = useState(true);
  const command = `curl -X POST "${API_URL}/mocks/import?start=true" -H "x-api-key: $SWITCHYARD_API_KEY" --data-binary @openapi.yaml`;
  return (
    <Page title="Import a mock" trail={TRAIL}>
      {mayEdit.value ? (
        <>
          <ImportForm>
            {(ready) => <NewMock ready={ready} name={name} start={start} onName={setName} onStart={setStart} />}
          </ImportForm>
          <details>
            <summary>In a terminal, with your key in SWITCHYARD_API_KEY</summary>
            <Command text={command} label="" />
          </details>
        </>
      ) : (
        <Empty title={READ_ONLY}>
          <p>Importing a mock needs an editor key.</p>
        </Empty>
      )}
    </Page>
  );
}

interface NewMockProps {
  readonly ready: Ready;
  /** These two survive a change of the read options. */
  readonly name: string;
  readonly start: boolean;
  readonly onName: (name: string) => void;
  readonly onStart: (start: boolean) => void;
}

function NewMock({ ready, name, start, onName, onStart }: NewMockProps): JSX.Element {
  const { file, options, preview } = ready;
  // The idempotency key makes a retry safe.
  const idempotencyKey = useMemo(newIdempotencyKey, [file, options, name, start]);
  const write = useWrite();
  const store = async (): Promise<void> => {
    const given = name.trim() === '' ? {} : { name: name.trim() };
    const answer = await write.run(() =>
      api().mocks.import(file.source, { ...options, ...given, fileName: file.fileName, start, idempotencyKey }),
    );
    if (answer === undefined) return;
    const [mock] = answer.mocks;
    notify(
      `Imported ${visibleLine(mock?.name ?? '', 60)}: ${summaryOf(answer.report)}.${answer.published === false ? ' Not every thread serves it yet.' : ''}`,
    );
    if (mock === undefined) navigate(['mocks']);
    else navigate(['mocks', mock.id, 'routes']);
  };
  const failure = write.failure.value;
  return (
    <Form onSubmit={() => void store()}>
      <TextField
        label="Name"
        value={name}
        placeholder={visibleLine(preview.definitions[0]?.name ?? '', 80)}
        onInput={onName}
        hint="By default the title, or the name of the file."
      />
      <Check label="Start immediately" checked={start} onChange={onStart} />
      <FailureBox failure={failure} what="The import" />
      <div class="row">
        <Button type="submit" kind="primary" busy={write.isRunning.value}>
          Import
        </Button>
        <span class="muted">{summaryOf(preview.report)}</span>
      </div>
    </Form>
  );
}
