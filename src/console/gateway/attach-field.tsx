/** A list of hosts, each with the mock that answers for it. */
import type { AttachedHost } from '../../model/gateway/settings.ts';
import { AddButton, RemoveButton, useRows } from '../parts/arrange.tsx';
import { SelectField, TextField } from '../parts/controls.tsx';
import { visibleLine } from '../state/visible-text.ts';
import type { MockNames } from './mock-names.ts';
import { SETTING_WORDS } from './settings-words.ts';

interface AttachProps {
  readonly attach: readonly AttachedHost[];
  /** Ids of deleted mocks. */
  readonly missing: readonly string[];
  readonly mocks: MockNames;
  readonly errorAt: (pointer: string) => string | undefined;
  readonly onChange: (attach: readonly AttachedHost[]) => void;
}

export function AttachField({ attach, missing, mocks, errorAt, onChange }: AttachProps): JSX.Element {
  const { root, add, set, remove } = useRows(attach, onChange, () => undefined);
  const { label, hint } = SETTING_WORDS.attach;
  return (
    <section class="stack" aria-label={label} ref={root}>
      <div class="row">
        <h3>{label}</h3>
        <AddButton label="Add a host" onClick={() => add({ host: '', mockId: '' })} />
      </div>
      <p class="hint">{hint}</p>
      {attach.map((row, index) => (
        <div class="gateway-attach" data-unit key={index}>
          <TextField
            label={`Host ${index + 1}`}
            hiddenLabel
            monospace
            placeholder="api.example.com"
            value={row.host}
            onInput={(host) => set(index, { ...row, host })}
            error={errorAt(`/${index}/host`)}
          />
          <MockPicker
            label={`Mock for host ${index + 1}`}
            hiddenLabel
            id={row.mockId}
            mocks={mocks}
            error={errorAt(`/${index}/mockId`) ?? (missing.includes(row.mockId) ? 'This mock is gone.' : undefined)}
            onChange={(mockId) => set(index, { ...row, mockId })}
          />
          <RemoveButton what={`host ${visibleLine(row.host, 60)}`} onClick={() => remove(index)} />
        </div>
      ))}
    </section>
  );
}

interface PickerProps {
  readonly label: string;
  readonly hiddenLabel?: boolean;
  /** "" for none. */
  readonly id: string;
  readonly mocks: MockNames;
  readonly error: string | undefined;
  readonly onChange: (id: string) => void;
}

export function MockPicker({
  label,
  hiddenLabel = false,
  id,
  mocks: { choices },
  error,
  onChange,
}: PickerProps): JSX.Element {
  const shared = { label, hiddenLabel, value: id, error };
  if (choices === undefined) return <TextField {...shared} monospace placeholder="Id of the mock" onInput={onChange} />;
  const known = id === '' || choices.some(([each]) => each === id) ? choices : [...choices, [id, id] as const];
  return <SelectField {...shared} options={[['', 'Choose a mock'], ...known]} onChange={onChange} />;
}
