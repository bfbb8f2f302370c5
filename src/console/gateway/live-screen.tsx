/** Live exchanges of the gateway: a list with the rules that applied, and one exchange in detail. */
import { useMemo } from 'preact/hooks';
import type { ExchangeTotals } from '../../client/gateway-shapes.ts';
import type { ExchangeSummary } from '../../client/shapes.ts';
import { bytesOf, download } from '../parts/body-text.ts';
import { Button } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { Empty, FailureBox } from '../parts/states.tsx';
import { countText, numberText } from '../parts/words.ts';
import { useNamedRules } from '../rules/common/named-rules.ts';
import { hrefOf, place } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { useWrite } from '../state/write.ts';
import { ResetDialog } from '../traffic/feed-bar.tsx';
import { FeedScreen } from '../traffic/feed-screen.tsx';
import { linesFor } from './connect-screen.tsx';
import { ExchangeCells } from './exchange-cells.tsx';
import { ExchangeDrawer } from './exchange-drawer.tsx';
import { ExchangeFeed } from './exchange-feed.ts';
import { filterOf, isFiltered, NO_FILTER, selectionOf, type ExchangeFilter } from './exchange-filter.ts';
import { ExchangeFilters } from './exchange-filters.tsx';
import type { Running, RunningProps } from './running.ts';

const NAMED_MAX = 100;

export function LiveScreen({ gateway }: RunningProps): JSX.Element {
  const filter = filterOf(place.value.query);
  const feed = useMemo(() => new ExchangeFeed(selectionOf(filter)), Object.values(filter));
  const counted = useResource(() => api().gateway.counts(), []);
  usePolled(counted);
  const counts = counted.state.value.value;
  const { shown } = feed.log.value;
  const requests = useMemo(() => shown.flatMap((row) => (row.kind === 'request' ? [row.request] : [])), [shown]);
  // Rules of sessions, and deleted ones, have their names in the exchanges alone.
  const acted = useMemo(() => new Map(requests.flatMap(namesIn)), [requests]);
  const failed = requests.flatMap(({ ruleProblems = [] }) => ruleProblems.map(({ ruleId }) => ruleId));
  const unnamed = [...failed, ...Object.keys(counts?.rules ?? {})].filter((id) => !acted.has(id));
  const rules = useNamedRules(unnamed.slice(0, NAMED_MAX), 0);
  const nameOf = (id: string): string => rules.get(id)?.name ?? acted.get(id) ?? id;
  return (
    <FeedScreen
      feed={feed}
      filters={<ExchangeFilters filter={filter} counts={counts} nameOf={nameOf} />}
      isFiltered={isFiltered(filter)}
      noFilter={NO_FILTER}
      tally={<Tally totals={feed.tally.value.totals} filter={filter} />}
      reset={({ onClose }) => (
        <ResetDialog send={() => api().gateway.reset()} onClose={onClose}>
          Deletes the recorded exchanges for all users, and resets all counts, including rule hits. Live sessions keep
          theirs. This cannot be undone.
        </ResetDialog>
      )}
      empty={<NoExchanges gateway={gateway} />}
      cells={({ request }) => <ExchangeCells exchange={request} nameOf={nameOf} />}
      details={({ id, ...opened }) => <ExchangeDrawer {...opened} feed={feed} exchangeId={id} />}
    />
  );
}

function namesIn({ ruleIds, ruleNames }: ExchangeSummary): [id: string, name: string][] {
  return ruleIds.map((id, index) => [id, ruleNames[index] || id]);
}

interface TallyProps {
  readonly totals: ExchangeTotals | undefined;
  readonly filter: ExchangeFilter;
}

/** Exact totals, and a download of all exchanges. */
function Tally({ totals, filter }: TallyProps): JSX.Element {
  const write = useWrite();
  const save = async (): Promise<void> => {
    const text = await write.run(() => api().gateway.requestsAsHar(selectionOf(filter)));
    if (text !== undefined) download(bytesOf(text), 'gateway.har');
  };
  return (
    <>
      <span class="muted traffic-tally">
        {totals === undefined ? (
          'Counting…'
        ) : (
          <>
            <strong>{countText(totals.total, 'exchange')}</strong>, {countText(totals.ruleHits, 'rule hit')} ·{' '}
            {numberText(totals.outcomes['failed'] ?? 0)} failed
          </>
        )}
      </span>
      <Button busy={write.isRunning.value} onClick={() => void save()}>
        Save as HAR
      </Button>
      <FailureBox failure={write.failure.value} what="Saving the file" />
    </>
  );
}

function NoExchanges({ gateway }: { readonly gateway: Running }): JSX.Element {
  const [browser, curl] = linesFor(gateway, 'key');
  return (
    <Empty title="No exchanges yet">
      <p>
        Requests through the gateway appear here live, with the rules that applied. Open a browser, or send a request:
      </p>
      <Command text={browser?.text ?? ''} what="the command for a browser" label="" />
      <Command text={curl?.text ?? ''} what="the command for curl" label="" />
      <p>
        <a href={hrefOf(['gateway', 'connect'])}>Set up other clients</a>
      </p>
      <p class="muted" role="status">
        Waiting…
      </p>
    </Empty>
  );
}
