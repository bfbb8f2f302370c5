/** A rule that does not act, and what keeps it from that. */
import type { JSX } from 'preact';
import type { RuleRecord } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { reasonText, type Skipped } from '../common/skip-reasons.ts';
import { pairOf } from './rules-named.ts';

interface SkippedRuleProps {
  readonly skipped: Skipped;
  /** undefined until it is read, and for one that is deleted meanwhile. */
  readonly rule: RuleRecord | undefined;
}

const CHARS_MAX = 500;

/** What was expected goes without saying. */
const ACTUAL_ALONE: ReadonlySet<string> = new Set(['pattern', 'endedBefore']);

export function SkippedRule({ skipped, rule }: SkippedRuleProps): JSX.Element {
  const { ruleId, pairId, reason, expected, actual } = skipped;
  const found = pairOf(rule, pairId);
  return (
    <li>
      <p class="bench-rule">
        <span class="badge">✕ does not act</span>
        <a href={hrefOf(['rules', ruleId])}>{visibleLine(rule?.name ?? ruleId)}</a>
        <span class="muted">
          {found !== undefined && rule !== undefined && rule.pairs.length > 1 && `pair ${found.number} `}
          {reasonText(skipped)}
        </span>
      </p>
      {!reason.endsWith('Inactive') && (expected !== undefined || actual !== undefined) && (
        <dl class="bench-why">
          {expected !== undefined && !ACTUAL_ALONE.has(reason) && (
            <>
              <dt>expected</dt>
              <dd>
                <SafeLine text={expected} max={CHARS_MAX} />
              </dd>
            </>
          )}
          <dt>{ACTUAL_ALONE.has(reason) ? 'it is' : 'got'}</dt>
          <dd>{actual === undefined ? 'nothing' : <SafeLine text={actual} max={CHARS_MAX} />}</dd>
        </dl>
      )}
    </li>
  );
}
