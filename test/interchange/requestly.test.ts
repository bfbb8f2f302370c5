/** Files of rules: what Requestly's become, our own file, and that no member of either goes unnoticed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../src/errors.ts';
import { requestlyFormat, writeRequestly } from '../../src/interchange/formats/requestly.ts';
import { writeSwitchyardRules } from '../../src/interchange/formats/switchyard-rules.ts';
import { importRules, type RulesImport } from '../../src/interchange/import-rules.ts';
import { reportOutcomes } from '../../src/interchange/report/report-outcomes.ts';
import type { Report } from '../../src/interchange/report/report.ts';
import { DEFAULT_LIMITS, IMPORT_RECORDS_MAX, REPORT_BYTES_MAX } from '../../src/limits.ts';
import {
  importRules as importCommand,
  type RecordOutcome,
  type RulesImportOptions,
} from '../../src/model/decide-import-rules.ts';
import { emptyOwner, type OwnerState } from '../../src/model/owner-state.ts';
import { contextOn, runOn } from '../support/decide.ts';
import { changesOf } from '../support/imports.ts';
import { runs } from '../support/effort.ts';

const SOURCE = { key: 'Url', operator: 'Contains', value: 'example' };

/** As Requestly's clients write them; of each member one that says something. */
const FILE = [
  {
    createdBy: 'BbW6T55UJMSZ',
    creationDate: 1_674_877_521_855,
    currentOwner: 'BbW6T55UJMSZ',
    description: 'to the development server',
    groupId: 'Group_k3v',
    id: 'Redirect_8fpja',
    isSample: false,
    lastModifiedBy: 'BbW6T55UJMSZ',
    modificationDate: 1_680_711_282_934,
    name: 'App',
    objectType: 'rule',
    pairs: [
      {
        destination: 'http://localhost:3000/app.js',
        destinationType: 'url',
        id: '6ospn',
        source: { ...SOURCE, operator: 'Matches', value: '/https:\\/\\/example.com\\/(.*).js$/i' },
      },
    ],
    preserveCookie: false,
    ruleType: 'Redirect',
    status: 'Inactive',
  },
  {
    id: 'Headers_br050',
    name: 'Test',
    objectType: 'rule',
    ruleType: 'Headers',
    status: 'Inactive',
    version: 1,
    pairs: [
      {
        header: 'abc',
        value: 'abc value',
        type: 'Add',
        target: 'Request',
        source: { ...SOURCE, filters: { requestMethod: ['GET'] } },
        id: 'lussg',
      },
      { header: 'def', type: 'Remove', target: 'Response', source: SOURCE, id: 'lusst' },
    ],
  },
  { id: 'Group_k3v', name: 'Shop', objectType: 'group', status: 'Inactive', isFavourite: true, children: [] },
];

/** Of each member one that is not the default. */
const OWN_FILE = {
  switchyard: 1,
  kind: 'rules',
  rules: [
    {
      id: 'Delay_1',
      name: 'Slow',
      ruleType: 'Delay',
      description: 'a slow network',
      status: 'Inactive',
      groupId: 'Group_1',
      pairs: [
        { id: 'p', source: { ...SOURCE, filters: [{ requestMethod: ['GET'] }] }, delay: 500, more: { deep: [1] } },
      ],
    },
  ],
  groups: [{ id: 'Group_1', name: 'Shop', status: 'Inactive', isFavourite: true }],
};

const OPTIONS: RulesImportOptions = { onConflict: 'duplicate', activate: true, atomic: false };

function read(source: unknown): RulesImport {
  const bytes = Buffer.from(typeof source === 'string' ? source : JSON.stringify(source));
  const found = importRules(bytes, DEFAULT_LIMITS);
  if (isRefusal(found)) throw new Error(found.message);
  if ('details' in found) throw new Error(found.details.map(({ message }) => message).join());
  return found;
}

interface Imported {
  readonly outcomes: readonly RecordOutcome[];
  readonly report: Report;
}

/** Imports into an owner, as its actor does. @throws When it is refused. */
function importInto(state: OwnerState, source: unknown, options: Partial<RulesImportOptions> = {}): Imported {
  const found = read(source);
  const context = contextOn(state, DEFAULT_LIMITS, { date: state.version + 1_000 });
  const outcomes = runOn(state, context, importCommand, { ...OPTIONS, ...options, records: found.records });
  if (typeof outcomes === 'string') throw new Error(outcomes);
  return { outcomes, report: reportOutcomes(found, outcomes) };
}

