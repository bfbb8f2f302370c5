/** Whether a rule acts: on, off, or on in a group that is off. By word and shape. */
import type { RuleRecord } from '../../../client/shapes.ts';

export function RuleState({ status, effectiveStatus }: Pick<RuleRecord, 'status' | 'effectiveStatus'>): JSX.Element {
  if (status === 'Inactive') return <span class="badge">○ off</span>;
  if (effectiveStatus === 'Active') return <span class="badge good">● on</span>;
  return (
    <span class="badge warn" title="The rule is on, but its group is off.">
      ◐ group off
    </span>
  );
}
