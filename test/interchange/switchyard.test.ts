/** Our own file of a mock: what is exported is imported again as it was, and what a person mistypes is reported with its line. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeSwitchyard } from '../../src/interchange/formats/switchyard.ts';
import { importMocks, type MockImport } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { isRefusal } from '../../src/errors.ts';
import { definitionParser } from '../../src/model/mocks/definition/definition-payload.ts';
import type { MockDefinition } from '../../src/model/mocks/definition/definition.ts';
import { isFullEffort, runs } from '../support/effort.ts';

const LIMITS = DEFAULT_LIMITS.mocks;

function imported(text: string): MockImport {
  const found = importMocks([{ path: '', bytes: Buffer.from(text) }], '', {}, LIMITS);
  if ('details' in found) throw new Error(JSON.stringify(found.details));
  return found;
}

const bodies = fc.oneof(
  fc.json().map((text) => ({ body: text })),
  fc.jsonValue().map((value) => ({ body: JSON.stringify(value) })),
  fc.string({ unit: 'grapheme' }).map((body) => ({ body: body.toWellFormed() })),
  fc.uint8Array().map((bytes) => ({ body: Buffer.from(bytes).toString('base64'), bodyEncoding: 'base64' })),
);
const rules = fc.array(
  fc.record(
    {
      target: fc.constantFrom('query', 'header', 'body', 'cookie'),
      property: fc.stringMatching(/^[a-z]{1,5}$/),
      operator: fc.constantFrom('equals', 'contains', 'exists', 'gt'),
      value: fc.stringMatching(/^[0-9]{1,3}$/),
      invert: fc.boolean(),
    },
    { requiredKeys: ['target', 'property', 'operator', 'value'] },
  ),
  { maxLength: 2 },
);
const responses = fc
  .tuple(
    fc.record(
      {
        label: fc.string(),
        status: fc.integer({ min: 200, max: 599 }),
        latency: fc.oneof(
          fc.integer({ min: 0, max: 1_000 }),
          fc.constant({ min: 1, max: 5 }),
          fc.constant({ deviation: 2, mean: 9 }),
          fc.constant({ sigma: 1, median: 7 }),
        ),
        default: fc.boolean(),
        rulesOperator: fc.constantFrom('AND', 'OR'),
        weight: fc.integer({ min: 1, max: 9 }),
        headers: fc.array(
          fc.record({ name: fc.constantFrom('x-a', 'Content-Type'), value: fc.stringMatching(/^[ -~]{0,9}$/) }),
        ),
        rules,
        fault: fc.constantFrom({ kind: 'reset' }, { first: 2, status: 503, kind: 'status', body: '{}' }),
        delivery: fc.constantFrom({ chunks: 3, overMs: 9 }, { bytesPerSecond: 100 }),
        scenario: fc.constantFrom({ name: 'a' }, [{ name: 'a' }]),
      },
      { requiredKeys: [] },
    ),
    bodies,
  )
  .map(([one, body]) => ({ ...one, ...body }));
const definitions = fc.record(
  {
    settings: fc.record(
      {
        cors: fc.boolean(),
        forced: fc.boolean(),
        seed: fc.option(fc.integer()),
        precedence: fc.constantFrom('specific', 'listed'),
        faults: fc.constantFrom([], [{ kind: 'hang', ms: 5 }]),
        rateLimit: fc.constantFrom({ requests: 1, perMs: 1 }, { by: 'header:x-a', burst: 3, perMs: 7, requests: 2 }),
        scenarios: fc.constant([{ name: 'a', states: ['b'] }]),
        sessions: fc.constant('auto'),
        debugHeaders: fc.boolean(),
      },
      // Responses name one.
      { requiredKeys: ['scenarios'] },
    ),
    routes: fc.array(
      fc.record(
        {
          method: fc.constantFrom('GET', 'POST', 'ANY'),
          path: fc.constantFrom('/', '/a/:id', '/a/:id?', '/files/*'),
          description: fc.string(),
          enabled: fc.boolean(),
          selection: fc.constantFrom('rules', 'sequential', 'random', 'default'),
          responses: fc.array(responses, { minLength: 1, maxLength: 3 }),
        },
        { requiredKeys: ['method', 'path', 'responses'] },
      ),
      { maxLength: 3 },
    ),
  },
  { requiredKeys: ['settings', 'routes'] },
);

describe('a mock as our own file', () => {
  test('an id of another form gives way to a new one, and the route stays', () => {
    const routes = [{ id: 'get-users', method: 'GET', path: '/a', responses: [{ id: '', body: 'A' }] }];
    const { mocks, report } = imported(JSON.stringify({ switchyard: 2, kind: 'mock', name: 'm', routes }));
    const [route] = mocks[0]?.definition.routes ?? [];
    expect(route).toMatchObject({ id: /^[a-z0-9]{10}$/.exec(route?.id ?? '')?.[0], responses: [{ body: 'A' }] });
    expect(report.entries.map(({ code, source }) => `${code} ${source.pointer}`)).toEqual([
      'import.id /routes/0/id',
      'import.id /routes/0/responses/0/id',
    ]);
  });

  test('is imported as it was exported, and written again as it was', () => {
    const parser = definitionParser(LIMITS);
    let compared = 0;
    fc.assert(
      fc.property(definitions, fc.stringMatching(/^[a-z ]{1,9}$/), fc.string(), (payload, name, description) => {
        const definition = parser.definition(payload);
        if (isRefusal(definition)) return;
        compared++;
        const file = writeSwitchyard({ name, description: description.toWellFormed(), definition });
        const { mocks, report } = imported(file);
        expect(mocks).toEqual([{ name, description: description.toWellFormed(), definition }]);
        expect(report.entries).toEqual([]);
        expect(writeSwitchyard(mocks[0] as { name: string; description: string; definition: MockDefinition })).toBe(
          file,
        );
      }),
      { numRuns: runs(200) },
    );
    expect(compared).toBeGreaterThan(isFullEffort ? 50 : 0);
  });

  test('leaves defaults out and writes JSON bodies as JSON', () => {
    const definition = definitionParser(LIMITS).definition({
      routes: [{ id: 'r1', method: 'GET', path: '/a', responses: [{ id: 's1', body: '{"a":[1,2]}' }] }],
    });
    if (isRefusal(definition)) throw new Error(definition.message);
    expect(JSON.parse(writeSwitchyard({ name: 'Shop', description: '', definition }))).toEqual({
      switchyard: 2,
      kind: 'mock',
      name: 'Shop',
      routes: [{ id: 'r1', method: 'GET', path: '/a', responses: [{ id: 's1', bodyJson: { a: [1, 2] } }] }],
    });
  });

  test.each([
    [1, '/a/x-%3Ab/%3Ac'],
    [2, '/a/x-:b/%3Ac'],
  ])('of version %i has the path %s', (switchyard, path) => {
    const routes = [
      { method: 'GET', path: '/a/x-:b/%3Ac', responses: [{}] },
      { method: 'GET', path: '/a-:b', pathKind: 'regex', responses: [{}] },
    ];
    const { mocks, report } = imported(JSON.stringify({ switchyard, kind: 'mock', name: 'a', routes }));
    expect(mocks[0]?.definition.routes.map((each) => each.path)).toEqual([path, '/a-:b']);
    expect([report.version, report.detectedBy]).toEqual([
      String(switchyard),
      `\`switchyard: ${switchyard}\` with \`kind: "mock"\``,
    ]);
    expect(report.items.routes).toEqual({ exact: 2, approximated: 0, dropped: 0 });
  });

  test('a version that is not known is told', () => {
    expect(() => imported('{"switchyard": 3, "kind": "mock"}')).toThrow(
      '`switchyard` is 3: supported are versions 1 and 2',
    );
  });

  test('a member that is not known is reported with its line, and what the model refuses is left out alone', () => {
    const text = `switchyard: 1
kind: mock
name: Shop
routes:
  - method: GET
    path: /a
    colour: red
    responses:
      - body: one
      - status: 99
  - method: GET
    path: a/:b
    responses:
      - body: two
`;
    const { mocks, report } = imported(text);
    expect(mocks[0]?.definition.routes.map(({ path, responses: kept }) => [path, kept.length])).toEqual([['/a', 1]]);
    expect(report.entries.map(({ code, level, source }) => [code, level, source.pointer, source.line])).toEqual([
      ['import.refused', 'dropped', '/routes/0/responses/1', 10],
      ['import.refused', 'dropped', '/routes/1', 11],
      ['import.unknown', 'approximated', '/routes/0/colour', 7],
    ]);
    expect(report.items).toEqual({
      mocks: { exact: 1, approximated: 0, dropped: 0 },
      routes: { exact: 0, approximated: 1, dropped: 1 },
      responses: { exact: 1, approximated: 0, dropped: 2 },
    });
  });

  test('members that are not known are refused where they are, also within optional ones', () => {
    const routeOf = (response: object) => ({ method: 'GET', path: '/', responses: [response, {}] });
    const fileOf = (given: object) => JSON.stringify({ switchyard: 1, kind: 'mock', name: 'a', ...given });
    const routes = [{ fault: { kind: 'reset', when: 1 } }, { delivery: { late: 1 } }, { scenario: { nam: 'x' } }];
    const { report } = imported(fileOf({ routes: routes.map(routeOf) }));
    expect(report.entries.map(({ code, source, message }) => [code, source.pointer, message])).toEqual([
      ['import.refused', '/routes/0/responses/0', expect.stringContaining('/fault/when')],
      ['import.refused', '/routes/1/responses/0', expect.stringContaining('/delivery/late')],
      ['import.refused', '/routes/2/responses/0', expect.stringContaining('/scenario')],
    ]);
    expect(() => imported(fileOf({ settings: { rateLimit: { requests: 1, perMs: 1, per: 2 } } }))).toThrow(
      '/settings/rateLimit/per',
    );
  });

  // reaches REPORT_ENTRIES_MAX
  test('a report lists a thousand entries, and counts all', () => {
    const routes = Array.from({ length: 1_500 }, () => ({ method: 'GET', path: '/', responses: [{ status: 99 }] }));
    const { report } = imported(JSON.stringify({ switchyard: 1, kind: 'mock', name: 'a', routes }));
    expect([report.entries.length, report.truncated]).toEqual([1_000, true]);
    expect(report.items.responses).toEqual({ exact: 0, approximated: 0, dropped: 1_500 });
  });

  // reaches REPORT_BYTES_MAX
  test('a report lists 200 kB of entries', () => {
    const unknown = Object.fromEntries(Array.from({ length: 100 }, (_, index) => ['x'.repeat(5_000) + index, 1]));
    const { report } = imported(JSON.stringify({ switchyard: 1, kind: 'mock', name: 'a', ...unknown }));
    expect(report.truncated).toBe(true);
    expect(JSON.stringify(report.entries).length).toBeLessThan(205_000);
  });
});
