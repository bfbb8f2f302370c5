/** Reads and changes what an owner sets of the gateway. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../errors.ts';
import { DETAILS_MAX } from '../../limits.ts';
import type { Body, Command, Query, QueryContext } from '../command.ts';
import { ownedByAnother } from '../find-record.ts';
import type { OwnerState } from '../owner-state.ts';
import { ifMatchHolds } from '../precondition.ts';
import { gatewayIdOf } from '../record-id.ts';
import { createdStamps, modifiedStamps } from '../stamps.ts';
import { readGatewayPayload } from './settings-payload.ts';
import { GATEWAY_DEFAULTS, type AttachedHost, type GatewayRecord, type GatewaySettings } from './settings.ts';

/** With what has become of the mocks that hosts are attached to. */
export interface ShownGateway {
  readonly record: { readonly modifiedVersion: number; readonly settings: GatewaySettings };
  readonly missingMocks: readonly string[];
}

/** An owner that has set nothing has the defaults, as of version 0. */
export const readGatewaySettings: Query<undefined, ShownGateway> = { answer: (state) => show(state, storedIn(state)) };

/**
 * Changes the members in the body. Refuses, in this order: an invalid body, an invalid payload, hosts that are attached to what is
 * not a mock of the owner, and a failed `If-Match`.
 */
export const updateGatewaySettings: Command<{ body: Body; ifMatch: string | undefined }, ShownGateway> = {
  name: 'gateway.update',
  decide(state, { body, ifMatch }, context) {
    if (isRefusal(body)) return body;
    const given = readGatewayPayload(body);
    if (isRefusal(given)) return given;
    const missing = missingMock(state, given, context);
    if (missing !== undefined) return missing;
    const stored = storedIn(state);
    if (!ifMatchHolds(ifMatch, stored?.modifiedVersion ?? 0)) return refuse('preconditionFailed');
    const settings = { ...(stored?.settings ?? GATEWAY_DEFAULTS), ...given };
    if (stored === undefined) {
      const gateway: GatewayRecord = { id: gatewayIdOf(state.ownerId), settings, ...createdStamps(context) };
      return { changes: [{ kind: 'putGateway', gateway, isNew: true }], answer: show(state, gateway) };
    }
    const gateway: GatewayRecord = { ...stored, settings, ...modifiedStamps(context) };
    return { changes: [{ kind: 'putGateway', gateway }], answer: show(state, gateway) };
  },
};

/** The mock answers for the host from then on; another one that did does not. */
export const attachHost: Command<AttachedHost, ShownGateway> = {
  name: 'gateway.update',
  decide(state, { host, mockId }, context) {
    const { attach } = storedIn(state)?.settings ?? GATEWAY_DEFAULTS;
    const body = { attach: [...attach.filter((each) => each.host !== host), { host, mockId }] };
    return updateGatewaySettings.decide(state, { body, ifMatch: undefined }, context);
  },
};

function storedIn({ gateway }: OwnerState): GatewayRecord | undefined {
  return gateway.ordered()[0];
}

function show({ mocks }: OwnerState, stored: GatewayRecord | undefined): ShownGateway {
  const record = stored ?? { modifiedVersion: 0, settings: GATEWAY_DEFAULTS };
  const ids = new Set(record.settings.attach.map(({ mockId }) => mockId));
  return { record, missingMocks: [...ids].filter((id) => mocks.get(id) === undefined) };
}

function missingMock(
  state: OwnerState,
  { attach = [] }: Partial<GatewaySettings>,
  context: QueryContext,
): Refusal | undefined {
  const details: Detail[] = [];
  for (const [index, { mockId }] of attach.entries()) {
    if (state.mocks.get(mockId) !== undefined) continue;
    if (ownedByAnother(state, mockId, context)) return refuse('unauthorized');
    if (details.length === DETAILS_MAX) break;
    details.push({
      path: `/attach/${index}/mockId`,
      message: 'names no mock: create the mock first, or remove the host',
    });
  }
  return details.length === 0 ? undefined : refuse('mockNotFound', details);
}