function stored(source: unknown, options: Partial<RulesImportOptions> = {}): Imported & { state: OwnerState } {
  const state = emptyOwner('team');
  return { state, ...importInto(state, source, options) };
}

const requestlyFile = ({ rules, groups }: OwnerState): string =>
  [...writeRequestly(rules.ordered(), groups.ordered(), 'team')].join('');
const ownFile = ({ rules, groups }: OwnerState): string =>
  [...writeSwitchyardRules(rules.ordered(), groups.ordered())].join('');

const withoutDates = (file: string): string => file.replaceAll(/"(creation|modification)Date": \d+/g, '"$1Date": 0');
const codesOf = ({ report }: Imported): string[] =>
  report.entries.map(({ code, source }) => `${code} ${source.pointer}`);

const MOCK = 'this is a mock file: import it with `switchyard import`, or POST /v1/mocks/import';

describe("Requestly's file", () => {
  test('becomes rules in their groups, with older forms brought up to date', () => {
    const { state, report } = stored(FILE);
    const [group] = state.groups.ordered();
    expect(group).toMatchObject({ name: 'Shop', status: 'Inactive', isFavourite: true });
    const [redirect, headers] = state.rules.ordered();
    expect(redirect).toMatchObject({ name: 'App', description: 'to the development server', groupId: group?.id });
    expect(JSON.parse(redirect?.pairs ?? '')).toEqual(FILE[0]?.pairs);
    expect(JSON.parse(headers?.pairs ?? '')).toEqual([
      {
        id: 'lussg',
        source: { ...SOURCE, filters: [{ requestMethod: ['GET'] }] },
        modifications: { Request: [{ header: 'abc', type: 'Add', value: 'abc value' }] },
      },
      { id: 'lusst', source: SOURCE, modifications: { Response: [{ header: 'def', type: 'Remove' }] } },
    ]);
    expect([report.format, report.detectedBy]).toEqual(['requestly', 'an array with `objectType`']);
    expect(report.entries).toEqual([]);
    expect(report.items).toEqual({
      files: { exact: 1, approximated: 0, dropped: 0 },
      rules: { exact: 2, approximated: 0, dropped: 0 },
      groups: { exact: 1, approximated: 0, dropped: 0 },
    });
  });

  test.each([
    ['groups first', [FILE[2], FILE[0], FILE[1]]],
    ['an object by id', Object.fromEntries(FILE.map((record) => [record.id, record]))],
    ['an object by id alone', Object.fromEntries(FILE.map(({ id, ...record }) => [id, record]))],
    ['a byte order mark', `\ufeff${JSON.stringify(FILE)}`],
    [
      'YAML',
      FILE.map((record) => `- ${JSON.stringify(record)}`)
        .join('\n')
        .replace('- {"createdBy', '-\n  {"createdBy'),
    ],
  ])('is the same as %s', (_name, source) => {
    const { state, report } = stored(source);
    const [group] = state.groups.ordered();
    expect(state.rules.ordered().map(({ name, groupId }) => [name, groupId])).toEqual([
      ['App', group?.id],
      ['Test', ''],
    ]);
    expect(report.entries).toEqual([]);
  });

  const rule = (members: object) => ({
    objectType: 'rule',
    name: 'a',
    ruleType: 'Cancel',
    pairs: [{ source: SOURCE }],
    ...members,
  });

  test.each([
    ['a rule of scripts without any', rule({ id: 'Script_1', ruleType: 'Script' }), 'requestly.no-scripts /0', []],
    [
      'a function that does not exist',
      rule({ ruleType: 'Redirect', pairs: [{ source: SOURCE, destination: 'https://b.example/rq_hash($1)' }] }),
      'requestly.function /0/pairs',
      ['a'],
    ],
    [
      'a function where none is called',
      rule({ ruleType: 'UserAgent', pairs: [{ source: SOURCE, userAgent: 'mine/rq_rand(4)' }] }),
      'requestly.function /0/pairs',
      ['a'],
    ],
    ['a rule of a group elsewhere', rule({ groupId: 'Group_x' }), 'rules.ungrouped /0', ['a']],
    ['an unknown member', rule({ colour: 'red' }), 'import.unknown /0/colour', ['a']],
    ['a member of another type', rule({ creationDate: 'today' }), 'import.unknown /0/creationDate', ['a']],
    ['a rule without a name', rule({ name: ' ' }), 'rules.refused /0', []],
    ['a pair without a source', rule({ pairs: [{}] }), 'rules.refused /0', []],
    [
      'a pattern that does not compile',
      rule({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '(' } }] }),
      'rules.refused /0',
      [],
    ],
    [
      'a heavy pattern that does not compile',
      rule({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '/\\p{X}/u' } }] }),
      'rules.refused /0',
      [],
    ],
    [
      'a redirect that sends cookies along',
      rule({
        ruleType: 'Redirect',
        preserveCookie: true,
        pairs: [{ source: SOURCE, destination: 'https://b.example' }],
      }),
      'requestly.cookies /0/preserveCookie',
      ['a'],
    ],
    [
      'a pattern that the engine cannot express',
      rule({ pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '(?=a)b' } }] }),
      'rules.pattern /0',
      ['a'],
    ],
    ['a name that objects do not have', rule({ pairs: [JSON.parse('{"__proto__":1}')] }), 'rules.refused /0', []],
    ['a record of another kind', { objectType: 'mock', id: 'x' }, 'requestly.record /0', []],
    ['no record', 7, 'requestly.record /0', []],
  ])('%s is reported', (_name, record, expected, names) => {
    const imported = stored([record, rule({ name: 'b' })]);
    expect(codesOf(imported)).toEqual([expected]);
    expect(imported.state.rules.ordered().map(({ name }) => name)).toEqual([...names, 'b']);
  });

  test('members that its clients write in every file are no news', () => {
    const written = {
      schemaVersion: '3.0.0',
      extensionRules: [{ action: { type: 'block' } }],
      createdBy: null,
      lastModifiedBy: null,
      currentOwner: null,
      creationDate: 1,
      modificationDate: 1,
      lastModified: 1,
      createdAt: 1,
      updatedAt: 1,
      updatedBy: 'u',
      isSample: false,
      isFavourite: false,
      isReadOnly: true,
      isModHeaderImport: true,
      isCharlesImport: true,
      preserveCookie: null,
      removeCSPHeader: true,
      description: '',
      groupId: '',
      version: 2,
    };
    const groups = { objectType: 'group', id: 'Group_1', name: 'g', children: [], description: '', isReadOnly: true };
    const { report } = stored([
      rule(written),
      { ...groups, schemaVersion: '3.0.0', createdFromSession: true, sessionId: 's' },
    ]);
    expect(report.entries).toEqual([]);
  });

  test('a Response rule that serves a file becomes a Redirect to it', () => {
    const { state, report } = stored([
      rule({
        id: 'Response_1',
        ruleType: 'Response',
        pairs: [
          { id: 'p', source: SOURCE, response: { type: 'local_file', value: '/srv/a b#1.json', statusCode: '' } },
        ],
      }),
    ]);
    const [redirect] = state.rules.ordered();
    expect(redirect).toMatchObject({ id: 'Redirect_1', ruleType: 'Redirect' });
    expect(JSON.parse(redirect?.pairs ?? '')).toEqual([
      { id: 'p', source: SOURCE, destinationType: 'map_local', destination: 'file:///srv/a%20b%231.json' },
    ]);
    expect(report.entries).toMatchObject([{ code: 'requestly.local-file', level: 'approximated', name: 'a' }]);
  });

  test('a Script rule becomes a program, and drops the policy where it says so', () => {
    const scripts = [{ codeType: 'js', type: 'code', value: 'go()', loadTime: 'afterPageLoad' }];
    const script = (removeCSPHeader: boolean) =>
      rule({ id: 'Script_1', ruleType: 'Script', removeCSPHeader, pairs: [{ id: 'p', source: SOURCE, scripts }] });
    const kept = stored([script(false)]);
    expect(kept.state.rules.ordered().map(({ id }) => id)).toEqual(['Response_1']);
    const dropped = stored([script(true)]);
    const [response, headers] = dropped.state.rules.ordered();
    expect([response?.id, headers?.id, headers?.name]).toEqual([
      'Response_1',
      'Headers_1',
      'a (no Content-Security-Policy)',
    ]);
    expect(JSON.parse(headers?.pairs ?? '')).toMatchObject([
      {
        source: SOURCE,
        modifications: {
          Response: [
            { header: 'content-security-policy', type: 'Remove' },
            { header: 'content-security-policy-report-only', type: 'Remove' },
          ],
        },
      },
    ]);
    expect(dropped.report.entries).toMatchObject([{ code: 'requestly.script', name: 'a' }]);
    // Once more: the same rules.
    const again = importInto(dropped.state, [script(true)], { onConflict: 'overwrite' });
    expect(again.outcomes.map(({ result }) => result)).toEqual(['overwritten', 'overwritten']);
  });

  test('ids are kept where they are free, so that a second import finds what the first made', () => {
    const file = [rule({ id: 'Cancel_a', groupId: 'Group_g' }), { objectType: 'group', id: 'Group_g', name: 'g' }];
    const { state, outcomes, report } = stored(file, { activate: false });
    expect(outcomes.map(({ id }) => id)).toEqual(['Cancel_a', 'Group_g']);
    expect(report.entries).toEqual([]);
    const second = importInto(state, file, { onConflict: 'overwrite', activate: true });
    expect(second.outcomes.map(({ result }) => result)).toEqual(['overwritten', 'overwritten']);
    expect(state.rules.ordered().map(({ id, status }) => [id, status])).toEqual([['Cancel_a', 'Active']]);
    const third = importInto(state, file, { onConflict: 'duplicate' });
    expect(third.outcomes.some(({ id }) => id === 'Cancel_a' || id === 'Group_g')).toBe(false);
    // Another type or form than ids have here.
    const odd = stored([
      rule({ id: 'Delay_a' }),
      rule({ id: 'x y' }),
      rule({ id: 'Cancel_a' }),
      rule({ id: 'Cancel_a' }),
    ]);
    expect(odd.state.rules.ordered().map(({ id }) => id)).toEqual([
      expect.stringMatching(/^Cancel_\w{20}$/),
      expect.stringMatching(/^Cancel_\w{20}$/),
      'Cancel_a',
      expect.stringMatching(/^Cancel_\w{20}$/),
    ]);
    expect(codesOf(odd)).toEqual(['rules.new-id /0', 'rules.new-id /1']);
  });

  test('a redirect of older clients says where it leads by its destination', () => {
    const pairs = ['https://b.example', 'file:///tmp/a.js'].map((destination) => ({ source: SOURCE, destination }));
    const { state } = stored([rule({ ruleType: 'Redirect', pairs })]);
    const types = (JSON.parse(state.rules.ordered()[0]?.pairs ?? '') as { destinationType: string }[]).map(
      ({ destinationType }) => destinationType,
    );
    expect(types).toEqual(['url', 'map_local']);
  });

  test('members of pairs that nobody knows are kept', () => {
    const pair = { id: 'p', source: { ...SOURCE, page: { deep: [1] } }, note: null };
    const { state, report } = stored([rule({ pairs: [pair] })]);
    expect(JSON.parse(state.rules.ordered()[0]?.pairs ?? '')).toEqual([pair]);
    expect(report.entries).toEqual([]);
  });

  test.each([
    ['text that is not JSON', '[{"a":}]', 'not valid JSON: expected a value (line 1, column 7: [{"a":}])'],
    ['one record alone', JSON.stringify(FILE[0]), 'nearly requestly (a single record: put it into an array)'],
    [
      'an array of other objects',
      '[{"a":1}]',
      'nearly requestly (no element has the `objectType` "rule" or "group"; rules of the API: `{"switchyard": 1, "kind": "rules", "rules": […]}`)',
    ],
    ['rules without a head', '{"rules":[]}', 'nearly switchyard (add `"switchyard": 1` and `"kind": "rules"`)'],
    ['a mock', '{"switchyard":1,"kind":"mock"}', MOCK],
    ['a recording', '{"log":{"entries":[]}}', MOCK],
    ['a file of another kind', '{"switchyard":1,"kind":"a"}', 'nearly switchyard (`kind` must be "rules" for rules)'],
    ['something else', '{"a":1}', 'unknown format; supported are switchyard, requestly'],
  ])('%s is refused with its reason', (_name, text, expected) => {
    expect(importRules(Buffer.from(text), DEFAULT_LIMITS)).toMatchObject({ details: [{ message: expected }] });
  });

  test.each([
    ['Requestly', FILE],
    ['our own', OWN_FILE],
  ])(
    'each member of %s file that is deleted, renamed or of another type changes what is stored, or the report',
    (_name, file) => {
      const comparable = (source: unknown): string => {
        const found = importRules(Buffer.from(JSON.stringify(source)), DEFAULT_LIMITS);
        if (isRefusal(found) || 'details' in found) return 'refused';
        const { state, report } = stored(source, { onConflict: 'overwrite' });
        const { rules, groups } = state;
        const names = new Map(groups.ordered().map(({ id, name }) => [id, name]));
        return JSON.stringify([
          rules
            .ordered()
            .map((each) => [
              each.id,
              each.name,
              each.description,
              each.ruleType,
              each.status,
              names.get(each.groupId),
              each.pairs,
            ]),
          groups.ordered().map(({ id, name, status, isFavourite }) => [id, name, status, isFavourite]),
          report,
        ]);
      };
      const before = comparable(file);
      // Pairs without an id get one that is random: it differs at any rate.
      let compared = 0;
      for (const { change, pointer, source } of changesOf(file)) {
        compared++;
        expect(comparable(source), `${change} ${pointer}`).not.toBe(before);
      }
      expect(compared).toBeGreaterThan(60);
    },
  );
});

