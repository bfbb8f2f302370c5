/** The recording of a mock as HAR 1.2. Read page by page, as the egress process answers. */
import { archiveOf, recordedEntry, type Har } from '../../../../interchange/formats/har-write.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import type { RecordedExchange, RecordingFilter, RecordingPage } from '../../../../model/mocks/upstream/recording.ts';
import type { HarOrigin } from '../../journal/har.ts';
import type { Recordings } from './recordings.ts';

interface RecordedHar extends Har {
  readonly log: Har['log'] & { readonly _switchyard: Pick<RecordingPage, 'total' | 'truncated' | 'dropped' | 'epoch'> };
}

/**
 * All exchanges of a mock that fit, the oldest first.
 *
 * @throws As `Recordings.read` does.
 */
export async function recordedHar(
  recordings: Pick<Recordings, 'read'>,
  mockId: string,
  filter: RecordingFilter,
  { urlOf, version }: HarOrigin,
): Promise<RecordedHar> {
  const exchanges: RecordedExchange[] = [];
  let before: number | undefined;
  for (;;) {
    const page = await recordings.read(mockId, {
      ...filter,
      ...(before === undefined ? {} : { before }),
      limit: TRAFFIC_LIMIT_MAX,
    });
    exchanges.push(...page.exchanges);
    if (page.nextBefore === null) {
      const { total, truncated, dropped, epoch } = page;
      // The paths of routes are below no path of an address.
      const { origin } = new URL(urlOf(mockId));
      const entries = exchanges.toReversed().map((exchange) => recordedEntry(exchange, origin));
      const { log } = archiveOf(entries, version);
      return { log: { ...log, _switchyard: { total, truncated, dropped, epoch } } };
    }
    before = page.nextBefore;
  }
}
