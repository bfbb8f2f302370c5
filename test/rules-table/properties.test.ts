/** What holds for any rules on any exchange. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RULE_TYPES, type RuleType } from '../../src/model/record-id.ts';
import { compileRule, type CompiledRule } from '../../src/rules-table/compile-rule.ts';
import { evaluate, evaluateRequest, evaluateResponse, type Exchange } from '../../src/rules-table/evaluate.ts';
import type { HeaderLine } from '../../src/rules-table/header-list.ts';
import type { Evaluation } from '../../src/rules-table/outcome.ts';
import { OVERLAID_VERSION } from '../../src/model/gateway/session.ts';
import { rulesReadingBody } from '../../src/rules-table/needs-body.ts';
import { overlaid } from '../../src/rules-table/rule-overlay.ts';
import { editTable, everyRule, tableOf, type FindCandidates } from '../../src/rules-table/rule-table.ts';
import { compiled, stored, type GivenPair } from '../support/rules-table.ts';
import { runs } from '../support/effort.ts';

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    '/',
    '*',
    'a.test',
    'b',
    '?',
    '%',
    '$1',
    '&',
    '=',
    '\r\n',
    '\0',
    'é',
    '\ud800',
    'http://a.test/',
    'http://*',
    '(.)',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const name = fc.constantFrom(
  'x-a',
  'X-A',
  'host',
  'Content-Length',
  'transfer-encoding',
  'accept',
  'etag',
  'b c',
  '',
  'set-cookie',
  'proxy-x',
);
const source = fc.record({
  key: fc.constantFrom('Url', 'host', 'PATH'),
  operator: fc.constantFrom('Equals', 'Contains', 'Wildcard_Matches', 'Matches'),
  value: fc.constantFrom('', 'a', 'a.test', '*', 'http*', '.', '(a)', '/A/i', 'http://a.test', '(?=a)'),
  filters: fc.constantFrom(undefined, null, {}, { requestMethod: ['GET', 'post'] }, [
    { requestPayload: { key: 'a', value: '1' } },
  ]),
});
const headerModification = fc.record({
  header: fc.oneof(name, text),
  type: fc.constantFrom('Add', 'Remove', 'Modify'),
  value: text,
});
const MEMBERS: Readonly<Record<RuleType, fc.Arbitrary<GivenPair>>> = {
  Redirect: fc.record({
    destinationType: fc.constantFrom('url', 'map_local'),
    destination: fc.oneof(
      text,
      text.map((end) => `http://b.test/${end}`),
    ),
  }),
  Cancel: fc.constant({}),
  Replace: fc.record({ from: fc.oneof(text, fc.constantFrom('/a/', '/(.)/g', '/x*/g', '/^/', '/\\//')), to: text }),
  Headers: fc.record({
    modifications: fc.oneof(
      fc.array(headerModification, { minLength: 1, maxLength: 4 }),
      fc.record({
        Request: fc.array(headerModification, { minLength: 1, maxLength: 3 }),
        Response: fc.array(headerModification, { maxLength: 3 }),
      }),
    ),
  }),
  UserAgent: fc.record({ userAgent: text }),
  QueryParam: fc.record({
    modifications: fc.array(
      fc.record({
        param: text,
        type: fc.constantFrom('Add', 'Remove', 'Remove All'),
        value: text,
        actionWhenParamExists: fc.constantFrom(undefined, 'Overwrite', 'Ignore'),
      }),
      { maxLength: 3 },
    ),
  }),
  Request: fc.record({ type: fc.constantFrom('static', 'code'), value: text }),
  Response: fc.record({
    response: fc.record({
      type: fc.constantFrom('static', 'code'),
      value: text,
      statusCode: fc.constantFrom(undefined, '', 201, '204', '304', 99, 'x'),
      statusText: fc.option(text),
      serveWithoutRequest: fc.boolean(),
    }),
  }),
  Delay: fc.record({ delay: fc.constantFrom(0, 5, '70', '99999999') }),
};

