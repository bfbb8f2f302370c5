/** Chooses a file, and previews the import. Nothing is stored before the preview. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { ImportPreview, ReadOptions } from '../../../client/shapes.ts';
import { Button, Check, SelectField, TextField } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Shown } from '../../parts/states.tsx';
import { choices, countText, labelOf } from '../../parts/words.ts';
import { useResource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { FidelityReport } from '../../parts/fidelity-report.tsx';
import { droppedFiles, droppedFolder, readFiles, type ChosenFile, type ReadFiles } from './import-source.ts';

export interface Ready {
  readonly file: ReadFiles;
  readonly options: ReadOptions;
  readonly preview: ImportPreview;
}

/** @param children The next step, once the file is read. */
export function ImportForm({ children }: { readonly children: (ready: Ready) => ComponentChildren }): JSX.Element {
  const [file, setFile] = useState<ReadFiles>();
  const [problem, setProblem] = useState<string>();
  const [options, setOptions] = useState<ReadOptions>({});
  const [format, setFormat] = useState<string>();
  const choice = useRef(0);
  const take = async (files: readonly ChosenFile[], folder = ''): Promise<void> => {
    const turn = ++choice.current;
    const read = await readFiles(files, folder);
    if (turn !== choice.current) return;
    const isRead = !('problem' in read);
    setProblem(isRead ? undefined : read.problem);
    if (!isRead) return;
    setFile(read);
    setFormat(undefined);
    setOptions({});
  };
  return (
    <FileChoice names={file?.names ?? []} problem={problem} onFiles={(files, folder) => void take(files, folder)}>
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
    const preview = await api().mocks.previewImport(file.source, { ...options, fileName: file.fileName });
    onFormat(preview.report.format);
    return preview;
  };
  const preview = useResource(load, [file, options]);
  return (
    <Shown of={preview} what="the preview">
      {(made) => (
        <div class="columns import-result">
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

/** The server quotes the file's own text with backticks. */
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

/** Enough to recognise the mock. */
const ROUTES_SHOWN = 200;

const Made = ({ preview: { definitions, report } }: { readonly preview: ImportPreview }): JSX.Element => (
  <div class="panel">
    <p>
      <strong>
        {labelOf(FORMATS, report.format) ?? report.format} {report.version}
      </strong>
      , detected by <DetectedBy text={report.detectedBy} />
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
          <summary>{countText(routes.length, 'route')}</summary>
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

interface FileChoiceProps {
  /** The chosen files, if any. */
  readonly names: readonly string[];
  readonly problem: string | undefined;
  readonly onFiles: (files: readonly ChosenFile[], folder?: string) => void;
  /** The area below, which also accepts dropped files. */
  readonly children: ComponentChildren;
}

const NAMES_SHOWN = 5;

/** Takes chosen or dropped files, and folders. */
function FileChoice({ names, problem, onFiles, children }: FileChoiceProps): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    if (files !== null && files !== undefined && files.length > 0) onFiles([...files]);
  };
  return (
    <div
      class="import stack"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer?.types.includes('Files') !== true) return;
        const folder = droppedFolder(event.dataTransfer);
        void droppedFiles(event.dataTransfer).then((files) => onFiles(files, folder));
      }}
    >
      <div class={isOver ? 'panel import-drop over' : 'panel import-drop'}>
        <p class="row">
          <Button kind={names.length === 0 ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
            {names.length === 0 ? 'Choose a file…' : 'Choose another file…'}
          </Button>
          <span>or drop a file or folder here</span>
        </p>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files of the import"
          accept=".json,.yaml,.yml,.har"
          onChange={(event) => {
            take(event.currentTarget.files);
            // Choosing the same file again, after editing it, is a change too.
            event.currentTarget.value = '';
          }}
        />
        {names.length === 0 ? (
          <p class="hint">
            {FORMATS.slice(1)
              .map(([, title]) => title)
              .join(', ')}
            : as JSON or YAML. A document of several files: all of them at once.
          </p>
        ) : (
          <p>
            {names.slice(0, NAMES_SHOWN).map((name, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <strong>
                  <SafeLine text={name} max={80} />
                </strong>
              </span>
            ))}
            {names.length > NAMES_SHOWN && ` and ${names.length - NAMES_SHOWN} more`}
          </p>
        )}
        {problem !== undefined && (
          <p class="error" role="alert">
            {problem}
          </p>
        )}
      </div>
      {children}
    </div>
  );
}

const FORMATS = choices({
  auto: 'Detect automatically',
  openapi: 'OpenAPI',
  har: 'HAR',
  postman: 'Postman collection',
  mockoon: 'Mockoon environment',
  wiremock: 'WireMock mappings',
  mockserver: 'MockServer expectations',
  mountebank: 'mountebank imposters',
  'json-server': 'json-server db.json',
  switchyard: 'Switchyard',
});

/** With the formats that each option is for. */
const CHECKS = [
  ['latency', ['har'], 'Use recorded times as latencies'],
  ['parameterise', ['har'], 'Turn ids in paths into parameters'],
  ['rewriteUrls', ['har', 'postman'], 'Replace URLs of the recorded host by those of the mock'],
  ['jsonTemplates', ['mockoon', 'wiremock', 'mountebank', 'switchyard'], 'Keep JSON templates valid for any request'],
  ['globalTemplates', ['wiremock'], 'Read all bodies as templates (--global-response-templating)'],
  ['faker', ['openapi'], 'Generate random values for bodies without an example'],
  ['crud', ['openapi'], 'Back operations with stores: posted items are kept and listed'],
  ['validate', ['openapi'], 'Answer invalid requests with 400 or 401'],
] as const satisfies readonly (readonly [keyof ReadOptions, readonly string[], string])[];

interface ReadOptionsFormProps {
  readonly options: ReadOptions;
  /** The detected format, if known. */
  readonly format: string | undefined;
  readonly names: readonly string[];
  readonly onChange: (options: ReadOptions) => void;
}

/** Read options of the detected format: docs/interchange.md, "Over HTTP". */
function ReadOptionsForm({ options, format, names, onChange }: ReadOptionsFormProps): JSX.Element {
  const change = (members: ReadOptions): void => onChange(filled({ ...options, ...members }));
  const [host, setHost] = useState(options.host ?? '');
  return (
    <div class="row import-options">
      <SelectField
        label="Format"
        value={options.format ?? 'auto'}
        options={FORMATS}
        onChange={(value) => change({ format: value })}
      />
      {names.length > 1 && (
        <SelectField
          label="Entry file"
          value={options.entry ?? ''}
          options={[['', 'detect automatically'], ...names.map((name) => [name, visibleLine(name, 80)] as const)]}
          onChange={(entry) => change({ entry })}
        />
      )}
      {format === 'har' && (
        <TextField
          label="Host"
          value={host}
          placeholder="the most frequent"
          hint="Only its requests become routes."
          onInput={setHost}
          onCommit={() => {
            if (host.trim() !== (options.host ?? '')) change({ host: host.trim() });
          }}
        />
      )}
      {CHECKS.filter(([, formats]) => format !== undefined && (formats as readonly string[]).includes(format)).map(
        ([name, , label]) => (
          <Check
            key={name}
            label={label}
            checked={options[name] === true}
            onChange={(checked) => change({ [name]: checked })}
          />
        ),
      )}
    </div>
  );
}

/** Without empty options. */
const filled = (options: ReadOptions): ReadOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ''));
