/** The owner's gateway settings. They apply to every request that follows "Save". */
import type { GatewaySettings as Known } from '../../client/shapes.ts';
import type { GatewaySettings } from '../../model/gateway/settings.ts';
import { bound, errorsOf } from '../parts/bound.ts';
import { Button, Check, Form, SelectField, TextField } from '../parts/controls.tsx';
import { EditHead, EditState } from '../parts/edit-state.tsx';
import { Facts } from '../parts/section.tsx';
import { DocLink, READ_ONLY, Shown } from '../parts/states.tsx';
import { useEdit } from '../state/edit.ts';
import { differing } from '../state/merge.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { visibleText } from '../state/visible-text.ts';
import { AttachField } from './attach-field.tsx';
import { useMockNames, type MockNames } from './mock-names.ts';
import { MODES, OTHERS, SETTING_WORDS, settingWords, withoutBlanks } from './settings-words.ts';

export function SettingsScreen(): JSX.Element {
  const settings = useResource(() => api().gateway.settings.get(), [], {
    whenChanged: ({ command }) => (command === 'gateway.update' ? 'reload' : undefined),
  });
  const mocks = useMockNames();
  return (
    <section class="panel measure" aria-labelledby="gateway-settings">
      <Shown of={settings} what="the settings">
        {(known) =>
          mayEdit.value ? (
            <SettingsForm settings={settings} known={known} mocks={mocks} />
          ) : (
            <SettingsList known={known} mocks={mocks} />
          )
        }
      </Shown>
    </section>
  );
}

const toEditable = ({ missingMocks: _missing, redact, ...settings }: Known): GatewaySettings => ({
  ...settings,
  redact: { headers: redact.headers ?? [], members: redact.members ?? [] },
});

interface FormProps {
  readonly settings: Resource<Known>;
  readonly known: Known;
  readonly mocks: MockNames;
}

function SettingsForm({ settings, known, mocks }: FormProps): JSX.Element {
  const edit = useEdit({
    name: 'gateway-settings',
    known,
    toEditable,
    write: (mine: GatewaySettings, before) => {
      const changed = differing(toEditable(before), mine).map((name) => [name, mine[name]]);
      return api().gateway.settings.put(Object.fromEntries(changed), { ifMatch: before });
    },
    read: () => api().gateway.settings.get(),
    onKnown: (now) => settings.replace(now),
    cleaned: withoutBlanks,
  });
  const { shown, change } = edit;
  const errorAt = errorsOf(edit.failure);
  const field = bound(shown, change, errorAt);
  const save = (): void => void edit.save();
  useShortcuts([{ keys: 'Ctrl+s', label: 'Save the settings', run: save }]);
  return (
    <Form class="stack settings-fields" onSubmit={save}>
      <EditHead edit={edit} title="Settings" id="gateway-settings" saved="Saved" />
      <AttachField
        attach={shown.attach}
        missing={known.missingMocks}
        mocks={mocks}
        errorAt={(pointer) => errorAt(`/attach${pointer}`)}
        onChange={(attach) => change({ ...shown, attach })}
      />
      <SelectField {...SETTING_WORDS.others} {...field('others')} options={OTHERS} />
      <SelectField {...SETTING_WORDS.mode} {...field('mode')} options={MODES} />
      <div>
        <Check label={SETTING_WORDS.record.label} {...field('record')} />
        <p class="hint settings-below-check">{SETTING_WORDS.record.hint}</p>
      </div>
      <Lines {...SETTING_WORDS.tunnel} {...field('tunnel')} />
      <Lines {...SETTING_WORDS.propagate} {...field('propagate')} />
      <fieldset class="choices">
        <legend>{SETTING_WORDS.redact.label}</legend>
        {(['headers', 'members'] as const).map((name) => (
          <Lines
            key={name}
            label={name === 'headers' ? 'Headers' : 'Body fields'}
            hint="One name per line."
            value={shown.redact[name]}
            error={errorAt(`/redact/${name}`)}
            onInput={(texts) => change({ ...shown, redact: { ...shown.redact, [name]: texts } })}
          />
        ))}
      </fieldset>
      <EditState
        edit={edit}
        of="these settings"
        verb="Save"
        what="Saving the settings"
        where="is not saved"
        labelOf={(name) => SETTING_WORDS[name as keyof GatewaySettings]?.label ?? name}
        wordsOf={(name, value) => settingWords(name, value, mocks.nameOf)}
      />
      <div class="row">
        <Button type="submit" kind="primary" busy={edit.isSaving} disabled={!edit.isDirty}>
          Save
        </Button>
        {edit.isDirty && <Button onClick={edit.drop}>Discard changes</Button>}
        <DocLink to="gateway#settings">About settings</DocLink>
      </div>
    </Form>
  );
}

interface LinesProps {
  readonly label: string;
  readonly hint: string;
  readonly value: readonly string[];
  readonly error: string | undefined;
  readonly onInput: (texts: readonly string[]) => void;
}

/** One text per line. */
const Lines = ({ label, hint, value, error, onInput }: LinesProps): JSX.Element => (
  <TextField
    label={label}
    hint={hint}
    error={error}
    monospace
    rows={Math.min(8, Math.max(2, value.length + 1))}
    value={value.join('\n')}
    onInput={(text) => onInput(text === '' ? [] : text.split('\n'))}
  />
);

function SettingsList({ known, mocks }: Omit<FormProps, 'settings'>): JSX.Element {
  const value = toEditable(known);
  return (
    <>
      <h2 id="gateway-settings">Settings</h2>
      <p class="muted">{READ_ONLY}</p>
      <Facts
        class="settings-list"
        rows={(Object.keys(SETTING_WORDS) as (keyof GatewaySettings)[]).map((name) => [
          SETTING_WORDS[name].label,
          visibleText(settingWords(name, value[name], mocks.nameOf)),
        ])}
      />
    </>
  );
}
