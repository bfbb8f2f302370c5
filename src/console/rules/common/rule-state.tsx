/** Whether a rule is active: on, off, or on but disabled by its group, or by what the server cannot do. By word and shape. */
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
      <span class="badge warn" title="Active, but it cannot act here: the rule says why.">
        ◐ cannot act
      </span>
    );
  }
  return (
    <span class="badge warn" title="Inactive: its group is off.">
      ◐ group off
    </span>
  );
}

interface RuleText {
  /** The source of its first pair. */
  readonly source: string;
  readonly effect: string;
  /** The number of further pairs. */
  readonly more: number;
}

/** A rule in one line. */
export function ruleText({ ruleType, pairs }: Pick<RuleRecord, 'ruleType' | 'pairs'>): RuleText {
  const [first = {}] = pairs;
  return { source: sourceText(first['source']), effect: FORMS[ruleType].effectOf(first), more: pairs.length - 1 };
}

interface RuleTypesProps {
  /** The group of the new rule. */
  readonly group?: string | undefined;
  readonly source?: string | undefined;
}

/** The nine rule types as links to a new rule. */
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

export const RulesTabs = ({ current }: { readonly current: 'list' | 'bench' }): JSX.Element => (
  <Tabs
    label="Rules"
    tabs={[
      { label: 'All rules', href: hrefOf(['rules']), isCurrent: current === 'list' },
      { label: 'Rule tester', href: hrefOf(['rules', 'bench']), isCurrent: current === 'bench' },
    ]}
  />
);
