/** A file, how it is read, and what it would make: nothing is stored before the person has seen that. */
import type { ComponentChildren, JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ImportPreview, ReadOptions } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Shown } from '../../parts/states.tsx';
import { useResource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { FidelityReport } from './fidelity-report.tsx';
import { FileChoice } from './file-choice.tsx';
import { readFiles, type ChosenFile, type ReadFiles } from './import-source.ts';
import { ReadOptionsForm } from './read-options.tsx';

export interface Ready {
  readonly file: ReadFiles;
  readonly options: ReadOptions;
  readonly preview: ImportPreview;
}

/** @param children What is done with it, once it could be read. */
export function ImportForm({ children }: { readonly children: (ready: Ready) => ComponentChildren }): JSX.Element {
  const [file, setFile] = useState<ReadFiles>();
  const [problem, setProblem] = useState<string>();
  const [options, setOptions] = useState<ReadOptions>({});
  const [format, setFormat] = useState<string>();
  const choice = useRef(0);
  const take = async (files: readonly ChosenFile[]): Promise<void> => {
    const turn = ++choice.current;
    const read = await readFiles(files);
    if (turn !== choice.current) return;
    const isRead = !('problem' in read);
    setProblem(isRead ? undefined : read.problem);
    if (!isRead) return;
    setFile(read);
    setFormat(undefined);
    setOptions({});
  };
  return (
    <FileChoice names={file?.names ?? []} problem={problem} onFiles={(files) => void take(files)}>
      {file !== undefined && (
        <>
          <ReadOptionsForm
            key={file.names.join()}
            options={options}
            format={format}
            names={file.names}
            onChange={setOptions}
          />
          <DryRun file={file} options={options} onFormat={setFormat}>
            {(preview) => children({ file, options, preview })}
          </DryRun>
        </>
      )}
    </FileChoice>
  );
}

interface DryRunProps {
  readonly file: ReadFiles;
  readonly options: ReadOptions;
  readonly onFormat: (format: string) => void;
  readonly children: (preview: ImportPreview) => ComponentChildren;
}

function DryRun({ file, options, onFormat, children }: DryRunProps): JSX.Element {
  const load = async (): Promise<ImportPreview> => {
    const preview = await api().mocks.previewImport(file.source, options);
    onFormat(preview.report.format);
    return preview;
  };
  const preview = useResource(load, [file, options]);
  return (
    <Shown of={preview} what="what it would make">
      {(made) => (
        <div class="import-result">
          <div class="stack">
            <Made preview={made} />
            {children(made)}
          </div>
          <FidelityReport report={made.report} />
        </div>
      )}
    </Shown>
  );
}

/** The server marks what stands in the file by backticks. */
const DetectedBy = ({ text }: { readonly text: string }): JSX.Element => (
  <>
    {text.split('`').map((part, index) =>
      index % 2 === 0 ? (
        <SafeLine key={index} text={part} />
      ) : (
        <code key={index}>
          <SafeLine text={part} />
        </code>
      ),
    )}
  </>
);

const FORMAT_NAMES: Readonly<Record<string, string>> = {
  openapi: 'OpenAPI',
  har: 'HAR',
  postman: 'Postman collection',
  mockoon: 'Mockoon',
  wiremock: 'WireMock',
  mountebank: 'mountebank',
  mockserver: 'MockServer',
  switchyard: 'Switchyard',
};
/** Of a mock with more, the first are enough to see whether it is the right one. */
const ROUTES_SHOWN = 200;

const Made = ({ preview: { definitions, report } }: { readonly preview: ImportPreview }): JSX.Element => (
  <div class="panel">
    <p>
      <strong>
        {FORMAT_NAMES[report.format] ?? report.format} {report.version}
      </strong>
      , told by <DetectedBy text={report.detectedBy} />
    </p>
    {definitions.map(({ name, description, routes }, index) => (
      <div key={index}>
        <h2>
          <SafeLine text={name} />
        </h2>
        {description !== '' && (
          <p class="muted">
            <SafeLine text={description} max={300} />
          </p>
        )}
        <details>
          <summary>
            {routes.length.toLocaleString('en')} {routes.length === 1 ? 'route' : 'routes'}
          </summary>
          <ul class="import-routes">
            {routes.slice(0, ROUTES_SHOWN).map(({ id, method, path }) => (
              <li key={id}>
                <code>
                  {method} <SafeLine text={path} />
                </code>
              </li>
            ))}
          </ul>
          {routes.length > ROUTES_SHOWN && <p class="muted">The first {ROUTES_SHOWN}.</p>}
        </details>
      </div>
    ))}
  </div>
);
