/** The requests of one mock, and their rates by status. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { RequestEvent, RequestQuery, RequestSummary, RequestTotals } from '../../client/shapes.ts';
import { addTotals, NO_RATES, type StatusRates } from '../parts/rates.ts';
import { api } from '../state/session.ts';
import type { Selection } from './traffic-filter.ts';
import { TrafficFeed, type FeedPage, type FollowInput } from './traffic-feed.ts';

/** The details load a full request. */
const SUMMARIES = { fields: 'summary' } as const;

export class MockFeed extends TrafficFeed<RequestSummary, RequestTotals> {
  readonly #mockId: string;
  readonly #selection: Selection;
  readonly #rates = signal(NO_RATES);
  readonly rates: ReadonlySignal<StatusRates> = this.#rates;
  protected readonly canShowMissesOnly: boolean;

  constructor(mockId: string, selection: Selection) {
    super(Object.keys(selection).length > 0);
    this.#mockId = mockId;
    this.#selection = selection;
    this.canShowMissesOnly = selection.matched !== false;
  }

  protected page(asked: Pick<RequestQuery, 'limit' | 'before'>): Promise<FeedPage<RequestSummary>> {
    return api().mocks.requests(this.#mockId, { message: 'also', ...this.#selection, ...asked, ...SUMMARIES });
  }

  protected follow({ missesOnly, ...asked }: FollowInput): AsyncIterable<RequestEvent<RequestSummary>> {
    const misses = missesOnly ? { matched: false } : {};
    return api().mocks.follow(this.#mockId, { ...this.#selection, ...misses, ...asked, ...SUMMARIES });
  }

  protected async countAll(): Promise<number | undefined> {
    return this.isFiltered ? (await api().mocks.counts(this.#mockId)).total : undefined;
  }

  protected override tookCounts(counts: readonly RequestTotals[]): void {
    this.#rates.value = counts.reduce(addTotals, this.#rates.value);
  }
}
