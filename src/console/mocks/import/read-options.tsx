/** How a file is read: docs/interchange.md, "Over HTTP". Those of the detected format are offered. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReadOptions } from '../../../client/shapes.ts';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { visibleLine } from '../../state/visible-text.ts';

const FORMATS = [
  ['auto', 'As its content tells'],
  ['openapi', 'OpenAPI or Swagger'],
  ['har', 'HAR'],
  ['postman', 'Postman collection'],
  ['mockoon', 'Mockoon environment'],
  ['wiremock', 'WireMock mappings'],
  ['mockserver', 'MockServer expectations'],
  ['mountebank', 'mountebank imposters'],
  ['switchyard', 'Switchyard'],
] as const;

/** Whose files may have templates. */
const TEMPLATED: ReadonlySet<string> = new Set(['mockoon', 'wiremock', 'mountebank', 'switchyard']);

interface ReadOptionsFormProps {
  readonly options: ReadOptions;
  /** The detected one, undefined while it is not known. */
  readonly format: string | undefined;
  readonly names: readonly string[];
  readonly onChange: (options: ReadOptions) => void;
}

export function ReadOptionsForm({ options, format, names, onChange }: ReadOptionsFormProps): JSX.Element {
  const change = (members: ReadOptions): void => onChange(filled({ ...options, ...members }));
  const [host, setHost] = useState(options.host ?? '');
  return (
    <div class="import-options">
      <SelectField
        label="Read it"
        value={options.format ?? 'auto'}
        options={FORMATS}
        onChange={(value) => change({ format: value })}
      />
      {names.length > 1 && (
        <SelectField
          label="Begin with"
          value={options.entry ?? ''}
          options={[['', 'the one that is found'], ...names.map((name) => [name, visibleLine(name, 80)] as const)]}
          onChange={(entry) => change({ entry })}
        />
      )}
      {format === 'har' && (
        <TextField
          label="Host"
          value={host}
          placeholder="the most frequent"
          hint="Requests to it become the mock."
          onInput={setHost}
          onCommit={() => {
            if (host.trim() !== (options.host ?? '')) change({ host: host.trim() });
          }}
        />
      )}
      {format === 'har' && (
        <Check
          label="Recorded times become latencies"
          checked={options.latency === true}
          onChange={(latency) => change({ latency })}
        />
      )}
      {format === 'har' && (
        <Check
          label="Ids in paths become parameters"
          checked={options.parameterise === true}
          onChange={(parameterise) => change({ parameterise })}
        />
      )}
      {format !== undefined && TEMPLATED.has(format) && (
        <Check
          label="Templates of JSON stay JSON, whatever a request sends"
          checked={options.jsonTemplates === true}
          onChange={(jsonTemplates) => change({ jsonTemplates })}
        />
      )}
      {format === 'openapi' && (
        <Check
          label="Requests without what is required are answered 400 or 401"
          checked={options.validate === true}
          onChange={(validate) => change({ validate })}
        />
      )}
    </div>
  );
}

/** What is empty is not sent. */
const filled = (options: ReadOptions): ReadOptions =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== ''));
