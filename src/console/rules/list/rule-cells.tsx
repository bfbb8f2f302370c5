/** A row of the list of rules: its state, type, name, and what it does to which requests. */
import type { JSX } from 'preact';
import type { RuleRecord } from '../../../client/shapes.ts';
import { Check } from '../../parts/controls.tsx';
import { Cell } from '../../parts/virtual-list.tsx';
import { hasDraft } from '../../state/draft.ts';
import { hrefOf } from '../../state/place.ts';
import { api, mayEdit } from '../../state/session.ts';
import { tell } from '../../state/toasts.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { RuleState, ruleText } from '../common/rule-words.tsx';
import { FORMS } from '../forms/forms.ts';

interface RuleCellsProps {
  /** undefined while it is loaded. */
  readonly rule: RuleRecord | undefined;
  /** Where rules of several groups stand together. */
  readonly groupName: string | undefined;
  readonly isSelected: boolean;
  /** @param isRange All from the last one to it. */
  readonly onPick: (isRange: boolean) => void;
  readonly onChange: (rule: RuleRecord) => void;
}

export function RuleCells({ rule, groupName, isSelected, onPick, onChange }: RuleCellsProps): JSX.Element {
  if (rule === undefined) return <Cell class="muted">…</Cell>;
  const { id, name, ruleType } = rule;
  const { source, effect, more } = ruleText(rule);
  return (
    <>
      {mayEdit.value && (
        <Cell class="rules-pick">
          <input
            type="checkbox"
            aria-label={`Select ${visibleLine(name, 60)}`}
            checked={isSelected}
            onClick={(event) => onPick(event.shiftKey)}
          />
        </Cell>
      )}
      <Cell class="rules-state">
        <RuleState {...rule} />
      </Cell>
      <Cell class="rules-type muted">{FORMS[ruleType].title}</Cell>
      <Cell class="wide rules-what">
        <a class="rules-name" href={hrefOf(['rules', id])} tabIndex={-1}>
          {visibleLine(name)}
        </a>
        <span class="rules-effect">
          {hasDraft(`rule.${id}`) && <span class="badge warn">edited, not saved</span>}{' '}
          <span class="muted">{visibleLine(source)} →</span> {visibleLine(effect)}
          {more > 0 && <span class="muted"> and {more} more</span>}
        </span>
      </Cell>
      {groupName !== undefined && <Cell class="rules-group muted">{visibleLine(groupName, 60)}</Cell>}
      {mayEdit.value && (
        <Cell class="rules-turn">
          <Turn rule={rule} onChange={onChange} />
        </Cell>
      )}
    </>
  );
}

interface TurnProps {
  readonly rule: RuleRecord;
  readonly onChange: (rule: RuleRecord) => void;
}

/** Its state is that of the server: it moves with the answer. */
function Turn({ rule, onChange }: TurnProps): JSX.Element {
  const write = useWrite();
  const { id, name, status } = rule;
  const turn = async (): Promise<void> => {
    const changed = await write.run(() =>
      api().rules.patch(id, { status: status === 'Active' ? 'Inactive' : 'Active' }),
    );
    if (changed !== undefined) return onChange(changed);
    const failure = write.failure.value;
    if (failure !== undefined) tell(`“${visibleLine(name, 60)}” was not changed: ${failure.message}`);
  };
  return (
    <Check
      label={`${visibleLine(name, 60)} is on`}
      hiddenLabel
      asSwitch
      checked={status === 'Active'}
      onChange={() => void turn()}
    />
  );
}
