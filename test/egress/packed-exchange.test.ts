/** An exchange that is kept is read as it was: numbers, texts of any kind, and the members that few exchanges have. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KeptExchanges } from '../../src/egress/live-rules/kept-exchanges.ts';
import { packExchange, type GivenExchange } from '../../src/egress/live-rules/packed-exchange.ts';
import { SecretKey } from '../../src/egress/recording/secrets.ts';

/** Too short for a credential, with what separates texts elsewhere. */
const text = fc.string({
  unit: fc.constantFrom('a', 'B', '7', ' ', '"', '\\', '\0', '\n', 'é', '‖', '😀', ''),
  maxLength: 6,
});
const line = fc.record({ name: fc.constantFrom('accept', 'X-A', 'etag', 'Vary'), value: text });
const change = fc.record({
  what: fc.constantFrom('body', 'status'),
  before: fc.option(text),
  after: fc.option(text),
});
const step = fc.record({
  ruleId: fc.constantFrom('one', 'two', ''),
  name: text,
  phase: fc.constantFrom('url', 'response'),
  pairId: text,
  changed: fc.array(change, { maxLength: 3 }),
});
const ms = fc.double({ min: 0, max: 1e6, noNaN: true });
const rare = fc.record(
  {
    problem: fc.constant('timeout'),
    attached: text,
    ended: fc.constant('client'),
    session: fc.constant('s1'),
    sessionLabel: text,
    sessionMadeAt: fc.nat(),
    upstreamMs: ms,
    reason: text,
    recording: fc.nat(),
  },
  { requiredKeys: [] },
);
const exchange = fc.record({
  time: fc.nat(),
  user: text,
  method: text,
  url: fc.constantFrom('http://a.test/', 'https://b.test:8443/a?b=1'),
  status: fc.nat(599),
  outcome: fc.constantFrom('forward', 'served', 'failed'),
  ms,
  requestHeaders: fc.array(line, { maxLength: 4 }),
  statusText: text,
  responseHeaders: fc.array(line, { maxLength: 4 }),
  location: fc.option(fc.constant('http://c.test/')),
  delayMs: fc.nat(),
  steps: fc.array(step, { maxLength: 3 }),
  skipped: fc.array(fc.record({ ruleId: text, reason: fc.constant('noChange') }), { maxLength: 2 }),
  version: fc.nat(),
});
/** Lines of the upstream: so many are those that the answer begins with. */
const upstream = fc.option(
  fc.record({ status: fc.nat(599), same: fc.nat(4), others: fc.array(line, { maxLength: 2 }) }),
);

test('each is read as it was given', () => {
  const secrets = new SecretKey().of({});
  const kept = new KeptExchanges();
  let number = 0;
  fc.assert(
    fc.property(exchange, rare, upstream, fc.option(ms), (common, members, answered, totalMs) => {
      const { responseHeaders, steps } = common;
      const given = {
        ...common,
        ...members,
        ruleIds: [...new Set(steps.map(({ ruleId }) => ruleId))],
        ...(answered !== null && {
          upstream: {
            status: answered.status,
            headers: [...responseHeaders.slice(0, answered.same), ...answered.others],
          },
        }),
      } as GivenExchange;
      number++;
      const noteTotal = kept.push(packExchange(given, { number }, secrets), { ...given, number });
      if (totalMs !== null) noteTotal(totalMs);
      const { written: _, ...record } = given;
      expect(kept.read(number)).toEqual({ ...record, number, ...(totalMs !== null && { totalMs }) });
    }),
  );
  for (let each = 1; each <= number; each++) expect(kept.read(each)?.number).toBe(each);
});
