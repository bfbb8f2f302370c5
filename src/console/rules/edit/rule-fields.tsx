/** The form of a rule: common fields, pairs, and a test beside it. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { RuleRecord } from '../../../client/shapes.ts';
import { Check, Form, ReadOnly, SelectField, TextField } from '../../parts/controls.tsx';
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';
import { errorsIn, errorsOf, focusError, FormFailure } from '../common/form-errors.tsx';
import { TestPanel, type TestRequest } from '../tester/test-panel.tsx';
import { bound } from '../../parts/bound.ts';
import type { Draft } from '../../state/draft.ts';
import { useShortcuts } from '../../state/shortcuts.ts';
import { groupOptions, type Groups } from '../common/groups.ts';
import type { RuleType, EditedRule } from '../forms/rule-form.ts';
import { PairList } from './pair-list.tsx';

interface RuleFieldsProps {
  readonly ruleType: RuleType;
  readonly value: EditedRule;
  readonly onChange: (value: EditedRule) => void;
  readonly groups: Groups;
  /** The failure of the last save. */
  readonly failure: Failure | undefined;
  readonly warnings: RuleRecord['warnings'];
  readonly isReadOnly: boolean;
}

function RuleFields(props: RuleFieldsProps): JSX.Element {
  const { ruleType, value, onChange, groups, failure, warnings = [] } = props;
  const errorOf = errorsOf(failure);
  const field = bound(value, onChange, errorOf);
  const isOn = value.status === 'Active';
  return (
    <>
      <div class="panel">
        <div class="rules-fields">
          <TextField label="Name" {...field('name')} />
          <SelectField label="Group" {...field('groupId')} options={groupOptions(groups, value.groupId, 'No group')} />
        </div>
        <TextField label="Description" {...field('description')} />
        <div class="row">
          <Check
            label={isOn ? 'On' : 'Off'}
            asSwitch
            checked={isOn}
            onChange={(on) => onChange({ ...value, status: on ? 'Active' : 'Inactive' })}
          />
          {isOn && groups.find(({ id }) => id === value.groupId)?.status === 'Inactive' && (
            <span class="badge warn">◐ inactive while its group is off</span>
          )}
        </div>
      </div>
      <PairList
        ruleType={ruleType}
        pairs={value.pairs}
        onChange={(pairs) => onChange({ ...value, pairs })}
        errorOf={errorOf}
        hasErrorIn={errorsIn(failure)}
        warningOf={(path) => warningIn(warnings, path)}
      />
    </>
  );
}

interface RuleFormProps extends RuleFieldsProps {
  /** A description of its type. */
  readonly intro: ComponentChildren;
  /** Restored after a reload. */
  readonly isFound: boolean;
  /** The action: "Saving the rule". */
  readonly what: string;
  readonly onSave: () => void;
  /** The request of the test panel. */
  readonly tested: Draft<TestRequest>;
  /** The buttons. */
  readonly children: ComponentChildren;
}

/** The form with its buttons, and the test panel. Ctrl+S also saves. */
export function RuleForm({ intro, isFound, what, onSave, tested, children, ...fields }: RuleFormProps): JSX.Element {
  const { ruleType, value, failure, isReadOnly } = fields;
  useShortcuts([{ keys: 'Ctrl+s', label: 'Save the rule', run: onSave }]);
  useEffect(() => {
    if (failure !== undefined) focusError();
  }, [failure]);
  return (
    <div class="stack rules-editor">
      <Form onSubmit={onSave}>
        {intro}
        {isFound && (
          <p class="bar" role="status">
            Unsaved changes were restored.
          </p>
        )}
        <ReadOnly.Provider value={isReadOnly}>
          <RuleFields {...fields} />
        </ReadOnly.Provider>
        {!isReadOnly && (
          <div class="row rules-save">
            {failure !== undefined && <FormFailure failure={failure} what={what} onRetry={onSave} />}
            {children}
          </div>
        )}
      </Form>
      <TestPanel ruleType={ruleType} rule={value} draft={tested} />
    </div>
  );
}

function warningIn(warnings: NonNullable<RuleRecord['warnings']>, path: string): string | undefined {
  const found = warnings.find((each) => each.path.startsWith(`${path}/`));
  return found === undefined ? undefined : visibleText(found.warning);
}
