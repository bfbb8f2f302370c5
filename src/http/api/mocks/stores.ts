/** The live stores of a mock, or of one of its sessions: listed, read, set, reset. docs/mocks-stores.md, "Stores". They are of the data plane's memory. */
import { percentDecoded } from '../../../base/percent.ts';
import { refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import { STORE_BYTES_MAX } from '../../../limits.ts';
import { storeRecordSchema } from '../../../model/mocks/stores/store-schema.ts';
import type { StoresAnswer, StoresQuestion } from '../../../model/mocks/stores/stores-question.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { checkedBody } from '../../checked-reader.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operationsOf } from '../operation.ts';
import { scopeFilter, type TrafficSubject, type TrafficScope } from './traffic/traffic-scope.ts';

/** The data plane. */
export interface MockStores {
  /** @returns undefined when it does not answer in time, or has no such mock or session. */
  readonly stores: (asked: StoresQuestion) => Promise<StoresAnswer | undefined>;
}

type Action = StoresQuestion['action'];

/** Action on a store or item, without its name. */
interface Act {
  readonly kind: 'read' | 'put' | 'merge' | 'remove';
  readonly value?: string;
  readonly ifMatch?: string | undefined;
}

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

const body = checkedBody(valueBody, 'mockPayloadInvalid', STORE_BYTES_MAX + FRAME_BYTES, {
  Value: { value: { id: 7, name: 'Ann' } },
});

export function mockStoresApi(scopes: readonly TrafficScope[], dataPlane: MockStores): Endpoint[] {
  return scopes.flatMap((scope) => [
    operationsOf('Traffic', scope)('listStores', 'GET /stores', {
      summary: `List the stores of a ${scope.kind}`,
      list: storeRecordSchema,
      async run(_call, { found }) {
        const answer = await dataPlane.stores(question(found, { kind: 'list' }));
        return answer?.kind === 'stores' ? answer.stores : refuse('overloaded');
      },
    }),
    ...(['Store', 'Item'] as const).flatMap((what) => storeOperations(scope, what, dataPlane)),
  ]);
}

/** Operations of a store, or of an item in it. */
function storeOperations(scope: TrafficScope, what: 'Store' | 'Item', dataPlane: MockStores): Endpoint[] {
  const operation = operationsOf('Traffic', scope);
  const isItem = what === 'Item';
  const at = isItem ? '/stores/:name/:itemId' : '/stores/:name';
  const one = `${isItem ? 'an item in one' : 'one'} of the stores of a ${scope.kind}`;
  const run = async (call: Call, found: TrafficSubject, action: Act): Promise<Refusal | void> => {
    const [name = '', itemId] = call.params.slice(isItem ? -2 : -1).map((each) => percentDecoded(each));
    const of = itemId === undefined ? { name } : { name, itemId };
    const given = await dataPlane.stores(question(found, { ...action, ...of }));
    if (given === undefined || given.kind === 'stores') return refuse('overloaded');
    if (given.kind === 'refused') return refusalFor(given);
    const json = `${JSON.stringify(given.store).slice(0, -1)},"value":${given.value}}`;
    return call.answer(json.length, () => call.succeed(`"data":${json}`));
  };
  const change = (id: string, kind: 'put' | 'merge', words: string): Endpoint =>
    operation(id + what, `${kind === 'put' ? 'PUT' : 'PATCH'} ${at}`, {
      summary: `${words} ${one}`,
      data: storeSchema,
      conditional: true,
      body,
      run: (call, { found, body: { value = null } }) =>
        run(call, found, { kind, value: JSON.stringify(value), ifMatch: call.head.ifMatch }),
    });
  return [
    operation(`read${what}`, `GET ${at}`, {
      summary: `Read ${one}`,
      data: storeSchema,
      run: (call, { found }) => run(call, found, { kind: 'read' }),
    }),
    change('replace', 'put', isItem ? 'Replace or add' : 'Replace the value of'),
    change('merge', 'merge', 'Change members of'),
    operation(isItem ? 'deleteItem' : 'resetStore', `DELETE ${at}`, {
      summary: isItem ? `Delete ${one}` : `Reset ${one} to its initial value`,
      data: storeSchema,
      conditional: true,
      run: (call, { found }) => run(call, found, { kind: 'remove', ifMatch: call.head.ifMatch }),
    }),
  ];
}

function question(scoped: TrafficSubject, action: Action): StoresQuestion {
  return { mockId: scoped.mock.id, ...scopeFilter(scoped), action };
}

function refusalFor({ why, problem }: StoresAnswer & { readonly kind: 'refused' }): Refusal {
  if (why === 'invalid')
    return refuse('mockPayloadInvalid', [{ path: '/value', message: problem ?? 'does not fit into the store' }]);
  return why === 'full' ? refuseLimit(problem ?? 'the store is full', '/value') : refuse(why);
}
