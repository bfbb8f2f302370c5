/** The exchanges of the gateway, for the list of live traffic. */
import type { ExchangeCounts, ExchangeQuery, ExchangeSummary } from '../../client/shapes.ts';
import { api } from '../state/session.ts';
import { TrafficFeed, type FeedEvent, type FeedPage, type FollowAsked } from '../traffic/traffic-feed.ts';

type Selection = Omit<ExchangeQuery, 'limit' | 'before'>;

const EVERY_MS = 1_000;
const PAGE_ROWS = 200;

export class ExchangeFeed extends TrafficFeed<ExchangeSummary, ExchangeCounts> {
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

  protected async *follow({ after, signal }: FollowAsked): AsyncGenerator<FeedEvent<ExchangeSummary, ExchangeCounts>> {
    let last = Number(after);
    let known: ExchangeCounts | undefined;
    while (!signal.aborted) {
      const counts = await api().gateway.counts();
      const { records } = await api().gateway.requests({ ...this.#selection, limit: PAGE_ROWS });
      if (known !== undefined && (counts.epoch !== known.epoch || counts.total < known.total)) {
        if (counts.epoch !== known.epoch) last = 0;
        yield { type: 'reset' };
      }
      known = counts;
      for (const request of records.filter(({ number }) => number > last).toReversed()) {
        last = request.number;
        yield { type: 'request', id: request.id, request };
      }
      yield { type: 'counts', counts };
      await new Promise((resolve) => {
        setTimeout(resolve, EVERY_MS);
      });
    }
  }

  protected async countAll(): Promise<number> {
    return (await api().gateway.counts()).total;
  }
}