const texts = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.toWellFormed());
const sources = fc.record({
  key: fc.constantFrom('Url', 'host', 'Path'),
  operator: fc.constantFrom('Equals', 'Contains', 'Wildcard_Matches'),
  value: texts,
});
const filters = fc.option(
  fc.oneof(fc.constantFrom(null, {}, []), fc.record({ requestMethod: fc.array(fc.constantFrom('GET', 'PUT')) })),
  { nil: undefined },
);
const withFilters = fc
  .tuple(sources, filters)
  .map(([source, given]) => (given === undefined ? source : { ...source, filters: given }));
const modification = fc.record({ header: texts, type: fc.constantFrom('Add', 'Modify'), value: texts });
const pairsOf: Record<string, fc.Arbitrary<object>> = {
  Cancel: fc.record({ source: withFilters }),
  Redirect: fc.record({
    source: withFilters,
    destinationType: fc.constantFrom('url', 'map_local'),
    destination: texts,
  }),
  Headers: fc.record({
    source: withFilters,
    modifications: fc.oneof(
      fc.array(modification, { minLength: 1, maxLength: 2 }),
      fc.record({ Request: fc.array(modification, { minLength: 1, maxLength: 2 }), Response: fc.constant([]) }),
    ),
  }),
  Delay: fc.record({
    source: withFilters,
    delay: fc.oneof(fc.nat(), fc.nat().map(String)),
    other: fc.jsonValue({ maxDepth: 2 }),
  }),
};
const records = fc.array(
  fc.oneof(
    fc.constantFrom(...Object.keys(pairsOf)).chain((ruleType) =>
      fc.record({
        objectType: fc.constant('rule'),
        ruleType: fc.constant(ruleType),
        name: texts.map((text) => `n${text}`),
        description: texts,
        status: fc.constantFrom('Active', 'Inactive'),
        groupId: fc.constantFrom('', 'Group_1', 'Group_2'),
        pairs: fc.array(pairsOf[ruleType] as fc.Arbitrary<object>, { minLength: 1, maxLength: 3 }),
      }),
    ),
    fc.record({
      objectType: fc.constant('group'),
      id: fc.constantFrom('Group_1', 'Group_2'),
      name: texts.map((text) => `g${text}`),
      status: fc.constantFrom('Active', 'Inactive'),
      isFavourite: fc.boolean(),
    }),
  ),
  { maxLength: 6 },
);

