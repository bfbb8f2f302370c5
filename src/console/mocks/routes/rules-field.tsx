/** The conditions of a response. */
import type { ComponentChildren } from 'preact';
import { CONDITION_FLAGS, flagsOf, takesProperty } from '../../../model/mocks/definition/condition-kinds.ts';
import { RemoveButton, useRows } from '../../parts/arrange.tsx';
import { below, bound, type ErrorAt } from '../../parts/bound.ts';
import { Button, Check, SelectField, TextField, useReadOnly } from '../../parts/controls.tsx';
import { JsonField, type ResponseProps } from './fields.tsx';
import { NEW_GROUP, NEW_RULE } from './new-route.ts';
import {
  OPERATOR_CHOICES,
  PROPERTY_HINTS,
  PROPERTY_SUGGESTIONS,
  ruleText,
  takesValue,
  TARGET_CHOICES,
} from './route-words.ts';
import type { MatchCondition, Condition, ConditionGroup } from '../../../model/mocks/definition/condition-schema.ts';

interface RulesFieldProps extends ResponseProps {
  /** Whether the route selects by conditions. */
  readonly isUsed: boolean;
}

export function RulesField(props: RulesFieldProps): JSX.Element {
  const { response, isUsed, errorAt, onChange, onSave } = props;
  const { rules, rulesOperator } = response;
  return (
    <ConditionList
      rules={rules}
      targets={TARGET_CHOICES}
      errorAt={below(errorAt, '/rules')}
      onChange={(next) => onChange({ ...response, rules: next })}
      onSave={onSave}
      hint={
        <>
          {!isUsed && <span class="hint">Ignored: this route does not select by conditions.</span>}
          {isUsed && rules.length === 0 && (
            <span class="hint">No conditions: sent when no other response matches.</span>
          )}
        </>
      }
    >
      {rules.length > 1 && (
        <SelectField
          label="Join conditions"
          hiddenLabel
          value={rulesOperator}
          options={[
            ['AND', 'all must match'],
            ['OR', 'any may match'],
          ]}
          onChange={(operator) => onChange({ ...response, rulesOperator: operator })}
        />
      )}
    </ConditionList>
  );
}

type TargetChoices = typeof TARGET_CHOICES;

interface ConditionListProps {
  readonly rules: readonly Condition[];
  readonly targets: TargetChoices;
  /** By the index of a condition: "/0". */
  readonly errorAt: ErrorAt;
  readonly onChange: (rules: readonly Condition[]) => void;
  readonly onSave?: () => void;
  readonly hint: ComponentChildren;
  readonly title?: 'h2' | 'h3';
  readonly children?: ComponentChildren;
}

/** Conditions and groups of conditions: add, edit and remove. */
export function ConditionList(props: ConditionListProps): JSX.Element {
  const { rules, targets, errorAt, onChange, onSave = () => undefined, hint, title: Title = 'h3', children } = props;
  const isReadOnly = useReadOnly();
  const { root, add, set, remove } = useRows<Condition>(rules, onChange, onSave);
  return (
    <section class="stack" aria-label="Conditions" ref={root}>
      <div class="row">
        <Title>Conditions</Title>
        {children}
        {!isReadOnly && (
          <span class="add-row">
            <Button kind="quiet" label="Add a condition" onClick={() => add(NEW_RULE)}>
              Add
            </Button>
            <Button kind="quiet" label="Add group of conditions" onClick={() => add(NEW_GROUP)}>
              Add group{' '}
            </Button>
          </span>
        )}
        {hint}
      </div>
      {rules.map((rule, index) => {
        const row = {
          key: index,
          number: index + 1,
          error: errorAt(`/${index}`),
          onChange: (next: Condition) => set(index, next),
          onRemove: () => remove(index),
        };
        return isSingle(rule) ? <RuleRow {...row} targets={targets} rule={rule} /> : <GroupRow {...row} rule={rule} />;
      })}
    </section>
  );
}

