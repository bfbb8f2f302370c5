/** A row of live traffic, with the rules that applied. */
import type { ExchangeSummary } from '../../client/shapes.ts';
import { Cell } from '../parts/virtual-list.tsx';
import { exactTimeText, statusClass, targetOf } from '../parts/words.ts';
import { visibleLine } from '../state/visible-text.ts';
import { durationText } from '../traffic/durations.ts';
import { OutcomeBadge, placeOf } from './outcome.tsx';

interface CellsProps {
  readonly exchange: ExchangeSummary;
  readonly nameOf: (ruleId: string) => string;
}

/** The details list the others. */
const CHIPS_MAX = 3;

export function ExchangeCells({ exchange, nameOf }: CellsProps): JSX.Element {
  const { time, method, status, outcome, ruleIds, ruleNames, ruleProblems = [], ms, session, sessionLabel } = exchange;
  const { host, ...target } = placeOf(exchange);
  const more = ruleIds.length - CHIPS_MAX;
  return (
    <>
      <Cell class="traffic-time muted">{exactTimeText(time)}</Cell>
      <Cell class="traffic-method monospace">{visibleLine(method, 12)}</Cell>
      <Cell class="traffic-status">
        <span class={statusClass(status)}>{status === 0 ? '–' : status}</span>
      </Cell>
      <Cell class="wide monospace gateway-url">
        <bdi class="muted">{visibleLine(host, 100)}</bdi>
        <bdi>{visibleLine(targetOf(target), 300)}</bdi>
      </Cell>
      <Cell class="gateway-outcome">
        {outcome !== 'forward' && <OutcomeBadge outcome={outcome} />}
        {ruleIds.slice(0, CHIPS_MAX).map((id, index) => (
          <span key={id} class="badge gateway-chip">
            <bdi>{visibleLine(ruleNames[index] || id, 40)}</bdi>
          </span>
        ))}
        {ruleProblems.slice(0, CHIPS_MAX).map(({ ruleId, reason, actual }) => (
          <span key={ruleId} class="badge bad gateway-chip" title={visibleLine(actual ?? reason, 300)}>
            <bdi>{visibleLine(nameOf(ruleId), 40)} failed</bdi>
          </span>
        ))}
        {more > 0 && <span class="muted">and {more} more</span>}
        {session !== undefined && (
          <bdi class="traffic-session muted">{visibleLine(sessionLabel ?? `session ${session}`, 40)}</bdi>
        )}
      </Cell>
      <Cell class="traffic-duration muted">{durationText(ms)}</Cell>
    </>
  );
}