describe('an export', () => {
  test.each([
    ['requestly', requestlyFile],
    ['switchyard', ownFile],
  ])('as %s is imported over what was exported, and exported again as it was', (format, write) => {
    let compared = 0;
    fc.assert(
      fc.property(records, (file) => {
        const { state } = stored(file);
        const before = write(state);
        expect(JSON.stringify(JSON.parse(before), undefined, 2).trimEnd()).toBe(before.trimEnd());
        const again = importInto(state, before, { onConflict: 'overwrite', activate: false });
        expect(withoutDates(write(state))).toBe(withoutDates(before));
        // A source at random may be one that no request matches.
        const entries = again.report.entries.filter(({ code }) => code !== 'rules.pattern');
        expect([again.report.format, entries]).toEqual([format, []]);
        expect(again.outcomes.every(({ result }) => result === 'overwritten')).toBe(true);
        compared += again.outcomes.length;
      }),
      { numRuns: runs(100) },
    );
    expect(compared).toBeGreaterThan(runs(100));
  });

  test('our own file has a fixed order, and neither defaults nor dates', () => {
    const { state } = stored([
      { objectType: 'group', id: 'Group_1', name: 'Shop', isFavourite: true },
      {
        objectType: 'rule',
        status: 'Inactive',
        groupId: 'Group_1',
        ruleType: 'Delay',
        name: 'Slow',
        pairs: [{ id: 'p', delay: 5, source: SOURCE }],
      },
      { objectType: 'rule', ruleType: 'Cancel', name: 'Off', pairs: [{ id: 'p', source: SOURCE }] },
    ]);
    const [slow, off] = state.rules.ordered();
    const [group] = state.groups.ordered();
    expect(ownFile(state)).toBe(
      `${JSON.stringify(
        {
          switchyard: 1,
          kind: 'rules',
          rules: [
            {
              id: slow?.id,
              name: 'Slow',
              ruleType: 'Delay',
              status: 'Inactive',
              groupId: group?.id,
              pairs: [{ id: 'p', delay: 5, source: SOURCE }],
            },
            { id: off?.id, name: 'Off', ruleType: 'Cancel', pairs: [{ id: 'p', source: SOURCE }] },
          ],
          groups: [{ id: group?.id, name: 'Shop', isFavourite: true }],
        },
        undefined,
        2,
      )}\n`,
    );
  });

  test('of nothing is imported as nothing', () => {
    const { state, report } = stored(requestlyFile(emptyOwner('team')));
    expect([state.rules.count, report.entries]).toEqual([0, []]);
    expect(requestlyFormat.detect([])).toMatchObject({ detectedBy: 'an empty array' });
    expect(stored(ownFile(emptyOwner('team'))).state.rules.count).toBe(0);
  });
});

