/** The endpoints of what an owner sets of the gateway: docs/gateway.md, "Settings". */
import type { Limits } from '../../../limits.ts';
import {
  readGatewaySettings,
  updateGatewaySettings,
  type ShownGateway,
} from '../../../model/gateway/decide-settings.ts';
import { gatewayPayloadSchema, gatewaySettingsSchema } from '../../../model/gateway/settings-payload.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { replyRecord } from '../../reply.ts';

export function gatewaySettingsApi(owners: OwnerDirectory, { bodyBytesMax }: Limits): Endpoint[] {
  const answer = Type.Object({ data: gatewaySettingsSchema });
  return [
    endpoint({
      method: 'GET',
      path: '/v1/gateway/settings',
      access: 'read',
      doc: {
        operationId: 'readGatewaySettings',
        tag: 'Gateway',
        summary: 'Read the settings of the gateway',
        answer,
        refusals: [],
      },
      handle(call) {
        owners.query(readGatewaySettings, undefined, call.caller, (outcome) =>
          replyRecord(call, outcome, settingsJson),
        );
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/gateway/settings',
      access: 'write',
      doc: {
        operationId: 'updateGatewaySettings',
        tag: 'Gateway',
        summary: 'Change settings of the gateway; absent members keep their values',
        answer,
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'gatewayPayloadInvalid', 'limitReached', 'preconditionFailed'],
      },
      body: {
        schema: gatewayPayloadSchema,
        examples: {
          Hermetic: { attach: [{ host: 'pay.example.com', mockId: 'm2yx8f0c' }], others: 'refuse' },
        },
        bytesMax: bodyBytesMax,
        invalid: 'gatewayPayloadInvalid',
      },
      handle(call, sent) {
        const input = { body: sent, ifMatch: call.head.ifMatch };
        owners.command(updateGatewaySettings, input, call.caller, (outcome) =>
          replyRecord(call, outcome, settingsJson),
        );
      },
    }),
  ];
}

function settingsJson({ record: { settings }, missingMocks }: ShownGateway): string {
  return JSON.stringify({ ...settings, missingMocks });
}
