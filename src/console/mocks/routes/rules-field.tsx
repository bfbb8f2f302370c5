/** The rules of a response: what a request must be for it to be sent. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { MatchRule, MockResponse, Rule } from '../../../model/mocks/definition.ts';
import { Button, Check, SelectField, TextField } from '../../parts/controls.tsx';
import type { ErrorAt } from './field-errors.ts';
import { focusSoon } from './focus-soon.ts';
import { NEW_RULE, removed, replaced } from './route-edits.ts';
import { OPERATOR_CHOICES, takesValue, TARGET_CHOICES } from './route-words.ts';

interface RulesFieldProps {
  readonly response: MockResponse;
  /** Whether the route's way of choosing looks at rules. */
  readonly isUsed: boolean;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
  readonly onSave: () => void;
}

export function RulesField(props: RulesFieldProps): JSX.Element {
  const { response, isUsed, canEdit, errorAt, onChange, onSave } = props;
  const { rules, rulesOperator } = response;
  const root = useRef<HTMLElement>(null);
  const change = (next: readonly Rule[]): void => onChange({ ...response, rules: next });
  const add = (): void => {
    change([...rules, NEW_RULE]);
    focusSoon(() => root.current?.querySelector('.rule-row:last-of-type'));
  };
  const remove = (index: number): void => {
    change(removed(rules, index));
    onSave();
    focusSoon(() => root.current?.querySelector('.add-row'));
  };
  return (
    <section class="stack" aria-label="Rules" ref={root}>
      <div class="row">
        <h3>Rules</h3>
        {rules.length > 1 && (
          <SelectField
            label="How rules are joined"
            hiddenLabel
            value={rulesOperator}
            options={[
              ['AND', 'all must hold'],
              ['OR', 'one must hold'],
            ]}
            onChange={(operator) => onChange({ ...response, rulesOperator: operator })}
            disabled={!canEdit}
          />
        )}
        {canEdit && (
          <span class="add-row">
            <Button kind="quiet" label="Add a rule" onClick={add}>
              Add
            </Button>
          </span>
        )}
        {!isUsed && <span class="hint">This route does not choose by rules: they are not looked at.</span>}
        {isUsed && rules.length === 0 && (
          <span class="hint">No rules: it is sent when the rules of no other response hold.</span>
        )}
      </div>
      {rules.map((rule, index) => (
        <RuleRow
          key={index}
          rule={rule as MatchRule}
          number={index + 1}
          canEdit={canEdit}
          error={errorAt(`/${index}`)}
          onChange={(next) => change(replaced(rules, index, next))}
          onRemove={() => remove(index)}
        />
      ))}
    </section>
  );
}

interface RuleRowProps {
  readonly rule: MatchRule;
  readonly number: number;
  readonly canEdit: boolean;
  readonly error: string | undefined;
  readonly onChange: (rule: MatchRule) => void;
  readonly onRemove: () => void;
}

function RuleRow({ rule, number, canEdit, error, onChange, onRemove }: RuleRowProps): JSX.Element {
  return (
    <fieldset class="rule-row" data-unit>
      <legend class="visually-hidden">Rule {number}</legend>
      <SelectField
        label="Part of the request"
        hiddenLabel
        value={rule.target}
        options={TARGET_CHOICES}
        onChange={(target) => onChange({ ...rule, target })}
        disabled={!canEdit}
      />
      <TextField
        label={rule.target === 'body' ? 'Path in the body' : 'Name'}
        hiddenLabel
        placeholder={rule.target === 'body' ? 'whole body' : 'name'}
        value={rule.property}
        onInput={(property) => onChange({ ...rule, property })}
        monospace
        readOnly={!canEdit}
        error={error}
      />
      <SelectField
        label="Operator"
        hiddenLabel
        value={rule.operator}
        options={OPERATOR_CHOICES}
        onChange={(operator) => onChange({ ...rule, operator })}
        disabled={!canEdit}
      />
      {takesValue(rule.operator) ? (
        <TextField
          label="Value"
          hiddenLabel
          placeholder="value"
          value={rule.value}
          onInput={(value) => onChange({ ...rule, value })}
          {...(rule.operator === 'jsonSchema' ? { rows: 4 } : {})}
          monospace
          readOnly={!canEdit}
        />
      ) : (
        <span class="rule-no-value" />
      )}
      <Check
        label="not"
        checked={rule.invert}
        disabled={!canEdit}
        onChange={(invert) => onChange({ ...rule, invert })}
      />
      {canEdit && (
        <Button kind="quiet" label={`Remove rule ${number}`} onClick={onRemove}>
          ✕
        </Button>
      )}
    </fieldset>
  );
}
