/** The feed of gateway exchanges for live traffic. */
import type { ExchangeTotals } from '../../client/gateway-shapes.ts';
import type { ExchangeQuery, ExchangeSummary } from '../../client/shapes.ts';
import { api } from '../state/session.ts';
import { TrafficFeed, type FeedEvent, type FeedPage, type FollowAsked } from '../traffic/traffic-feed.ts';

type Selection = Omit<ExchangeQuery, 'limit' | 'before'>;

export class ExchangeFeed extends TrafficFeed<ExchangeSummary, ExchangeTotals> {
  readonly #selection: Selection;
  protected readonly canShowMissesOnly = false;

  constructor(selection: Selection) {
    super();
    this.#selection = selection;
  }

  protected async page(asked: Pick<ExchangeQuery, 'limit' | 'before'>): Promise<FeedPage<ExchangeSummary>> {
    const page = await api().gateway.requests({ ...this.#selection, ...asked });
    return { ...page, oldest: null };
  }

  protected follow({ after, signal }: FollowAsked): AsyncIterable<FeedEvent<ExchangeSummary, ExchangeTotals>> {
    return api().gateway.stream({ ...this.#selection, after, signal });
  }

  /** Numbers continue after a reset: they are not a count. */
  protected async countAll(): Promise<number> {
    return (await api().gateway.counts()).total;
  }
}
