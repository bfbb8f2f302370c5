/** A recording becomes the working copy of its mock, or is held against what the mock answers: docs/guide-recording.md. */
import type { Static } from 'typebox';
import { inSlices } from '../../../../base/slices.ts';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import type { ImportOptions } from '../../../../interchange/format.ts';
import type { MockImport } from '../../../../interchange/import-mocks.ts';
import type { ImportProblem } from '../../../../interchange/reading/open-source.ts';
import { reportSchema } from '../../../../interchange/report/report-schema.ts';
import { stageRecording } from '../../../../model/mocks/decide/decide-import.ts';
import type { MockDefinition } from '../../../../model/mocks/definition/definition.ts';
import type { MockInput } from '../../../../model/mocks/decide/decide-mock.ts';
import { definitionOf, type Mock } from '../../../../model/mocks/mock.ts';
import { readEditableMock } from '../../../../model/mocks/show/query-mock.ts';
import { diffSchema, diffStaged } from '../../../../model/mocks/show/diff.ts';
import type { RecordingFilter } from '../../../../model/mocks/upstream/recording.ts';
import {
  checkRecordingSchema,
  stageRecordingSchema,
  type RECORDING_TARGETS,
} from '../../../../model/mocks/upstream/replay-schema.ts';
import { replayCheckSchema, type ReplayCheck } from '../../../../model/mocks/upstream/replay-check.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { Call } from '../../../call.ts';
import { checkedReader } from '../../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../../endpoint.ts';
import { refuseImport } from '../../import-body.ts';
import { definitionAgainst } from '../addressed-version.ts';
import { withIds } from '../files/report-ids.ts';
import { asStaged, mockInput, ofData, ofWarned, sendReply, warned, type MocksContext } from '../replies.ts';
import type { HarOrigin } from '../traffic/requests-har.ts';
import { withMock } from '../traffic/traffic-scope.ts';
import { harBytes, recordedHar } from './recorded-har.ts';
import type { Recordings } from './recordings.ts';
import { inTurn } from './whole-recordings.ts';

export interface ReplayParts {
  readonly recordings: Pick<Recordings, 'read'>;
  readonly origin: HarOrigin;
  /** Has files read in a thread. undefined: it took too long. */
  readonly readFiles: (
    ownerId: string,
    files: {
      readonly source: { readonly files: readonly { path: string; bytes: Uint8Array }[]; readonly entry: string };
      readonly options: ImportOptions;
    },
  ) => Promise<MockImport | ImportProblem | undefined | Refusal>;
  /** Has a mock answer in a thread. undefined: it took too long. */
  readonly check: (
    ownerId: string,
    task: {
      readonly definition: MockDefinition;
      readonly har: Uint8Array | undefined;
      readonly headers: readonly string[];
    },
  ) => Promise<ReplayCheck | undefined | Refusal>;
}

export const stagedCheckSchema = Type.Union([replayCheckSchema, Type.Null()], {
  description: 'Replay check of the staged exchanges; null when it took too long or the server was busy: call `check`.',
});

export function mockReplayApi(context: MocksContext, parts: ReplayParts): Endpoint[] {
  const stageBody: EndpointBody<Static<typeof stageRecordingSchema>> = {
    schema: stageRecordingSchema,
    examples: { Stage: {} },
    bytesMax: BODY_BYTES_MAX,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(stageRecordingSchema, 'mockPayloadInvalid'),
  };
  const checkBody: EndpointBody<Static<typeof checkRecordingSchema>> = {
    schema: checkRecordingSchema,
    examples: { Check: { against: 'staged' } },
    bytesMax: BODY_BYTES_MAX,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(checkRecordingSchema, 'mockPayloadInvalid'),
  };
  return [
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/recording/stage',
      access: 'write',
      doc: {
        operationId: 'stageRecording',
        tag: 'Mocks',
        summary: 'Stage routes from a recording, and check that they answer as recorded',
        answer: ofWarned(
          Type.Object({
            report: reportSchema,
            diff: diffSchema,
            check: stagedCheckSchema,
          }),
        ),
        headers: ['If-Match'],
        refusals: [
          'mockNotFound',
          'mockOfFile',
          'mockPayloadInvalid',
          'importInvalid',
          'nothingRecorded',
          'limitReached',
          'preconditionFailed',
        ],
      },
      body: stageBody,
      handle(call, asked) {
        context.owners.query(readEditableMock, mockInput(call), call.caller, (mock) => {
          if (isRefusal(mock)) return call.refuse(mock);
          if (isRefusal(asked)) return call.refuse(asked);
          call.releaseBody();
          const { ownerId } = call.caller;
          return void call.later(readRecording(parts, ownerId, mock.id, asked), (read) => {
            if (isRefusal(read)) return call.refuse(read);
            return stage(context, call, mockInput(call), read, parts.check, (staged, data) =>
              sendReply(call, warned(asStaged(staged, data), staged.staged)),
            );
          });
        });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/recording/check',
      access: 'read',
      doc: {
        operationId: 'checkRecording',
        tag: 'Mocks',
        summary: 'Check that the mock answers as recorded; counts and traffic do not change',
        answer: ofData(replayCheckSchema),
        untagged: true,
        refusals: ['mockNotFound', 'mockPayloadInvalid', 'versionNotFound', 'nothingRecorded'],
      },
      body: checkBody,
      handle(call, asked) {
        withMock(context.owners, call, async (mock) => {
          if (isRefusal(asked)) return call.refuse(asked);
          call.releaseBody();
          const { against = 'saved', entries = 'recording', headers = [] } = asked;
          const definition = await definitionAgainst(context.owners, call, mock, against);
          if (isRefusal(definition)) return call.refuse(definition);
          const check = await inTurn(call.caller.ownerId, async () => {
            const har = entries === 'samples' ? undefined : await harOf(parts, mock.id, asked);
            return isRefusal(har) ? har : parts.check(call.caller.ownerId, { definition, har, headers });
          });
          if (isRefusal(check)) return call.refuse(check);
          if (check === undefined) return call.refuse(refuse('mockPayloadInvalid', [TOO_LONG]));
          return call.succeed(`"data":${JSON.stringify(check)}`);
        });
      },
    }),
  ];
}

