/** Live exchanges of the gateway: a list with the rules that applied, and one exchange in detail. */
import { useMemo } from 'preact/hooks';
import type { ExchangeTotals } from '../../client/gateway-shapes.ts';
import type { ExchangeQuery, ExchangeSummary } from '../../client/shapes.ts';
import { Command } from '../parts/copy-button.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { Empty } from '../parts/states.tsx';
import { HeadTail, StatusBadge } from '../parts/safe-text.tsx';
import { countText, numberText, targetOf } from '../parts/words.ts';
import { visibleLine } from '../state/visible-text.ts';
import { OutcomeBadge, placeOf } from './outcome.tsx';
import { useNamedRules } from '../rules/common/named-rules.ts';
import { hrefOf, place } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { FeedRow } from '../traffic/feed-row.tsx';
import { TrafficFeed, type FeedEvent, type FeedPage, type FollowInput } from '../traffic/traffic-feed.ts';
import { FeedScreen } from '../traffic/feed-screen.tsx';
import { linesFor, type Running, type RunningProps } from './connect-screen.tsx';
import { ExchangeDrawer } from './exchange-drawer.tsx';
import { ExchangeFilters, FILTERS, selectionOf, type ExchangeFilter, type Selection } from './exchange-filters.tsx';

/** The exchanges of the gateway. */
class ExchangeFeed extends TrafficFeed<ExchangeSummary, ExchangeTotals> {
  readonly #selection: Selection;
  protected readonly canShowMissesOnly = false;

  constructor(selection: Selection) {
    super(Object.keys(selection).length > 0);
    this.#selection = selection;
  }

  protected async page(asked: Pick<ExchangeQuery, 'limit' | 'before'>): Promise<FeedPage<ExchangeSummary>> {
    const page = await api().gateway.requests({ ...this.#selection, ...asked });
    return { ...page, oldest: null };
  }

  protected follow({ after, signal }: FollowInput): AsyncIterable<FeedEvent<ExchangeSummary, ExchangeTotals>> {
    return api().gateway.stream({ ...this.#selection, after, signal });
  }

  /** Numbers continue after a reset: they are not a count. */
  protected async countAll(): Promise<number> {
    return (await api().gateway.counts()).total;
  }
}

const NAMED_MAX = 100;

const RESET =
  'Deletes the recorded exchanges for all users, and resets all counts, including rule hits. Live sessions keep theirs. This cannot be undone.';

export function LiveScreen({ gateway }: RunningProps): JSX.Element {
  const filter = FILTERS.of(place.value.query);
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
      noFilter={FILTERS.none}
      tally={<Tally totals={feed.tally.value.totals} filter={filter} />}
      reset={{ send: () => api().gateway.reset(), consequences: RESET }}
      empty={<NoExchanges gateway={gateway} />}
      cells={(exchange) => <ExchangeCells exchange={exchange} nameOf={nameOf} />}
      details={(opened) => <ExchangeDrawer {...opened} feed={feed} />}
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
const Tally = ({ totals, filter }: TallyProps): JSX.Element => (
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
    <SaveButton name="gateway.har" load={() => api().gateway.requestsAsHar(selectionOf(filter))}>
      Save as HAR
    </SaveButton>
  </>
);

function NoExchanges({ gateway }: { readonly gateway: Running }): JSX.Element {
  const [browser, curl] = linesFor(gateway, 'key');
  return (
    <Empty title="No exchanges yet" waiting="Waiting…">
      <p>
        Requests through the gateway appear here live, with the rules that applied. Open a browser, or send a request:
      </p>
      <Command text={browser?.text ?? ''} what="the command for a browser" label="" />
      <Command text={curl?.text ?? ''} what="the command for curl" label="" />
      <p>
        <a href={hrefOf(['gateway', 'connect'])}>Set up other clients</a>
      </p>
    </Empty>
  );
}

interface CellsProps {
  readonly exchange: ExchangeSummary;
  readonly nameOf: (ruleId: string) => string;
}

/** The details list the others. */
const CHIPS_MAX = 3;

function ExchangeCells({ exchange, nameOf }: CellsProps): JSX.Element {
  const { time, method, status, outcome, ruleIds, ruleNames, ruleProblems = [], ms, session, sessionLabel } = exchange;
  const { host, ...target } = placeOf(exchange);
  const more = ruleIds.length - CHIPS_MAX;
  return (
    <FeedRow
      time={time}
      method={method}
      status={<StatusBadge status={status} {...(status === 0 ? { text: '–' } : {})} />}
      target={<HeadTail head={host} tail={targetOf(target)} />}
      isNotable={outcome !== 'forward'}
      session={session && (sessionLabel ?? `session ${session}`)}
      ms={ms}
    >
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
      {more > 0 && <span class="muted gateway-chip">and {more} more</span>}
    </FeedRow>
  );
}
