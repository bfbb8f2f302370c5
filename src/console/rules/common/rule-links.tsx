/** Ways within the screens of rules. */
import { Tabs } from '../../parts/page.tsx';
import { hrefOf } from '../../state/place.ts';
import { FORMS, RULE_TYPES } from '../forms/forms.ts';

interface RuleTypesProps {
  /** Of the new rule. */
  readonly group?: string | undefined;
  readonly source?: string | undefined;
}

/** The nine types of rules, each with a line on what it does, as ways to a new one. */
export const RuleTypes = ({ group, source }: RuleTypesProps): JSX.Element => (
  <ul class="rules-types">
    {RULE_TYPES.map((type) => (
      <li key={type}>
        <a href={hrefOf(['rules', 'new'], { type, group, source })}>{FORMS[type].title}</a>
        <span class="muted">{FORMS[type].explanation}</span>
      </li>
    ))}
  </ul>
);

/** The screens of rules beside one another. */
export const RulesTabs = ({ current }: { readonly current: 'list' | 'bench' }): JSX.Element => (
  <Tabs
    label="Rules"
    tabs={[
      { label: 'All rules', href: hrefOf(['rules']), isCurrent: current === 'list' },
      { label: 'Rule tester', href: hrefOf(['rules', 'bench']), isCurrent: current === 'bench' },
    ]}
  />
);
