/** The settings of the working copy. A save of the mock puts them in force. */
import type { JSX } from 'preact';
import type { MockDefinition, MockSettings } from '../../../model/mocks/definition/definition.ts';
import type { MockRecord } from '../../../client/shapes.ts';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { hrefOf } from '../../state/place.ts';
import type { Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { errorsOf } from '../routes/field-errors.ts';
import { JsonField } from '../routes/json-field.tsx';
import { LatencyField } from '../routes/latency-field.tsx';
import { numberOrText } from '../routes/number-field.tsx';
import { EditHead, EditState } from './edit-state.tsx';
import { PRECEDENCE_OPTIONS, settingWords, SETTING_WORDS } from './settings-words.ts';
import { useFieldsEdit, type FieldsEdit } from './use-fields-edit.ts';

const JSON_SETTINGS = [
  ['faults', '[{"kind": "status", "status": 503, "probability": 0.2}]'],
  ['rateLimit', '{"requests": 10, "perMs": 1000}'],
  ['scenarios', '[{"name": "order", "states": ["new", "paid"]}]'],
  ['headers', '[{"name": "x-powered-by", "value": "mocks"}]'],
  ['variables', '{"baseUrl": "https://api.test"}'],
] as const;

interface SettingsFormProps {
  readonly record: MockRecord;
  readonly staged: Resource<MockDefinition>;
  readonly definition: MockDefinition;
  readonly onWritten: () => void;
}

export function SettingsForm({ record, staged, definition, onWritten }: SettingsFormProps): JSX.Element {
  const edit = useFieldsEdit<MockDefinition, MockSettings>({
    name: `settings.${record.id}`,
    known: definition,
    fieldsOf: ({ settings }) => settings,
    write: (settings, ifMatch) => api().mocks.staged.put(record.id, { settings }, { ifMatch }),
    read: () => api().mocks.staged.get(record.id),
    onKnown(now) {
      staged.replace(now);
      onWritten();
    },
  });
  const errorAt = errorsOf(edit.failure);
  const { shown } = edit;
  const isAtField = Object.keys(SETTING_WORDS).some((name) => errorAt(`/settings/${name}`) !== undefined);
  return (
    <form class="settings-fields" onSubmit={(event) => event.preventDefault()}>
      <EditHead edit={edit} title="Settings" id="settings-settings" saved="Saved in the working copy" />
      <p class="muted">
        A change goes to the working copy as soon as the field is left, and is served after a save. <AboutSettings />
      </p>
      {(['cors', 'traffic', 'forced'] as const).map((name) => (
        <SettingCheck key={name} name={name} edit={edit} />
      ))}
      <SelectField
        label={SETTING_WORDS.precedence.label}
        hint={SETTING_WORDS.precedence.meaning}
        value={shown.precedence}
        options={PRECEDENCE_OPTIONS}
        error={errorAt('/settings/precedence')}
        onChange={(precedence) => changeNow(edit, { precedence })}
      />
      <div>
        <LatencyField
          latency={shown.latency}
          canEdit
          error={errorAt('/settings/latency')}
          onChange={(latency) => edit.change({ latency })}
          onCommit={() => void edit.save()}
        />
        <p class="hint">{SETTING_WORDS.latency.meaning}</p>
      </div>
      <TextField
        label={SETTING_WORDS.seed.label}
        hint={SETTING_WORDS.seed.meaning}
        inputClass="number"
        value={shown.seed === null ? '' : String(shown.seed)}
        onInput={(text) => edit.change({ seed: (text.trim() === '' ? null : numberOrText(text)) as number | null })}
        onCommit={() => void edit.save()}
        error={errorAt('/settings/seed')}
      />
      <TextField
        label={SETTING_WORDS.clock.label}
        hint={SETTING_WORDS.clock.meaning}
        value={shown.clock ?? ''}
        onInput={(text) => edit.change({ clock: text.trim() === '' ? undefined : text } as Partial<MockSettings>)}
        onCommit={() => void edit.save()}
        error={errorAt('/settings/clock')}
      />
      {JSON_SETTINGS.map(([name, example]) => (
        <JsonField
          key={name}
          label={SETTING_WORDS[name].label}
          hint={SETTING_WORDS[name].meaning}
          example={example}
          value={shown[name]}
          canEdit
          error={errorAt(`/settings/${name}`)}
          onChange={(value) => edit.change({ [name]: value })}
          onCommit={() => void edit.save()}
        />
      ))}
      <Check
        label={SETTING_WORDS.sessions.label}
        checked={shown.sessions === 'auto'}
        onChange={(checked) => changeNow(edit, { sessions: checked ? 'auto' : undefined } as Partial<MockSettings>)}
      />
      <p class="hint settings-below-check">{SETTING_WORDS.sessions.meaning}</p>
      <Check
        label={SETTING_WORDS.debugHeaders.label}
        checked={shown.debugHeaders === true}
        onChange={(checked) => changeNow(edit, { debugHeaders: checked ? true : undefined } as Partial<MockSettings>)}
      />
      <p class="hint settings-below-check">{SETTING_WORDS.debugHeaders.meaning}</p>
      <EditState
        edit={edit}
        what="Saving the settings"
        labelOf={(name) => SETTING_WORDS[name].label}
        wordsOf={settingWords}
        isAtField={isAtField}
      />
      {record.hasStagedChanges && (
        <p>
          The working copy has changes that are not served yet.{' '}
          <a href={hrefOf(['mocks', record.id, 'diff'])}>Review and save them</a>
        </p>
      )}
    </form>
  );
}

export const AboutSettings = (): JSX.Element => (
  <a href="console/docs/mocks#fields" target="_blank" rel="noreferrer">
    About settings
  </a>
);

/** What is chosen by one press is written at once. */
function changeNow(edit: FieldsEdit<MockSettings>, members: Partial<MockSettings>): void {
  edit.change(members);
  void edit.save();
}

interface SettingCheckProps {
  readonly name: 'cors' | 'traffic' | 'forced';
  readonly edit: FieldsEdit<MockSettings>;
}

const SettingCheck = ({ name, edit }: SettingCheckProps): JSX.Element => (
  <div>
    <Check
      label={SETTING_WORDS[name].label}
      checked={edit.shown[name]}
      onChange={(checked) => changeNow(edit, { [name]: checked })}
    />
    <p class="hint settings-below-check">{SETTING_WORDS[name].meaning}</p>
  </div>
);

/** For those who cannot change them. */
export const SettingsList = ({ settings }: { readonly settings: MockSettings }): JSX.Element => (
  <>
    <h2 id="settings-settings">Settings</h2>
    <p class="muted">
      Of the working copy. <AboutSettings />
    </p>
    <dl class="settings-list">
      {(Object.keys(SETTING_WORDS) as (keyof MockSettings)[]).map((name) => (
        <div key={name}>
          <dt>{SETTING_WORDS[name].label}</dt>
          <dd>{settingWords(name, settings[name])}</dd>
        </div>
      ))}
    </dl>
  </>
);
