/** Endpoints of recorded exchanges between a mock and its upstream. */
import { inSlices } from '../../../../base/slices.ts';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT } from '../../../../limits.ts';
import {
  clearRecordingQuerySchema,
  exchangeSchema,
  recordingPage,
  recordingQuerySchema,
  type RecordingFilter,
} from '../../../../model/mocks/upstream/recording.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { Call } from '../../../call.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import { harBytes, sendHar, type HarOrigin } from '../../journal/har.ts';
import { replyPage } from '../../journal/page.ts';
import { readLimit } from '../../journal/query.ts';
import { ofMock } from '../traffic/traffic-scope.ts';
import { recordedHar } from './recorded-har.ts';
import type { Recordings } from './recordings.ts';
import { inTurn } from './whole-recordings.ts';

export function mockRecordingApi(owners: OwnerDirectory, recordings: Recordings, origin: HarOrigin): Endpoint[] {
  const operation = operationsOf('Traffic', ofMock(owners));
  return [
    operation('readRecording', 'GET /recording', {
      summary: 'List recorded exchanges with the upstream, newest first',
      query: recordingQuerySchema,
      answer: Type.Object({ data: Type.Array(exchangeSchema), ...recordingPage.properties }),
      readQuery: parseRecordingQuery,
      async run(call, { found: { id }, query: { format, page, filter } }) {
        if (format === 'har') return replyRecordedHar(call, id, filter, recordings, origin);
        const read = await recordings.read(id, { ...filter, ...page }).catch(() => undefined);
        if (read === undefined) return refuse('overloaded');
        const { exchanges: entries, nextBefore, ...members } = read;
        return replyPage(call, { entries, hasMore: nextBefore !== null }, (exchange) => exchange, members);
      },
    }),
    operation('clearRecording', 'DELETE /recording', {
      summary: 'Delete recorded exchanges with the upstream',
      query: clearRecordingQuerySchema,
      message: 'Recording cleared successfully',
      run: (_call, { found: { id }, query: { session } }) =>
        recordings.clear(id, session).catch(() => refuse('overloaded')),
    }),
  ];
}

interface RecordingQuery {
  readonly format: string;
  readonly filter: RecordingFilter;
  readonly page: { readonly before?: number; readonly limit: number };
}

function parseRecordingQuery(query: string): RecordingQuery | Refusal {
  const given = readDeclaredQuery(query, recordingQuerySchema, { limit: readLimit });
  if (isRefusal(given)) return given;
  const { format = 'list', before, limit, ...filter } = given;
  if (format !== 'har')
    return {
      format,
      filter,
      page: { ...(before === undefined ? {} : { before }), limit: limit ?? TRAFFIC_LIMIT_DEFAULT },
    };
  const [name] = Object.entries({ before, limit }).find(([, value]) => value !== undefined) ?? [];
  const message = 'cannot be combined with har: an archive has all exchanges';
  return name === undefined ? { format, filter, page: { limit: 0 } } : refuse('badRequest', [{ path: name, message }]);
}

function replyRecordedHar(
  call: Call,
  mockId: string,
  filter: RecordingFilter,
  recordings: Recordings,
  origin: HarOrigin,
): Promise<Refusal | void> {
  return inTurn(call.caller.ownerId, async () => {
    const har = await recordedHar(recordings, mockId, filter, origin).catch(() => undefined);
    if (har === undefined) return refuse('overloaded');
    return sendHar(call, mockId, await inSlices(harBytes(har)));
  });
}
