/** Endpoints of recorded exchanges between a mock and its upstream. */
import { inSlices } from '../../../../base/slices.ts';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import {
  clearRecordingQuerySchema,
  exchangeSchema,
  RECORDING_FORMATS,
  recordingPage,
  recordingQuerySchema,
  type RecordingFilter,
} from '../../../../model/mocks/upstream/recording.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { Call } from '../../../call.ts';
import { endpoint, type Endpoint } from '../../../endpoint.ts';
import { replyList } from '../../../page.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import type { HarOrigin } from '../traffic/requests-har.ts';
import { AskedTraffic } from '../traffic/traffic-query.ts';
import { withMock } from '../traffic/traffic-scope.ts';
import { harBytes, recordedHar } from './recorded-har.ts';
import type { Recordings } from './recordings.ts';
import { inTurn } from './whole-recordings.ts';

export function mockRecordingApi(owners: OwnerDirectory, recordings: Recordings, origin: HarOrigin): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/recording',
      access: 'read',
      doc: {
        operationId: 'readRecording',
        tag: 'Traffic',
        summary: 'List recorded exchanges with the upstream, newest first',
        query: recordingQuerySchema,
        answer: Type.Object({ data: Type.Array(exchangeSchema), ...recordingPage.properties }),
        refusals: ['mockNotFound', 'badRequest'],
      },
      handle: (call) =>
        withMock(owners, call, async ({ id }) => {
          const asked = parseRecordingQuery(call.head.query);
          if (isRefusal(asked)) return call.refuse(asked);
          const { format, page, filter } = asked;
          if (format === 'har') return replyRecordedHar(call, id, filter, recordings, origin);
          const read = await recordings.read(id, { ...filter, ...page }).catch(() => undefined);
          if (read === undefined) return call.refuse('overloaded');
          const { exchanges, total, truncated, dropped, bytes, nextBefore, epoch } = read;
          return replyList(
            call,
            exchanges,
            (exchange) => JSON.stringify(exchange),
            (written) => {
              const next = written < exchanges.length ? Number(exchanges[written - 1]?.id) : nextBefore;
              const members = JSON.stringify({ total, truncated, dropped, bytes, nextBefore: next, epoch });
              return `,${members.slice(1, -1)}`;
            },
          );
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/recording',
      access: 'write',
      doc: {
        operationId: 'clearRecording',
        tag: 'Traffic',
        summary: 'Delete recorded exchanges with the upstream',
        query: clearRecordingQuerySchema,
        answer: Type.Object({ message: Type.Literal('Recording cleared successfully') }),
        refusals: ['mockNotFound', 'badRequest'],
      },
      handle: (call) =>
        withMock(owners, call, async ({ id }) => {
          const asked = readDeclaredQuery(call.head.query, clearRecordingQuerySchema);
          if (isRefusal(asked)) return call.refuse(asked);
          const isCleared = await recordings.clear(id, asked.session).then(
            () => true,
            () => false,
          );
          if (isCleared) call.succeed('"message":"Recording cleared successfully"');
          else call.refuse('overloaded');
        }),
    }),
  ];
}

interface AskedRecording {
  readonly format: string;
  readonly filter: RecordingFilter;
  readonly page: { readonly before?: number; readonly limit: number };
}

function parseRecordingQuery(query: string): AskedRecording | Refusal {
  const asked = new AskedTraffic(query, recordingQuerySchema);
  const format = asked.oneOf('format', RECORDING_FORMATS);
  const [session, since, status] = [asked.text('session'), asked.integer('since', 0), asked.integer('status', 0)];
  const [before, limit] = [asked.integer('before', 1), asked.integer('limit', 1)];
  if (format === 'har' && before !== undefined)
    asked.blame('before', 'cannot be combined with har: an archive has all exchanges');
  if (format === 'har' && limit !== undefined)
    asked.blame('limit', 'cannot be combined with har: an archive has all exchanges');
  const filter = {
    ...(session === undefined ? {} : { session }),
    ...(since === undefined ? {} : { since }),
    ...(status === undefined ? {} : { status }),
  };
  const page = {
    ...(before === undefined ? {} : { before }),
    limit: Math.min(limit ?? TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX),
  };
  return asked.refusal ?? { format, filter, page };
}

async function replyRecordedHar(
  call: Call,
  mockId: string,
  filter: RecordingFilter,
  recordings: Recordings,
  origin: HarOrigin,
): Promise<void> {
  const refusal = await inTurn(call.caller.ownerId, async () => {
    const har = await recordedHar(recordings, mockId, filter, origin).catch(() => undefined);
    if (har === undefined) return refuse('overloaded');
    const body = await inSlices(harBytes(har));
    const headers = `\r\ncontent-disposition: attachment; filename="${mockId}.har"`;
    call.answer(body.length, () => call.send(200, 'application/json; charset=utf-8', body, headers), 1);
    return undefined;
  });
  if (refusal !== undefined) call.refuse(refusal);
}
