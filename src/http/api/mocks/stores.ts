/** The live stores of a mock, or of one of its sessions: listed, read, set, reset. docs/mocks-stores.md, "Stores". They are of the data plane's memory. */
import { percentDecoded } from '../../../base/percent.ts';
import { isRefusal, refuse, refuseLimit, type RefusalKind } from '../../../errors.ts';
import { STORE_BYTES_MAX } from '../../../limits.ts';
import { storeRecordSchema } from '../../../model/mocks/stores/store-schema.ts';
import type { StoresAnswer, StoresQuestion } from '../../../model/mocks/stores/stores-question.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { checkedReader } from '../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { scopeFilter, type Scoped, type TrafficScope } from './traffic/traffic-scope.ts';

/** The data plane. */
export interface MockStores {
  /** @returns undefined when it does not answer in time, or has no such mock or session. */
  readonly stores: (asked: StoresQuestion) => Promise<StoresAnswer | undefined>;
}

type Action = StoresQuestion['action'];

const valueBody = Type.Object(
  { value: Type.Unknown({ description: 'JSON. For a merge: the members of the item or object to change.' }) },
  { additionalProperties: false },
);

const storeSchema = Type.Object({
  ...storeRecordSchema.properties,
  value: Type.Unknown({ description: 'Value of the store or item.' }),
});

/** Bytes of a request around its value. */
const FRAME_BYTES = 1_024;

export function mockStoresApi(scopes: readonly TrafficScope[], dataPlane: MockStores): Endpoint[] {
  return scopes.flatMap((scope) => [
    listStores(scope, dataPlane),
    ...(['store', 'item'] as const).flatMap((what) => storeEndpoints(scope, what, dataPlane)),
  ]);
}

function listStores({ kind, path, suffix, refusals, enter }: TrafficScope, dataPlane: MockStores): Endpoint {
  return endpoint({
    method: 'GET',
    path: `${path}/stores`,
    access: 'read',
    doc: {
      operationId: `listStores${suffix}`,
      tag: 'Traffic',
      summary: `List the stores of a ${kind}`,
      answer: Type.Object({ data: Type.Array(storeRecordSchema) }),
      refusals,
    },
    handle: (call) =>
      enter(call, async (scoped) => {
        const answer = await dataPlane.stores(question(scoped, { kind: 'list' }));
        if (answer?.kind !== 'stores') return call.refuse('overloaded');
        const json = JSON.stringify(answer.stores);
        return call.answer(json.length, () => call.succeed(`"data":${json}`));
      }),
  });
}

/** Endpoints of a store, or of an item in it. */
function storeEndpoints(
  { kind, path, suffix, refusals, enter }: TrafficScope,
  what: 'store' | 'item',
  dataPlane: MockStores,
): Endpoint[] {
  const name = what === 'store' ? 'Store' : 'Item';
  const where = `${path}/stores/:name${what === 'item' ? '/:itemId' : ''}`;
  const ofWhat = what === 'store' ? `one of the stores of a ${kind}` : `an item in one of the stores of a ${kind}`;
  const notFound: readonly RefusalKind[] =
    what === 'store' ? [...refusals, 'storeNotFound'] : [...refusals, 'storeNotFound', 'itemNotFound'];
  const writes: readonly RefusalKind[] = [...notFound, 'preconditionFailed'];
  const answer = Type.Object({ data: storeSchema });
  const body: EndpointBody<{ readonly value: unknown }> = {
    schema: valueBody,
    examples: { Value: { value: { id: 7, name: 'Ann' } } },
    bytesMax: STORE_BYTES_MAX + FRAME_BYTES,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(valueBody, 'mockPayloadInvalid'),
  };
  const run = async (call: Call, scoped: Scoped, action: Action): Promise<void> => {
    const given = await dataPlane.stores(question(scoped, action));
    if (given === undefined || given.kind === 'stores') return call.refuse('overloaded');
    if (given.kind === 'refused') return refuseBy(call, given);
    const json = `${JSON.stringify(given.store).slice(0, -1)},"value":${given.value}}`;
    return call.answer(json.length, () => call.succeed(`"data":${json}`));
  };
  const place = (call: Call): { readonly name: string; readonly itemId?: string } => {
    const params = call.params.slice(what === 'item' ? -2 : -1).map((each) => percentDecoded(each));
    const [store = '', itemId] = params;
    return itemId === undefined ? { name: store } : { name: store, itemId };
  };
  const doc = { tag: 'Traffic', answer, untagged: true } as const;
  const changing = (method: 'PUT' | 'PATCH', operation: string, words: string): Endpoint =>
    endpoint({
      method,
      path: where,
      access: 'write',
      doc: {
        ...doc,
        operationId: `${operation}${name}${suffix}`,
        summary: `${words} ${ofWhat}`,
        refusals: [...writes, 'mockPayloadInvalid', 'limitReached'],
      },
      body,
      handle: (call, asked) =>
        enter(call, async (scoped) => {
          if (isRefusal(asked)) return call.refuse(asked);
          const value = JSON.stringify(asked.value ?? null);
          const action = method === 'PUT' ? 'put' : 'merge';
          return run(call, scoped, { kind: action, ...place(call), value, ifMatch: call.head.ifMatch });
        }),
    });
  return [
    endpoint({
      method: 'GET',
      path: where,
      access: 'read',
      doc: { ...doc, operationId: `read${name}${suffix}`, summary: `Read ${ofWhat}`, refusals: notFound },
      handle: (call) => enter(call, (scoped) => run(call, scoped, { kind: 'read', ...place(call) })),
    }),
    changing('PUT', 'replace', what === 'store' ? 'Replace the value of' : 'Replace or add'),
    changing('PATCH', 'merge', 'Change members of'),
    endpoint({
      method: 'DELETE',
      path: where,
      access: 'write',
      doc: {
        ...doc,
        operationId: `${what === 'store' ? 'reset' : 'delete'}${name}${suffix}`,
        summary: what === 'store' ? `Reset ${ofWhat} to its initial value` : `Delete ${ofWhat}`,
        refusals: writes,
      },
      handle: (call) =>
        enter(call, (scoped) => run(call, scoped, { kind: 'remove', ...place(call), ifMatch: call.head.ifMatch })),
    }),
  ];
}

function question(scoped: Scoped, action: Action): StoresQuestion {
  return { mockId: scoped.mock.id, ...scopeFilter(scoped), action };
}

function refuseBy(call: Call, { why, problem }: StoresAnswer & { readonly kind: 'refused' }): void {
  if (why === 'invalid') {
    return call.refuse(
      refuse('mockPayloadInvalid', [{ path: '/value', message: problem ?? 'does not fit into the store' }]),
    );
  }
  if (why === 'full') return call.refuse(refuseLimit(problem ?? 'the store is full', '/value'));
  return call.refuse(why);
}
