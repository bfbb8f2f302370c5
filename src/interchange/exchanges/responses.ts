/** Adds to the responses of an imported route the members beside their replies: ids that stay the same, and which one is the default. */
import type { ReadResponse } from '../format.ts';
import { stableId } from '../stable-id.ts';

/** Where each response has rules, a successful one answers what was not recorded. */
export function withDefault(responses: readonly ReadResponse[]): readonly ReadResponse[] {
  if (responses.some(({ rules = [] }) => rules.length === 0)) return responses;
  const index = responses.findIndex(({ status = 200 }) => status < 300);
  return responses.map((response, at) => (at === index ? { ...response, default: true } : response));
}

/** Derived from what a person distinguishes responses by; where that is the same, from their order. */
export function withIds(responses: readonly ReadResponse[]): readonly ReadResponse[] {
  const counts = new Map<string, number>();
  return responses.map((response) => {
    const { status, label = '' } = response;
    const name = JSON.stringify([status, label]);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...response, id: stableId('s', name, String(count)) };
  });
}