const BODY_BYTES_MAX = 65_536;
const TOO_LONG = { path: '', message: 'the check took too long: check fewer exchanges, with `session` or `since`' };
const NOTHING_WHOLE = {
  path: '',
  message: 'no exchange was recorded completely: their responses are partial or missing',
};

/** @returns The recording as bytes of a HAR, or that nothing of it was asked for. */
async function harOf(
  { recordings, origin }: ReplayParts,
  mockId: string,
  { session, since, status, host }: RecordingFilter,
): Promise<Buffer | Refusal> {
  const filter = {
    ...(host === undefined ? {} : { host }),
    ...(session === undefined ? {} : { session }),
    ...(since === undefined ? {} : { since }),
    ...(status === undefined ? {} : { status }),
  };
  const recording = await recordedHar(recordings, mockId, filter, origin).catch(() => undefined);
  if (recording === undefined) return refuse('overloaded');
  return recording.log.entries.length === 0 ? refuse('nothingRecorded') : inSlices(harBytes(recording));
}

export interface ReadRecording {
  readonly into: (typeof RECORDING_TARGETS)[number];
  readonly read: MockImport;
  readonly har: Buffer;
}

/** @param mockId Whose recording it is. @param asked With the name of the mock that is made of it, where it is new. */
export function readRecording(
  parts: ReplayParts,
  ownerId: string,
  mockId: string,
  asked: Static<typeof stageRecordingSchema> & { readonly host?: string; readonly name?: string },
): Promise<ReadRecording | Refusal> {
  const named = asked.name === undefined ? {} : { name: asked.name };
  const { into = 'replace', paths = 'auto', latency = false, rewriteUrls = false, samples = true } = asked;
  return inTurn(ownerId, async () => {
    const har = await harOf(parts, mockId, asked);
    if (isRefusal(har)) return har;
    const read = await parts.readFiles(ownerId, {
      source: { files: [{ path: '', bytes: har }], entry: '' },
      options: { format: 'har', paths, latency, rewriteUrls, samples, ...named },
    });
    if (isRefusal(read)) return read;
    if (read === undefined || 'details' in read) return refuseImport(read);
    // Nothing of it can be answered: there are no routes then, rather than none left.
    const isEmpty = read.mocks.every(({ definition }) => definition.routes.length === 0);
    return isEmpty ? refuse('nothingRecorded', [NOTHING_WHOLE]) : { into, read, har };
  });
}

/**
 * The working copy is committed before it is checked: what differs is for a person to judge.
 *
 * @param reply Gets the mock, and what is said of it.
 */
export function stage(
  { owners }: MocksContext,
  call: Call,
  input: MockInput,
  { into, read, har }: ReadRecording,
  check: ReplayParts['check'],
  reply: (mock: Mock, data: object) => void,
): void {
  const { ownerId } = call.caller;
  owners.command(stageRecording, { ...input, imported: read.mocks, into }, call.caller, (outcome) => {
    if (isRefusal(outcome)) return call.refuse(outcome);
    const { mock, renamed } = outcome;
    const definition = definitionOf(mock.staged);
    return void call.later(checked(check, ownerId, definition, har), (found) =>
      reply(mock, { report: withIds(read.report, renamed), diff: diffStaged(mock), check: found }),
    );
  });
}

/** @returns Null when it took too long, or too much was waiting. */
export async function checked(
  check: ReplayParts['check'],
  ownerId: string,
  definition: MockDefinition,
  har: Buffer,
): Promise<ReplayCheck | null> {
  const found = await check(ownerId, { definition, har, headers: [] });
  return found === undefined || isRefusal(found) ? null : found;
}