const rule: fc.Arbitrary<CompiledRule> = fc
  .constantFrom(...RULE_TYPES.filter((type) => type !== 'Cancel'), 'Cancel' as const)
  .chain((ruleType) =>
    fc.tuple(fc.constant(ruleType), fc.array(fc.tuple(source, MEMBERS[ruleType]), { minLength: 1, maxLength: 3 })),
  )
  .map(([ruleType, pairs]) =>
    compiled(
      ruleType,
      pairs.map(([from, members]) => ({ source: from, ...members })),
    ),
  );

const line = fc.record({
  name: fc.constantFrom('host', 'Accept', 'x-a', 'set-cookie', 'content-type', 'origin', 'etag'),
  value: fc.constantFrom('a.test', 'x', '1'),
});
const message = {
  headers: fc.uniqueArray(line, { selector: (each) => each.name, maxLength: 4 }),
  body: fc.option(
    fc.constantFrom('{"a":1}', 'x', '').map((each) => Buffer.from(each)),
    { nil: undefined },
  ),
};
const exchange: fc.Arbitrary<Exchange> = fc.record({
  request: fc.record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS'),
    url: fc.constantFrom(
      'http://a.test/',
      'https://a.test:81/a/%zz?a=1&&b',
      'http://x.test?a#f',
      'http://a.test/a//../x y',
    ),
    ...message,
  }),
  response: fc.option(
    fc.oneof(fc.record({ status: fc.constantFrom(200, 204, 404), ...message }), fc.constant({ failed: true } as const)),
    { nil: undefined },
  ),
});
const mode = fc.constantFrom('redirect' as const, 'rewrite' as const);

function answerOf(rules: readonly CompiledRule[], asked: Exchange, input = {}): Evaluation {
  const answer = evaluate(tableOf(rules), withLength(asked), { details: 'applied', random: () => 0.3, ...input });
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

/** As a message comes that has a body. */
function withLength(asked: Exchange): Exchange {
  const { request } = asked;
  if (request.body === undefined) return asked;
  const length = { name: 'Content-Length', value: `${request.body.length}` };
  return { ...asked, request: { ...request, headers: [...request.headers, length] } };
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t -~\u0080-\uffff]*$/;
const URL_TEXT = /^https?:\/\/[^/?#]+\/[!#-;=?-~]*$/;

function expectWellFormed(headers: readonly HeaderLine[], body: Buffer | undefined): void {
  for (const { name: header, value } of headers) {
    expect(header).toMatch(TOKEN);
    expect(value).toMatch(VALUE);
  }
  const lengths = headers.filter(({ name: header }) => header.toLowerCase() === 'content-length');
  expect(lengths.length).toBeLessThanOrEqual(1);
  if (body !== undefined) for (const { value } of lengths) expect(value).toBe(`${body.length}`);
  expect(headers.filter(({ name: header }) => /^(host|content-type|etag)$/i.test(header)).length).toBeLessThanOrEqual(
    3,
  );
}

test('any rules on any exchange give a well-formed message', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), exchange, mode, (rules, asked, by) => {
      const { request, response, location, steps, delayMs, skippedCount } = answerOf(rules, asked, { mode: by });
      expectWellFormed(request.headers, request.body);
      if (request.url !== asked.request.url) expect(request.url).toMatch(URL_TEXT);
      if (location !== null) expect(location).toMatch(URL_TEXT);
      if (response !== null) {
        expectWellFormed(response.headers, response.body);
        expect(response.status).toBeGreaterThanOrEqual(200);
        expect(response.status).toBeLessThan(1_000);
        expect(response.statusText ?? '').toMatch(VALUE);
      }
      expect(delayMs).toBeLessThanOrEqual(10_000);
      expect(new Set(steps.map(({ ruleId }) => ruleId)).size).toBeLessThanOrEqual(rules.length);
      expect(skippedCount).toBeGreaterThanOrEqual(rules.length - new Set(steps.map(({ ruleId }) => ruleId)).size);
    }),
    { numRuns: runs(500) },
  );
});

