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
import type { Call } from '../../call.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import {
  checked,
  readRecording,
  stage,
  stagedCheckSchema,
  type ReadRecording,
  type ReplayParts,
} from '../mocks/recording/replay.ts';
import { asStaged, mockJson, ofWarned, sendReply, warned, type MocksContext } from '../mocks/replies.ts';
import { readHost } from './exchange-query.ts';
import type { GatewayQuestions } from './gateway-questions.ts';

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
    endpoint<StageInput>({
      method: 'POST',
      path: '/v1/gateway/requests/stage',
      access: 'write',
      doc: {
        operationId: 'stageExchanges',
        tag: 'Gateway',
        summary: 'Create a mock from the exchanges with a host, or add routes to the working copy of a mock',
        answer: ofWarned(
          Type.Object({
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
        ),
        untagged: true,
        headers: ['If-Match'],
        refusals: [
          'gatewayPayloadInvalid',
          'gatewayNotRunning',
          'mockNotFound',
          'mockOfFile',
          'nothingRecorded',
          'importInvalid',
          'limitReached',
          'preconditionFailed',
        ],
      },
      body: {
        schema: stageExchangesSchema,
        examples: { Stage: { host: 'api.example.com', attach: true } },
        bytesMax: BODY_BYTES_MAX,
        invalid: 'gatewayPayloadInvalid',
        read: checkedReader(stageExchangesSchema, 'gatewayPayloadInvalid'),
      },
      handle(call, asked) {
        if (gateway.state() === undefined) return call.refuse('gatewayNotRunning');
        if (isRefusal(asked)) return call.refuse(asked);
        const host = readHost(asked.host, '/host');
        if (isRefusal(host)) return call.refuse(host);
        const { mockId, name } = asked;
        if (mockId === undefined) return stageExchanges(context, call, { ...asked, host, name: name ?? host }, parts);
        if (name !== undefined) return call.refuse(refuse('gatewayPayloadInvalid', [NAMES_MOCK]));
        return context.owners.query(readEditableMock, { mockId }, call.caller, (mock) =>
          isRefusal(mock) ? call.refuse(mock) : stageExchanges(context, call, { ...asked, host }, parts),
        );
      },
    }),
  ];
}

/** @param asked Its host is in its one spelling. */
function stageExchanges(context: MocksContext, call: Call, asked: StageInput, parts: ReplayParts): void {
  call.releaseBody();
  const { ownerId } = call.caller;
  const url = `http://${asked.host.replace('*.', '')}`;
  const origin = { ...parts.origin, urlOf: () => url };
  void call.later(readRecording({ ...parts, origin }, ownerId, recordingOfGateway(ownerId), asked), (read) => {
    if (isRefusal(read)) return call.refuse(withHint(read));
    const { mockId } = asked;
    if (mockId === undefined) return makeMock(context, call, asked, read, parts);
    return stage(context, call, { mockId, ifMatch: call.head.ifMatch }, read, parts.check, (mock, data) =>
      attach(context, call, asked, mock, (attached) =>
        sendReply(call, {
          ...warned(asStaged(mock, { mockId, attached, ...data }), mock.staged),
          tag: mock.stagedVersion,
        }),
      ),
    );
  });
}

function withHint(refusal: Refusal): Refusal {
  return refusal.kind === 'nothingRecorded' && refusal.details === undefined
    ? refuse('nothingRecorded', [HINT])
    : refusal;
}

/** It is served at once. */
function makeMock(
  context: MocksContext,
  call: Call,
  asked: StageInput,
  { read, har }: ReadRecording,
  { check }: ReplayParts,
): void {
  const { owners, serving } = context;
  const { ownerId } = call.caller;
  const imported = { mocks: read.mocks, start: true };
  owners.command(importMocks, { imported }, call.caller, (outcome) => {
    if (isRefusal(outcome)) return call.refuse(outcome);
    const [mock] = outcome as readonly [Mock];
    const done = Promise.all([serving.publish(mock.id), checked(check, ownerId, definitionOf(mock.saved), har)]);
    return void call.later(done, ([isPublished, found]) =>
      attach(context, call, asked, mock, (attached) => {
        const data = { mockId: mock.id, attached, report: read.report, check: found };
        const json = `{"mock":${mockJson(mock, ownerId, serving.urlOf)},${JSON.stringify(data).slice(1)}`;
        sendReply(call, warned({ mockId: mock.id, data: json }, mock.saved), isPublished);
      }),
    );
  });
}

function attach(
  { owners }: MocksContext,
  call: Call,
  { attach: isAsked = false, host }: StageInput,
  { id }: Mock,
  reply: (attached: boolean) => void,
): void {
  if (!isAsked) return reply(false);
  return owners.command(attachHost, { host, mockId: id }, call.caller, (outcome) => reply(!isRefusal(outcome)));
}
