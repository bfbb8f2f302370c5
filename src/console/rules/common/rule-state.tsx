/** Whether a rule acts: on, off, or on and kept off by its group or its pattern. By word and shape. */
import type { RuleRecord } from '../../../client/shapes.ts';
import { Tabs } from '../../parts/page.tsx';
import { hrefOf } from '../../state/place.ts';
import { FORMS, RULE_TYPES } from '../forms/forms.ts';
import { sourceText } from '../forms/source.ts';

export function RuleState({ status, effectiveStatus }: Pick<RuleRecord, 'status' | 'effectiveStatus'>): JSX.Element {
  if (status === 'Inactive') return <span class="badge">○ off</span>;
  if (effectiveStatus === 'Active') return <span class="badge good">● on</span>;
  if (effectiveStatus === 'Unsupported') {
    return (
      <span class="badge warn" title="The rule is on, but its pattern is not supported: it does nothing.">
        ◐ pattern off
      </span>
    );
  }
  return (
    <span class="badge warn" title="The rule is on, but its group is off.">
      ◐ group off
    </span>
  );
}

interface RuleText {
  /** Which requests its first pair is for. */
  readonly source: string;
  readonly effect: string;
  /** Pairs beyond the first. */
  readonly more: number;
}

/** What a rule does, in one line. */
export function ruleText({ ruleType, pairs }: Pick<RuleRecord, 'ruleType' | 'pairs'>): RuleText {
  const [first = {}] = pairs;
  return { source: sourceText(first['source']), effect: FORMS[ruleType].effectOf(first), more: pairs.length - 1 };
}

interface RuleTypesProps {
  /** What the new rule begins with. */
  readonly group?: string | undefined;
  readonly source?: string | undefined;
}

/** The nine types of rules, each with a line on what it does, as ways to a new one. */
export const RuleTypes = ({ group, source }: RuleTypesProps): JSX.Element => (
  <ul class="stack rules-types">
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
