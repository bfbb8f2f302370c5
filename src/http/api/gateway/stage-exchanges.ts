/** Exchanges with a host become a mock, or the working copy of one: as a recording of a mock does; docs/gateway.md, "A mock of a host". */
import type { Static } from 'typebox';
import { isRefusal, refuse, type Refusal } from '../../../errors.ts';
import { reportSchema } from '../../../interchange/report/report-schema.ts';
import { attachHost } from '../../../model/gateway/decide-settings.ts';
import { recordingOfGateway } from '../../../model/gateway/exchange.ts';
import { stageExchangesSchema } from '../../../model/gateway/exchange-query.ts';
import { importMocks } from '../../../model/mocks/decide/decide-import.ts';
import { definitionOf, mockSchema, type Mock } from '../../../model/mocks/mock.ts';
import { diffSchema } from '../../../model/mocks/show/diff.ts';
import { readEditableMock } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import {
  checked,
  readRecording,
  stage,
  stagedCheckSchema,
  type ReadRecording,
  type ReplayParts,
} from '../mocks/recording/replay.ts';
import { asStaged, mockJson, sendReply, warned, type MocksContext } from '../mocks/replies.ts';
import { readHost } from './exchange-query.ts';
import { ofGateway, type GatewayQuestions } from './gateway-questions.ts';

type StageInput = Static<typeof stageExchangesSchema>;

const BODY_BYTES_MAX = 65_536;
const HINT = {
  path: '',
  message:
    'nothing is recorded for this host: set `record` to true in the settings of the gateway, and repeat the requests',
};
const NAMES_MOCK = { path: '/name', message: 'is for a new mock: remove mockId' };

export function gatewayStageApi(gateway: GatewayQuestions, context: MocksContext, parts: ReplayParts): Endpoint[] {
  return [
    operationsOf('Gateway', ofGateway(gateway))('stageExchanges', 'POST /requests/stage', {
      summary: 'Create a mock from the exchanges with a host, or add routes to the working copy of a mock',
      warned: Type.Object({
        mockId: Type.String(),
        mock: Type.Optional(Type.Object(mockSchema.properties, { description: 'The new mock.' })),
        attached: Type.Boolean({
          description:
            'Whether the host is now attached to the mock; false when the limit of attached hosts is reached.',
        }),
        report: reportSchema,
        diff: Type.Optional(diffSchema),
        check: stagedCheckSchema,
      }),
      untagged: true,
      conditional: true,
      refuses: ['mockNotFound', 'mockOfFile', 'nothingRecorded', 'importInvalid'],
      body: checkedBody(stageExchangesSchema, 'gatewayPayloadInvalid', BODY_BYTES_MAX, {
        Stage: { host: 'api.example.com', attach: true },
      }),
      async run(call, { body: asked }) {
        const host = readHost(asked.host, '/host');
        if (isRefusal(host)) return host;
        const { mockId, name } = asked;
        if (mockId === undefined) return stageExchanges(context, call, { ...asked, host, name: name ?? host }, parts);
        if (name !== undefined) return refuse('gatewayPayloadInvalid', [NAMES_MOCK]);
        const mock = await context.owners.ask(readEditableMock, { mockId }, call.caller);
        return isRefusal(mock) ? mock : stageExchanges(context, call, { ...asked, host }, parts);
      },
    }),
  ];
}

/** @param asked Its host is in its one spelling. */
async function stageExchanges(
  context: MocksContext,
  call: Call,
  asked: StageInput,
  parts: ReplayParts,
): Promise<Refusal | void> {
  call.releaseBody();
  const { owners } = context;
  const { caller } = call;
  const url = `http://${asked.host.replace('*.', '')}`;
  const origin = { ...parts.origin, urlOf: () => url };
  const read = await readRecording({ ...parts, origin }, caller.ownerId, recordingOfGateway(caller.ownerId), asked);
  if (isRefusal(read)) return withHint(read);
  const { mockId } = asked;
  if (mockId === undefined) return makeMock(context, call, asked, read, parts);
  const staged = await stage(owners, caller, { mockId, ifMatch: call.head.ifMatch }, read, parts.check);
  if (isRefusal(staged)) return staged;
  const { mock, ...data } = staged;
  const attached = await attach(owners, call, asked, mock);
  return sendReply(call, {
    ...warned(asStaged(mock, { mockId, attached, ...data }), mock.staged),
    tag: mock.stagedVersion,
  });
}

function withHint(refusal: Refusal): Refusal {
  return refusal.kind === 'nothingRecorded' && refusal.details === undefined
    ? refuse('nothingRecorded', [HINT])
    : refusal;
}

/** It is served at once. */
async function makeMock(
  { owners, serving }: MocksContext,
  call: Call,
  asked: StageInput,
  { read, har }: ReadRecording,
  { check }: ReplayParts,
): Promise<Refusal | void> {
  const { ownerId } = call.caller;
  const outcome = await owners.change(importMocks, { imported: { mocks: read.mocks, start: true } }, call.caller);
  if (isRefusal(outcome)) return outcome;
  const [mock] = outcome as readonly [Mock];
  const [isPublished, found] = await Promise.all([
    serving.publish(mock.id),
    checked(check, ownerId, definitionOf(mock.saved), har),
  ]);
  const attached = await attach(owners, call, asked, mock);
  const data = { mockId: mock.id, attached, report: read.report, check: found };
  const json = `{"mock":${mockJson(mock, ownerId, serving.urlsOf)},${JSON.stringify(data).slice(1)}`;
  return sendReply(call, warned({ mockId: mock.id, data: json }, mock.saved), isPublished);
}

async function attach(
  owners: OwnerDirectory,
  { caller }: Call,
  { attach: isAsked = false, host }: StageInput,
  { id }: Mock,
): Promise<boolean> {
  return isAsked && !isRefusal(await owners.change(attachHost, { host, mockId: id }, caller));
}
