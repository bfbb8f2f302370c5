/** The recording of a mock as HAR 1.2. Read page by page, as the egress process answers. */
import { writeRecordedHar, type Har } from '../../../../interchange/formats/har-write.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import type { RecordedExchange, RecordingFilter, RecordingPage } from '../../../../model/mocks/upstream/recording.ts';
import type { HarOrigin } from '../traffic/requests-har.ts';
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
      const { log } = writeRecordedHar(exchanges, { url: new URL(urlOf(mockId)).origin, version });
      return { log: { ...log, _switchyard: { total, truncated, dropped, epoch } } };
    }
    before = page.nextBefore;
  }
}

/** JSON with one entry per line, so that a report can name its number. Pauses after each entry, since a recording is large. */
export function* harBytes({ log: { entries, ...log } }: Har): Generator<void, Buffer> {
  const parts: Buffer[] = [Buffer.from(`{"log":${JSON.stringify(log).slice(0, -1)},"entries":[`)];
  for (const [index, entry] of entries.entries()) {
    parts.push(Buffer.from(`${index === 0 ? '' : ',\n'}${JSON.stringify(entry)}`));
    yield;
  }
  parts.push(Buffer.from(']}}'));
  return Buffer.concat(parts);
}
