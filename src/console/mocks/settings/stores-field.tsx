/** The stores of a mock: name, initial value, and id member. docs/mocks-stores.md, "Stores". */
import { useRef } from 'preact/hooks';
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';
import { focusSoon, RemoveButton } from '../../parts/arrange.tsx';
import { boundOptional, withMember, below, type ErrorAt } from '../../parts/bound.ts';
import { Button, SelectField, TextField } from '../../parts/controls.tsx';
import { visibleLine } from '../../state/visible-text.ts';
import { JsonField, rowsFor } from '../routes/fields.tsx';
import { SETTING_WORDS } from './settings-words.ts';
import { choices } from '../../parts/words.ts';

interface StoresFieldProps {
  readonly stores: readonly StoreDefinition[];
  readonly errorAt: ErrorAt;
  readonly onChange: (stores: readonly StoreDefinition[]) => void;
  readonly onCommit: () => void;
}

const NEW_STORE: StoreDefinition = { name: '', value: [] };

export function StoresField({ stores, errorAt, onChange, onCommit }: StoresFieldProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  return (
    <div class="stack tight" role="group" aria-labelledby="settings-stores" ref={list}>
      <p id="settings-stores">{SETTING_WORDS.stores.label}</p>
      <p class="hint">{SETTING_WORDS.stores.hint}</p>
      {stores.map((store, index) => (
        <StoreFields
          key={index}
          store={store}
          number={index + 1}
          errorAt={below(errorAt, `/${index}`)}
          onChange={(next) => onChange(stores.with(index, next))}
          onCommit={onCommit}
          onRemove={() => {
            onChange(stores.toSpliced(index, 1));
            onCommit();
            focusSoon(() => list.current);
          }}
        />
      ))}
      <p>
        <Button
          kind="quiet"
          onClick={() => {
            onChange([...stores, NEW_STORE]);
            focusSoon(() => list.current?.querySelector('fieldset:last-of-type'));
          }}
        >
          Add a store
        </Button>
      </p>
    </div>
  );
}

interface StoreFieldsProps {
  readonly store: StoreDefinition;
  readonly number: number;
  readonly errorAt: ErrorAt;
  readonly onChange: (store: StoreDefinition) => void;
  readonly onCommit: () => void;
  readonly onRemove: () => void;
}

function StoreFields({ store, number, errorAt, onChange, onCommit, onRemove }: StoreFieldsProps): JSX.Element {
  const { name, value, templated, relations } = store;
  const field = boundOptional(store, onChange, errorAt);
  const isTemplate = templated !== undefined;
  return (
    <fieldset class="stack tight">
      <legend class="row">
        Store {name === '' ? number : visibleLine(name, 40)}{' '}
        <RemoveButton what={`store ${number}`} onClick={onRemove} />
      </legend>
      <div class="route-line">
        <TextField
          label="Name"
          value={name}
          error={errorAt('/name')}
          onInput={(text) => onChange({ ...store, name: text })}
          onCommit={onCommit}
          monospace
        />
        <TextField label="Id field" placeholder="id" {...field('idMember')} onCommit={onCommit} monospace />
        <SelectField
          label="Start with"
          value={isTemplate ? 'template' : 'value'}
          error={errorAt('/templated')}
          options={VALUE_CHOICES}
          onChange={(choice) =>
            onChange(
              choice === 'template'
                ? { ...store, templated: 'json', value: typeof value === 'string' ? value : JSON.stringify(value) }
                : withMember({ ...store, value: parsed(value) }, 'templated', undefined),
            )
          }
        />
      </div>
      {isTemplate ? (
        <TextField
          label="Value template"
          hint="Rendered once, from the seed."
          value={String(value)}
          rows={rowsFor(String(value))}
          error={errorAt('/value')}
          onInput={(text) => onChange({ ...store, value: text })}
          onCommit={onCommit}
          monospace
        />
      ) : (
        <JsonField
          label="Value"
          hint="A list of objects is a collection of up to 10,000 items and 1 MB:"
          example={'[{"id": 1, "name": "Ann"}]'}
          value={value}
          error={errorAt('/value')}
          onChange={(next) => onChange({ ...store, value: next ?? null })}
          onCommit={onCommit}
        />
      )}
      <JsonField
        label="Child stores"
        hint="Each with the field that refers to the id:"
        example={'{"comments": "postId"}'}
        value={relations}
        error={errorAt('/relations')}
        onChange={(next) => onChange(withMember(store, 'relations', next))}
        onCommit={onCommit}
      />
    </fieldset>
  );
}

const VALUE_CHOICES = choices({ value: 'a value', template: 'a JSON template' });

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
