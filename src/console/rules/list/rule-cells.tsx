/** A row of the list of rules: state, type, name, source and effect. */
import type { RuleRecord } from '../../../client/shapes.ts';
import { Cell } from '../../parts/virtual-list.tsx';
import { countText } from '../../parts/words.ts';
import { hasDraft } from '../../state/draft.ts';
import { hrefOf } from '../../state/place.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { RuleState, ruleText } from '../common/rule-state.tsx';
import { FORMS } from '../forms/forms.ts';
import { TurnSwitch } from './turn-switch.tsx';

interface RuleCellsProps {
  /** undefined while loading. */
  readonly rule: RuleRecord | undefined;
  /** Hits on live traffic; undefined while the gateway is stopped. */
  readonly hits: number | undefined;
  /** Set where rules of several groups are mixed. */
  readonly groupName: string | undefined;
  readonly isSelected: boolean;
  /** @param isRange Selects from the last one to this. */
  readonly onPick: (isRange: boolean) => void;
  readonly onChange: (rule: RuleRecord) => void;
}

export function RuleCells({ rule, hits, groupName, isSelected, onPick, onChange }: RuleCellsProps): JSX.Element {
  if (rule === undefined) return <Cell class="muted">…</Cell>;
  const { id, name, ruleType } = rule;
  const { source, effect, more } = ruleText(rule);
  return (
    <>
      {mayEdit.value && (
        <Cell class="check">
          <input
            type="checkbox"
            aria-label={`Select ${visibleLine(name, 60)}`}
            checked={isSelected}
            onClick={(event) => onPick(event.shiftKey)}
          />
        </Cell>
      )}
      <Cell class="rules-state w-6">
        <RuleState {...rule} />
      </Cell>
      <Cell class="w-10 muted from-701">{FORMS[ruleType].title}</Cell>
      <Cell class="wide rules-what">
        <a class="rules-name cut" href={hrefOf(['rules', id])} tabIndex={-1}>
          {visibleLine(name)}
        </a>
        <span class="rules-effect cut">
          {hasDraft(`rule.${id}`) && <span class="badge warn">unsaved</span>}{' '}
          <span class="muted">{visibleLine(source)} →</span> {visibleLine(effect)}
          {more > 0 && <span class="muted"> and {more} more</span>}
        </span>
      </Cell>
      {hits !== undefined && <Cell class="w-6 right muted from-701">{countText(hits, 'hit')}</Cell>}
      {groupName !== undefined && <Cell class="w-10 muted from-1024">{visibleLine(groupName, 60)}</Cell>}
      {mayEdit.value && (
        <Cell class="rules-turn">
          <TurnSwitch
            what={`“${visibleLine(name, 60)}”`}
            label={`${visibleLine(name, 60)} is on`}
            status={rule.status}
            send={(status) => api().rules.patch(id, { status })}
            onChange={onChange}
          />
        </Cell>
      )}
    </>
  );
}
