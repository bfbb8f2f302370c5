/** The form of a rule: what all have, and its pairs. */
import type { JSX } from 'preact';
import type { RuleRecord } from '../../../client/shapes.ts';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import type { Failure } from '../../state/failure.ts';
import { visibleText } from '../../state/visible-text.ts';
import type { RuleType } from '../forms/rule-form.ts';
import { groupOptions, type Groups } from '../common/groups.ts';
import type { EditedRule } from './edited-rule.ts';
import { errorsIn, errorsOf } from '../common/form-errors.ts';
import { PairList } from './pair-list.tsx';

interface RuleFieldsProps {
  readonly ruleType: RuleType;
  readonly value: EditedRule;
  readonly onChange: (value: EditedRule) => void;
  readonly groups: Groups;
  /** Of the last request to store it. */
  readonly failure: Failure | undefined;
  readonly warnings: RuleRecord['warnings'];
  readonly isReadOnly: boolean;
}

export function RuleFields(props: RuleFieldsProps): JSX.Element {
  const { ruleType, value, onChange, groups, failure, warnings = [], isReadOnly } = props;
  const errorOf = errorsOf(failure);
  const group = groups.find(({ id }) => id === value.groupId);
  return (
    <>
      <div class="panel">
        <div class="rules-fields">
          <TextField
            label="Name"
            value={value.name}
            onInput={(name) => onChange({ ...value, name })}
            error={errorOf('/name')}
            readOnly={isReadOnly}
          />
          <SelectField
            label="Group"
            value={value.groupId}
            options={groupOptions(groups, value.groupId, 'No group')}
            onChange={(groupId) => onChange({ ...value, groupId })}
            error={errorOf('/groupId')}
            disabled={isReadOnly}
          />
        </div>
        <TextField
          label="Description"
          value={value.description}
          onInput={(description) => onChange({ ...value, description })}
          error={errorOf('/description')}
          readOnly={isReadOnly}
        />
        <div class="row">
          <Check
            label={value.status === 'Active' ? 'On' : 'Off'}
            asSwitch
            checked={value.status === 'Active'}
            onChange={(on) => onChange({ ...value, status: on ? 'Active' : 'Inactive' })}
            disabled={isReadOnly}
          />
          {value.status === 'Active' && group?.status === 'Inactive' && (
            <span class="badge warn">◐ does nothing while its group is off</span>
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
        isReadOnly={isReadOnly}
      />
    </>
  );
}

function warningIn(warnings: NonNullable<RuleRecord['warnings']>, path: string): string | undefined {
  const found = warnings.find((each) => each.path.startsWith(`${path}/`));
  return found === undefined ? undefined : visibleText(found.warning);
}
