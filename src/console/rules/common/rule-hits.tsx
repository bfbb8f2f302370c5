/** Whether rules apply to live traffic, and how often each did. */
import type { ExchangeCounts, GatewayStatus } from '../../../client/shapes.ts';
import { DocLink } from '../../parts/states.tsx';
import { countText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { usePolled } from '../../state/polled.ts';
import { useResource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';

interface Hits {
  readonly status: GatewayStatus;
  /** Since the last start of the gateway or reset; undefined while it is stopped. */
  readonly counts: ExchangeCounts | undefined;
}

/** @returns undefined until known. Failures keep the last value: the list of rules reports them. */
export function useRuleHits(): Hits | undefined {
  const hits = useResource<Hits>(async () => {
    const status = await api().gateway.status();
    return { status, counts: status.running ? await api().gateway.counts() : undefined };
  }, []);
  const known = hits.state.value.value;
  usePolled(known?.counts === undefined ? undefined : hits);
  return known;
}

/** Whether the listed rules apply to live traffic. */
export function WhereRulesAct({ hits }: { readonly hits: Hits | undefined }): JSX.Element {
  if (hits?.status.running === true) {
    return (
      <p class="hint">
        <span class="badge good">● active on live traffic</span> Rules apply to traffic through the gateway at{' '}
        <code>{hits.status.server}</code>. <a href={hrefOf(['gateway'])}>Live traffic</a>
      </p>
    );
  }
  return (
    <p class="hint">
      {hits !== undefined && <span class="badge">○ gateway stopped</span>} Rules do not apply to live traffic: rules act
      where a client applies them. Export them to Requestly, test them here, or{' '}
      <a href={hrefOf(['gateway'])}>start the gateway</a>.{' '}
      <DocLink to="rules#what-applies-them">How rules are applied</DocLink>
    </p>
  );
}

/** The number of hits of one rule. Renders nothing while the gateway is stopped. */
export function HitsOfRule({ ruleId }: { readonly ruleId: string }): JSX.Element | null {
  const counts = useRuleHits()?.counts;
  if (counts === undefined) return null;
  return (
    <p>
      <a href={hrefOf(['gateway'], { rule: ruleId })}>{countText(counts.rules[ruleId] ?? 0, 'hit')} on live traffic</a>
    </p>
  );
}
