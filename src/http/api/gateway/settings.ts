/** The endpoints of what an owner sets of the gateway: docs/gateway.md, "Settings". */
import type { Limits } from '../../../limits.ts';
import {
  readGatewaySettings,
  updateGatewaySettings,
  type ShownGateway,
} from '../../../model/gateway/decide-settings.ts';
import { gatewayPayloadSchema, gatewaySettingsSchema } from '../../../model/gateway/settings-payload.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operations } from '../operation.ts';
import { replyRecord } from '../../reply.ts';

const operation = operations('Gateway');

export function gatewaySettingsApi(owners: OwnerDirectory, { bodyBytesMax }: Limits): Endpoint[] {
  return [
    operation('readGatewaySettings', 'GET /v1/gateway/settings', {
      summary: 'Read the settings of the gateway',
      record: gatewaySettingsSchema,
      handle(call) {
        owners.query(readGatewaySettings, undefined, call.caller, (outcome) =>
          replyRecord(call, outcome, settingsJson),
        );
      },
    }),
    operation('updateGatewaySettings', 'PUT /v1/gateway/settings', {
      summary: 'Change settings of the gateway; absent members keep their values',
      record: gatewaySettingsSchema,
      conditional: true,
      refuses: ['mockNotFound'],
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