interface RuleRowProps<Shown extends Condition> {
  readonly rule: Shown;
  readonly number: number;
  readonly error: string | undefined;
  readonly onChange: (rule: Condition) => void;
  readonly onRemove: () => void;
}

/** A group is edited as JSON, and summarised in words. */
function GroupRow({ rule, number, error, onChange, onRemove }: RuleRowProps<ConditionGroup>): JSX.Element {
  return (
    <fieldset class="rule-row rule-group" data-unit>
      <legend class="visually-hidden">Group {number}</legend>
      <JsonField
        label={`Group ${number}: ${isGroup(rule) ? ruleText(rule) : ''}`}
        hint="all, any, not or anyPart, with conditions inside:"
        example='{"any": [{"target": "query", "property": "a", "operator": "exists"}, {"not": {"target": "method", "operator": "equals", "value": "GET"}}]}'
        value={rule}
        error={error}
        onChange={(value) => onChange(value as Condition)}
      />
      <RemoveButton what={`group ${number}`} onClick={onRemove} />
    </fieldset>
  );
}

/** While edited, a group may be any text. */
const isSingle = (rule: unknown): rule is MatchCondition =>
  typeof rule === 'object' && rule !== null && Object.hasOwn(rule, 'target');

/** Whether the typed value can be put into words. */
export const isCondition = (rule: unknown): rule is Condition => isSingle(rule) || isGroup(rule);

const isGroup = (rule: unknown): rule is ConditionGroup => {
  const { all, any, not, anyPart } = (rule ?? {}) as Record<string, unknown>;
  if (not !== undefined) return isCondition(not);
  const members = all ?? any ?? anyPart;
  return Array.isArray(members) && members.every(isCondition);
};

interface ConditionRowProps extends RuleRowProps<MatchCondition> {
  readonly targets: TargetChoices;
}

function RuleRow(props: ConditionRowProps): JSX.Element {
  const { rule, number, targets, error, onChange, onRemove } = props;
  const [label, placeholder] = PROPERTY_HINTS[rule.target] ?? ['Name', 'name'];
  const field = bound<MatchCondition>(
    rule,
    (next) => onChange(fitting(next)),
    () => undefined,
  );
  return (
    <fieldset class="rule-row" data-unit>
      <legend class="visually-hidden">Condition {number}</legend>
      <SelectField label="Part of the request" hiddenLabel {...field('target')} options={targets} />
      {takesProperty(rule.target) ? (
        <TextField
          label={label}
          hiddenLabel
          placeholder={placeholder}
          suggestions={PROPERTY_SUGGESTIONS[rule.target]}
          {...field('property')}
          monospace
          error={error}
        />
      ) : (
        <span class="rule-no-value">{error !== undefined && <span class="error">{error}</span>}</span>
      )}
      <SelectField label="Operator" hiddenLabel {...field('operator')} options={OPERATOR_CHOICES} />
      {takesValue(rule.operator) ? (
        <TextField
          label="Value"
          hiddenLabel
          placeholder="value"
          {...field('value')}
          rows={isLong(rule) ? 4 : undefined}
          monospace
        />
      ) : (
        <span class="rule-no-value" />
      )}
      <Check label="not" {...field('invert')} />
      {CONDITION_FLAGS.filter(({ fits }) => fits(rule.operator)).map(({ name, label: flag }) => (
        <Check key={name} label={flag} {...field(name)} checked={rule[name] === true} />
      ))}
      <RemoveButton what={`condition ${number}`} onClick={onRemove} />
    </fieldset>
  );
}

/** Whether the value is JSON, or a GraphQL document. */
const isLong = ({ target, property, operator }: MatchCondition): boolean =>
  operator.startsWith('json') || (target === 'graphql' && property === 'query');

/** Removes members that the target or operator does not take. */
function fitting(rule: MatchCondition): MatchCondition {
  const { target, property, operator, value, invert } = rule;
  const own = takesProperty(target) ? property : '';
  return { target, property: own, operator, value, invert, ...flagsOf(rule, operator) };
}
