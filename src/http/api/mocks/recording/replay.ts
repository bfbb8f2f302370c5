/** A recording becomes the working copy of its mock, or is held against what the mock answers: docs/guide-recording.md. */
import type { Static } from 'typebox';
import { namesCredential } from '../../../../base/credentials.ts';
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
import type { Principal } from '../../../../model/principal.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import { checkedBody } from '../../../checked-reader.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { refuseImport } from '../../import-body.ts';
import { harBytes, type HarOrigin } from '../../journal/har.ts';
import { definitionAgainst } from '../addressed-version.ts';
import { withIds } from '../files/report-ids.ts';
import { asStaged, mockInput, sendReply, warned, type MocksContext } from '../replies.ts';
import { ofMock } from '../traffic/traffic-scope.ts';
import { recordedHar } from './recorded-har.ts';
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
  const { owners } = context;
  return [
    operationsOf('Mocks', ofMock(owners, readEditableMock))('stageRecording', 'POST /recording/stage', {
      summary: 'Stage routes from a recording, and check that they answer as recorded',
      warned: Type.Object({ report: reportSchema, diff: diffSchema, check: stagedCheckSchema }),
      conditional: true,
      refuses: ['importInvalid', 'nothingRecorded'],
      body: checkedBody(stageRecordingSchema, 'mockPayloadInvalid', BODY_BYTES_MAX, { Stage: {} }),
      async run(call, { found: { id }, body: asked }) {
        call.releaseBody();
        const read = await readRecording(parts, call.caller.ownerId, id, asked);
        const staged = isRefusal(read) ? read : await stage(owners, call.caller, mockInput(call), read, parts.check);
        if (isRefusal(staged)) return staged;
        const { mock, ...data } = staged;
        return sendReply(call, warned(asStaged(mock, data), mock.staged));
      },
    }),
    operationsOf('Mocks', ofMock(owners))('checkRecording', 'POST /recording/check', {
      access: 'read',
      summary: 'Check that the mock answers as recorded; counts and traffic do not change',
      data: replayCheckSchema,
      refuses: ['versionNotFound', 'nothingRecorded'],
      body: checkedBody(checkRecordingSchema, 'mockPayloadInvalid', BODY_BYTES_MAX, { Check: { against: 'staged' } }),
      async run(call, { found: mock, body: asked }) {
        call.releaseBody();
        const { against = 'saved', entries = 'recording', headers = [] } = asked;
        const definition = await definitionAgainst(owners, call, mock, against);
        if (isRefusal(definition)) return definition;
        const check = await inTurn(call.caller.ownerId, async () => {
          const har = entries === 'samples' ? undefined : await harOf(parts, mock.id, asked);
          return isRefusal(har) ? har : parts.check(call.caller.ownerId, { definition, har, headers });
        });
        return check ?? refuse('mockPayloadInvalid', [TOO_LONG]);
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
  const {
    into = 'replace',
    paths = 'auto',
    latency = false,
    rewriteUrls = false,
    samples = true,
    distinguishBy = [],
  } = asked;
  const secret = distinguishBy.findIndex(namesCredential);
  if (secret !== -1) {
    const message = 'its values are credentials, which recordings do not keep: no condition can have them';
    return Promise.resolve(refuse('mockPayloadInvalid', [{ path: `/distinguishBy/${secret}`, message }]));
  }
  return inTurn(ownerId, async () => {
    const har = await harOf(parts, mockId, asked);
    if (isRefusal(har)) return har;
    const read = await parts.readFiles(ownerId, {
      source: { files: [{ path: '', bytes: har }], entry: '' },
      options: { format: 'har', paths, latency, rewriteUrls, samples, distinguishBy, ...named },
    });
    if (isRefusal(read)) return read;
    if (read === undefined || 'details' in read) return refuseImport(read);
    // Nothing of it can be answered: there are no routes then, rather than none left.
    const isEmpty = read.mocks.every(({ definition }) => definition.routes.length === 0);
    return isEmpty ? refuse('nothingRecorded', [NOTHING_WHOLE]) : { into, read, har };
  });
}

/** The working copy is committed before it is checked: what differs is for a person to judge. */
export async function stage(
  owners: OwnerDirectory,
  caller: Principal,
  input: MockInput,
  { into, read, har }: ReadRecording,
  check: ReplayParts['check'],
): Promise<{ readonly mock: Mock; readonly [said: string]: unknown } | Refusal> {
  const outcome = await owners.change(stageRecording, { ...input, imported: read.mocks, into }, caller);
  if (isRefusal(outcome)) return outcome;
  const { mock, renamed } = outcome;
  const found = await checked(check, caller.ownerId, definitionOf(mock.staged), har);
  return { mock, report: withIds(read.report, renamed), diff: diffStaged(mock), check: found };
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
