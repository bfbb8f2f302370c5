/** The members of callbacks in one order, as in behaviour-order.ts. Absent ones stay absent. */
import { inOrder, orderedLatency } from '../behaviour/latency-order.ts';
import { fillCondition } from '../definition/condition-payload.ts';
import type { Callback, CallbackSignature, MockResponse } from '../definition/definition.ts';

const CALLBACK = [
  'name',
  'url',
  'method',
  'headers',
  'body',
  'bodyEncoding',
  'templated',
  'delay',
  'timeoutMs',
  'repeat',
  'when',
  'retry',
  'sign',
];
const RETRY = ['max', 'backoffMs'];
const SIGNATURE = ['scheme', 'secret', 'header', 'value', 'algorithm', 'encoding', 'payload', 'break'];

/** @returns Nothing for none: an empty list is not a member. */
export function filledCallbacks({ callbacks = [] }: Partial<MockResponse>): Pick<MockResponse, 'callbacks'> {
  return callbacks.length === 0 ? {} : { callbacks: callbacks.map(filled) };
}

function filled(given: Callback): Callback {
  const { headers, delay, when, retry, sign } = given;
  return inOrder<Callback>(
    {
      ...given,
      ...(headers === undefined ? {} : { headers: headers.map(({ name, value }) => ({ name, value })) }),
      ...(delay === undefined ? {} : { delay: orderedLatency(delay) }),
      ...(when === undefined ? {} : { when: when.map(fillCondition) }),
      ...(retry === undefined ? {} : { retry: inOrder(retry, RETRY) }),
      ...(sign === undefined ? {} : { sign: inOrder<CallbackSignature>(sign, SIGNATURE) }),
    },
    CALLBACK,
  );
}
