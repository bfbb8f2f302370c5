/** The settings of the working copy. They take effect with a save of the mock. */
import type { MockRecord } from '../../../client/shapes.ts';
import type { MockDefinition, MockSettings } from '../../../model/mocks/definition/definition.ts';
import { bound, below, errorsOf, type ErrorAt } from '../../parts/bound.ts';
import { Check, Form, SelectField, TextField } from '../../parts/controls.tsx';
import { EditHead, EditState } from '../../parts/edit-state.tsx';
import { Facts } from '../../parts/section.tsx';
import { DocLink } from '../../parts/states.tsx';
import { useEdit } from '../../state/edit.ts';
import { hrefOf } from '../../state/place.ts';
import type { Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import { JsonField, numberOrText } from '../routes/fields.tsx';
import { LatencyField } from '../routes/latency-field.tsx';
import { StoresField } from './stores-field.tsx';
import { PRECEDENCE_OPTIONS, SETTING_WORDS, settingWords } from './settings-words.ts';

const JSON_SETTINGS = [
  ['faults', '[{"kind": "status", "status": 503, "probability": 0.2}]'],
  ['rateLimit', '{"requests": 10, "perMs": 1000}'],
  ['scenarios', '[{"name": "order", "states": ["new", "paid"]}]'],
  ['headers', '[{"name": "x-powered-by", "value": "mocks"}]'],
  ['variables', '{"baseUrl": "https://api.test"}'],
  ['proxy', '{"upstream": "https://api.example.com"}'],
  ['signing', '{"alg": "RS256"}'],
] as const;

interface SettingsFormProps {
  readonly record: MockRecord;
  readonly staged: Resource<MockDefinition>;
  readonly definition: MockDefinition;
  readonly onWritten: () => void;
}

export function SettingsForm({ record, staged, definition, onWritten }: SettingsFormProps): JSX.Element {
  const edit = useEdit({
    name: `mock-settings.${record.id}`,
    known: definition,
    toEditable: ({ settings }: MockDefinition) => settings,
    write: (settings, ifMatch) => api().mocks.staged.put(record.id, { settings }, { ifMatch }),
    read: () => api().mocks.staged.get(record.id),
    onKnown(now) {
      staged.replace(now);
      onWritten();
    },
  });
  const { shown } = edit;
  const errorsIn = errorsOf(edit.failure);
  const errorAt: ErrorAt = (pointer) => errorsIn(`/settings${pointer}`);
  const field = bound(shown, edit.change, errorAt);
  const change = (members: { readonly [Name in keyof MockSettings]?: unknown }): void =>
    edit.change({ ...shown, ...members } as MockSettings);
  const onCommit = (): void => void edit.save();
  /** Writes a choice made with one click at once. */
  const changeNow: typeof change = (members) => {
    change(members);
    onCommit();
  };
  const isAtField = Object.keys(SETTING_WORDS).some((name) => errorAt(`/${name}`) !== undefined);
  const check = (name: keyof MockSettings, on: unknown, off: unknown): JSX.Element => (
    <div key={name}>
      <Check
        label={SETTING_WORDS[name].label}
        checked={shown[name] === on}
        onChange={(checked) => changeNow({ [name]: checked ? on : off })}
      />
      <p class="hint settings-below-check">{SETTING_WORDS[name].hint}</p>
    </div>
  );
  return (
    <Form class="stack settings-fields">
      <EditHead edit={edit} title="Settings" id="settings-settings" saved="Saved in the working copy" />
      <p class="muted">
        Changes go to the working copy when you leave a field, and are served after a save. <AboutSettings />
      </p>
      <Check label={SETTING_WORDS.cors.label} checked={shown.cors !== false} onChange={(cors) => changeNow({ cors })} />
      {shown.cors !== false && (
        <JsonField
          label="Origins"
          hint={SETTING_WORDS.cors.hint}
          example='{"origins": ["https://app.test"], "expose": ["x-total"]}'
          value={shown.cors === true ? undefined : shown.cors}
          error={errorAt('/cors')}
          onChange={(cors) => change({ cors: cors ?? true })}
          onCommit={onCommit}
        />
      )}
      {(['traffic', 'forced'] as const).map((name) => check(name, true, false))}
      <SelectField
        {...SETTING_WORDS.precedence}
        {...field('precedence')}
        options={PRECEDENCE_OPTIONS}
        onChange={(precedence) => changeNow({ precedence })}
      />
      <div>
        <LatencyField {...field('latency')} latency={shown.latency} onCommit={onCommit} />
        <p class="hint">{SETTING_WORDS.latency.hint}</p>
      </div>
      <TextField
        {...SETTING_WORDS.seed}
        inputClass="number"
        value={shown.seed === null ? '' : String(shown.seed)}
        onInput={(text) => change({ seed: text.trim() === '' ? null : numberOrText(text) })}
        onCommit={onCommit}
        error={errorAt('/seed')}
      />
      <TextField
        {...SETTING_WORDS.clock}
        value={shown.clock ?? ''}
        onInput={(text) => change({ clock: text.trim() === '' ? undefined : text })}
        onCommit={onCommit}
        error={errorAt('/clock')}
      />
      {JSON_SETTINGS.map(([name, example]) => (
        <JsonField
          key={name}
          {...SETTING_WORDS[name]}
          example={example}
          value={shown[name]}
          error={errorAt(`/${name}`)}
          onChange={(value) => change({ [name]: value })}
          onCommit={onCommit}
        />
      ))}
      <StoresField
        stores={shown.stores ?? []}
        errorAt={below(errorAt, '/stores')}
        onChange={(stores) => change({ stores: stores.length === 0 ? undefined : stores })}
        onCommit={onCommit}
      />
      {check('sessions', 'auto', undefined)}
      {check('debugHeaders', true, undefined)}
      <EditState
        edit={edit}
        of="these settings"
        verb="Save"
        what="Saving the settings"
        where="is not saved"
        labelOf={(name) => SETTING_WORDS[name as keyof MockSettings].label}
        wordsOf={(name, value) => settingWords(name, value)}
        isAtField={isAtField}
      />
      {record.hasStagedChanges && (
        <p>
          The working copy has changes that are not served yet.{' '}
          <a href={hrefOf(['mocks', record.id, 'diff'])}>Review and save them</a>
        </p>
      )}
    </Form>
  );
}

const AboutSettings = (): JSX.Element => <DocLink to="mocks-fields#fields">About settings</DocLink>;

/** The read-only form. */
export const SettingsList = ({ settings }: { readonly settings: MockSettings }): JSX.Element => (
  <>
    <h2 id="settings-settings">Settings</h2>
    <p class="muted">
      Settings of the working copy. <AboutSettings />
    </p>
    <Facts
      class="settings-list"
      rows={(Object.keys(SETTING_WORDS) as (keyof MockSettings)[]).map((name) => [
        SETTING_WORDS[name].label,
        settingWords(name, settings[name]),
      ])}
    />
  </>
);
