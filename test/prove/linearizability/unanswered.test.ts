/** What is made of unanswered writes changes no verdict: random histories of a register, against the check of all they are. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkHistory, type Model, type Operation } from './check-history.ts';
import { sighted, type Sights } from './unanswered.ts';

type Call = { readonly kind: 'write' | 'read'; readonly value: number };

const register: Model<number, Call> = {
  initial: 0,
  keyOf: String,
  isHarmless: ({ kind }) => kind === 'read',
  after: (state, { kind, value }) => (kind === 'write' ? value : state === value ? state : undefined),
};
const sights: Sights<Call> = {
  written: ({ kind, value }) => (kind === 'write' ? String(value) : undefined),
  shown: ({ value }) => [String(value)],
};

/** Each write has a value of its own: its place among the operations, from 1. Reads draw from these. */
const histories = fc
  .array(
    fc.record({ isRead: fc.boolean(), reads: fc.nat(7), from: fc.nat(40), ms: fc.nat(20), isUnknown: fc.boolean() }),
    {
      maxLength: 7,
    },
  )
  .map((drawn) => {
    const at = drawn
      .flatMap(({ from, ms }, index) => [
        { at: from, name: `${index} begins` },
        { at: from + ms + 0.5, name: `${index} ends` },
      ])
      .toSorted((a, b) => a.at - b.at)
      .map(({ name }) => name);
    return drawn.map(({ isRead, reads, isUnknown }, index): Operation<Call> => {
      const certain = isRead || !isUnknown;
      return {
        call: isRead ? { kind: 'read', value: reads } : { kind: 'write', value: index + 1 },
        invoked: at.indexOf(`${index} begins`),
        returned: certain ? at.indexOf(`${index} ends`) : at.length,
        certain,
      };
    });
  });

test('histories have the same verdict, and those without unseen writes none that is better', () => {
  const count = { held: 0, failed: 0, seen: 0, unseen: 0 };
  fc.assert(
    fc.property(histories, (operations) => {
      const { linearizable } = checkHistory(register, operations);
      const { seen, withoutUnseen } = sighted(operations, sights);
      expect(checkHistory(register, seen).linearizable).toBe(linearizable);
      if (checkHistory(register, withoutUnseen).linearizable) expect(linearizable).toBe(true);
      count[linearizable ? 'held' : 'failed']++;
      count.seen += seen.filter(({ certain }, index) => certain && operations[index]?.certain === false).length;
      count.unseen += seen.length - withoutUnseen.length;
    }),
    { numRuns: 5_000 },
  );
  for (const each of Object.values(count)) expect(each).toBeGreaterThan(200);
});