describe('an import is bounded', () => {
  const cancel = { objectType: 'rule', name: 'a', ruleType: 'Cancel', pairs: [{ source: SOURCE }] };

  // reaches IMPORT_RECORDS_MAX
  test('in records', () => {
    const bytes = Buffer.from(JSON.stringify(Array.from({ length: IMPORT_RECORDS_MAX + 1 }, () => cancel)));
    expect(importRules(bytes, DEFAULT_LIMITS)).toMatchObject({
      kind: 'limitReached',
      reason: '5000 rules and groups per import',
    });
  });

  test('in bytes of all records that aliases stand for', () => {
    const value = 'x'.repeat(900_000);
    const first = `- &a {objectType: rule, name: a, ruleType: Response, pairs: [{type: static, value: ${value}}]}\n`;
    const { records: found } = read(`${first}${'- *a\n'.repeat(14)}`);
    expect(found.filter((record) => 'draft' in record)).toHaveLength(11);
    expect(found.at(-1)).toMatchObject({ refused: { kind: 'limitReached' } });
  });

  test('in bytes of one record, which POST refuses too', () => {
    const large = { ...cancel, ruleType: 'Response', pairs: [{ type: 'static', value: 'x'.repeat(1_000_000) }] };
    expect(read([large, cancel]).records.map((record) => 'draft' in record)).toEqual([false, true]);
  });

  test('in entries about what the owner has: a thousand, and what is dropped rather than what is approximated', () => {
    const state = emptyOwner('team');
    const own = importInto(state, [{ ...cancel, ruleType: 'Delay', pairs: [{ source: SOURCE, delay: 1 }] }]);
    expect(own.outcomes).toMatchObject([{ result: 'created' }]);
    const unknown = Array.from({ length: 1_200 }, (_, index) => ({ ...cancel, id: `cancel ${index}` }));
    const otherType = { ...cancel, id: own.outcomes[0]?.id };
    const { report } = importInto(state, [...unknown, otherType], { onConflict: 'overwrite' });
    expect([report.entries.length, report.truncated]).toEqual([1_000, true]);
    expect(report.entries.at(-1)).toMatchObject({ code: 'rules.refused', source: { pointer: '/1200' } });
    expect(report.items.rules).toEqual({ exact: 0, approximated: 1_200, dropped: 1 });
  });

  test('in bytes of entries about what the owner has', () => {
    const entries = Array.from({ length: 100 }, (_, index) => ['x'.repeat(5_000) + index, cancel]);
    const { report } = stored(Object.fromEntries(entries), { onConflict: 'skip' });
    expect(report.truncated).toBe(true);
    expect(JSON.stringify(report.entries).length).toBeLessThan(205_000);
    expect(report.items.rules).toEqual({ exact: 0, approximated: 100, dropped: 0 });
  });

  test('in details about records that are refused', () => {
    const refused = Array.from({ length: 4_000 }, () => ({ ...cancel, pairs: [{}] }));
    const { records: found } = read(refused);
    expect(found).toHaveLength(4_000);
    const details = found.flatMap((record) => ('refused' in record ? record.refused.details : []));
    expect(details.length).toBeGreaterThan(1_000);
    expect(JSON.stringify(details).length).toBeLessThan(REPORT_BYTES_MAX);
  });
});