test('what no rule touches is unchanged', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), exchange, mode, (rules, asked, by) => {
      const answer = answerOf(rules, asked, { mode: by });
      const touched = new Set(answer.steps.flatMap(({ phase }) => phase));
      const given = withLength(asked).request;
      if (!touched.has('url')) expect(answer.request.url).toBe(given.url);
      if (!touched.has('requestBody')) expect(answer.request.body).toBe(given.body);
      if (!['url', 'requestHeaders', 'requestBody'].some((phase) => touched.has(phase as 'url'))) {
        expect(answer.request.headers).toEqual(given.headers);
      }
      if (answer.steps.length === 0 && asked.response !== undefined && !('failed' in asked.response)) {
        expect(answer.response).toEqual(asked.response);
      }
    }),
    { numRuns: runs(300) },
  );
});

test('two evaluations agree: with details or without, in halves or at once, by an index or by the loop', () => {
  /** Leaves out what has another host, and gives another list each time. */
  const index: FindCandidates = (table, url) =>
    everyRule(table, url).filter(({ pairs }) =>
      pairs.some(({ source: from }) => from?.compared !== 'a.test' || url.text.includes('a.test')),
    );
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), exchange, mode, (rules, asked, by) => {
      const input = { mode: by, random: () => 0.3 };
      const { skipped: _, skippedCount: __, ...whole } = answerOf(rules, asked, input);
      const table = tableOf(rules);
      const given = withLength(asked);
      expect(evaluate(table, given, input)).toMatchObject(whole);
      expect(evaluate(table, given, { ...input, find: index })).toMatchObject(whole);
      const half = evaluateRequest(table, given.request, input);
      expect(typeof half === 'string' ? half : evaluateResponse(half, given.response)).toMatchObject(whole);
    }),
    { numRuns: runs(300) },
  );
});

test('a session over a table is as a table with its changes: by the loop, by an index, and of what reads bodies', () => {
  const inactive = new Set(['off']);
  const state = fc.record({ status: fc.constantFrom('Active', 'Inactive'), groupId: fc.constantFrom('', 'off') });
  const change = fc.constantFrom('none', 'disabled', 'enabled');
  const base = fc.array(fc.tuple(rule, state, change), { maxLength: 6 });
  fc.assert(
    fc.property(base, fc.array(rule, { maxLength: 3 }), exchange, mode, (given, own, asked, by) => {
      const stands = given.map(([each, is]) => ({ ...each, ...is }));
      const idsOf = (wanted: string) => new Set(given.flatMap(([{ id }, , how]) => (how === wanted ? [id] : [])));
      const added = own.map((each, index) => ({ ...each, createdVersion: OVERLAID_VERSION + index }));
      const changes = {
        none: {},
        disabled: { status: 'Inactive' },
        enabled: { status: 'Active', groupId: '' },
      } as const;
      const anew = tableOf(
        [...given.map(([each, is, how]) => ({ ...each, ...is, ...changes[how] })), ...added],
        inactive,
      );
      const overlay = { disabled: idsOf('disabled'), enabled: idsOf('enabled'), added };
      const input = { mode: by, random: () => 0.3, details: 'applied' } as const;
      const asks = withLength(asked);
      const expected = evaluate(anew, asks, input);
      // An index gives another list each time.
      for (const search of [everyRule, (...args: Parameters<FindCandidates>) => [...everyRule(...args)]]) {
        const { table, find } = overlaid(tableOf(stands, inactive), search, overlay);
        expect(evaluate(table, asks, { ...input, find })).toEqual(expected);
        const reading = rulesReadingBody(table, asks.request, find).map(({ id }) => id);
        expect(reading).toEqual(rulesReadingBody(anew, asks.request, everyRule).map(({ id }) => id));
      }
    }),
    { numRuns: runs(300) },
  );
});

test('drafts and stored rules agree, and a table that was edited is the one that is made anew', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 12 }), (ids) => {
      let table = tableOf([]);
      const kept = new Map<string, CompiledRule>();
      for (const id of ids) {
        const isThere = kept.has(id);
        const edited = compileRule({ ...stored('Delay', [{ delay: 1 }]), id });
        if (isThere) kept.delete(id);
        else kept.set(id, edited);
        table = editTable(table, isThere ? { removedIds: [id] } : { put: [edited] });
      }
      expect(table.rules).toEqual(tableOf([...kept.values()]).rules);
    }),
  );
});
