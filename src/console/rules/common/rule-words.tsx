/** What a rule does, in one line, and whether it acts. */
import type { JSX } from 'preact';
import type { RuleRecord } from '../../../client/shapes.ts';
import { FORMS } from '../forms/forms.ts';
import { sourceText } from '../forms/source.ts';

interface RuleText {
  /** Which requests its first pair is for. */
  readonly source: string;
  readonly effect: string;
  /** Pairs beyond the first. */
  readonly more: number;
}

export function ruleText({ ruleType, pairs }: Pick<RuleRecord, 'ruleType' | 'pairs'>): RuleText {
  const [first = {}] = pairs;
  return { source: sourceText(first['source']), effect: FORMS[ruleType].effectOf(first), more: pairs.length - 1 };
}

export function RuleState({ status, effectiveStatus }: Pick<RuleRecord, 'status' | 'effectiveStatus'>): JSX.Element {
  if (status === 'Inactive') return <span class="badge">○ off</span>;
  if (effectiveStatus === 'Active') return <span class="badge good">● on</span>;
  return (
    <span class="badge warn" title="The rule is on, but its group is off.">
      ◐ group off
    </span>
  );
}
