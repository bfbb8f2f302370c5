/** The filters of a source. */
import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';
import { isObject, otherMembers, textOf, withMember } from '../forms/pair-members.ts';
import type { FieldsProps, Pair } from '../forms/rule-form.ts';
import { FILTERS, filterOf, filterPath, OPERATORS, textsOf, withFilter, withTexts } from '../forms/source.ts';

const LISTS = [
  ['requestMethod', 'Methods', 'GET, POST'],
  ['resourceType', 'Resource types', 'xmlhttprequest, script'],
  ['pageDomains', 'Page domains', 'example.com'],
] as const;

export function FilterFields({ pair: source, onChange, errorOf }: FieldsProps): JSX.Element {
  const filter = filterOf(source);
  const count = filter === undefined ? 2 : FILTERS.filter((name) => filter[name] !== undefined).length;
  const [isOpen, setOpen] = useState(count > 0);
  const set = (changed: Pair): void => onChange(withFilter(source, changed));
  const path = filterPath(source);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Only for some requests{count > 0 ? ` (${count})` : ''}</summary>
      {filter === undefined ? (
        <>
          <p class="muted">All of these filters must match. They are read-only.</p>
          <SafeBlock text={JSON.stringify(source['filters'], null, 2)} />
        </>
      ) : (
        <div class="rules-fields">
          {LISTS.map(([name, label, example]) => (
            <ListField
              key={name}
              label={label}
              example={example}
              value={filter[name]}
              onChange={(text) => set(withTexts(filter, name, text))}
              error={errorOf(`${path}/${name}`)}
            />
          ))}
          <TextField
            label="Page URL contains"
            value={pageUrlOf(filter['pageUrl'])}
            onInput={(text) => set(withMember(filter, 'pageUrl', pageUrl(text, filter['pageUrl'])))}
            monospace
            error={errorOf(`${path}/pageUrl`)}
          />
          <PayloadFields filter={filter} onChange={set} />
        </div>
      )}
      {filter !== undefined && otherMembers(filter, FILTERS) !== undefined && (
        <SafeBlock text={JSON.stringify(otherMembers(filter, FILTERS), null, 2)} />
      )}
    </details>
  );
}

interface ListFieldProps {
  readonly label: string;
  readonly example: string;
  readonly value: unknown;
  readonly onChange: (text: string) => void;
  readonly error: string | undefined;
}

/** Comma-separated texts, kept as typed until blur. */
function ListField({ label, example, value, onChange, error }: ListFieldProps): JSX.Element {
  const [typed, setTyped] = useState<string>();
  return (
    <TextField
      label={label}
      placeholder={example}
      value={typed ?? textsOf(value)}
      onInput={(text) => {
        setTyped(text);
        onChange(text);
      }}
      onCommit={() => setTyped(undefined)}
      error={error}
    />
  );
}

/** A text means "contains"; an object keeps its own operator. */
const pageUrlOf = (value: unknown): string => textOf(isObject(value) ? value['value'] : value);

function pageUrl(text: string, before: unknown): unknown {
  if (text === '') return undefined;
  return isObject(before) ? { ...before, value: text } : text;
}

interface PayloadFieldsProps {
  readonly filter: Pair;
  readonly onChange: (filter: Pair) => void;
}

function PayloadFields({ filter, onChange }: PayloadFieldsProps): JSX.Element {
  const given = filter['requestPayload'];
  const payload = isObject(given) ? given : {};
  const set = (name: string, text: string): void => {
    const changed = withMember(payload, name, text === '' ? undefined : text);
    const isEmpty = changed['key'] === undefined && changed['value'] === undefined;
    onChange(withMember(filter, 'requestPayload', isEmpty ? undefined : changed));
  };
  return (
    <>
      <TextField
        label="Request body field"
        placeholder="user.id"
        value={textOf(payload['key'])}
        onInput={(text) => set('key', text)}
        monospace
      />
      <SelectField
        label="Operator"
        value={textOf(payload['operator'] ?? 'Equals')}
        options={OPERATORS}
        onChange={(operator) => set('operator', operator)}
      />
      <TextField
        label="Compared with"
        value={textOf(payload['value'])}
        onInput={(text) => set('value', text)}
        monospace
      />
    </>
  );
}
