/** The order of checks (docs/api.md). Who may do what, route by route, is test/prove/proofs/isolation.ts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { RULE_TYPES } from '../../src/model/record-id.ts';
import { rulePayload, SAMPLES, SOURCE } from '../support/samples.ts';
import type { TestServer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

/** More than the other tests make. */
const RULES_MAX = 20;

const { server, owner } = await useOwnServer(['--rules-max', String(RULES_MAX)]);
let editor: string;
let viewer: string;
/** Paths of a rule of the editor's owner, and of another owner's. */
let own: string;
let foreign: string;

beforeAll(async () => {
  editor = await server.key(owner, 'ann');
  viewer = await server.key(owner, 'vic', 'viewer');
  const make = async (key: string): Promise<string> =>
    `/v1/rules/${(await server.request('POST', '/v1/rules', { key, body: rulePayload() })).json.data.id}`;
  own = await make(editor);
  foreign = await make(await server.key(newOwner(), 'gus'));
});

describe('the order of checks:', () => {
  const refused = async (method: string, path: string, options: Parameters<TestServer['request']>[2]) => {
    const { status, json } = await server.request(method, path, options);
    return [status, json.message];
  };
  const big = 'x'.repeat(1_100_000);

  test('route before method before key', async () => {
    expect(await refused('POST', '/v1/nothing', {})).toEqual([404, 'Not found']);
    expect(await refused('POST', '/v1/rules/Cancel_x', {})).toEqual([405, 'Method not allowed']);
    expect(await refused('GET', '/v1/rules/Cancel_x', {})).toEqual([401, 'Unauthorized action']);
  });

  test('key and role before the id', async () => {
    expect(await refused('PUT', '/v1/groups/x', { key: viewer, body: {} })).toEqual([401, 'Unauthorized action']);
  });

  test('the record before the body', async () => {
    expect(await refused('PUT', '/v1/rules/Cancel_0000', { key: editor, body: big })).toEqual([404, 'Rule not found']);
    expect(await refused('PUT', foreign, { key: editor, body: 'no json' })).toEqual([401, 'Unauthorized action']);
    const typed = { key: editor, body: 'x', headers: { 'content-type': 'text/plain' } };
    expect(await refused('PUT', '/v1/groups/Group_0000', typed)).toEqual([404, 'Group not found']);
  });

  test('size, type, JSON, object, rule type, payload, pairs, group, precondition', async () => {
    const put = (body: unknown, headers = {}) =>
      refused('PUT', own, { key: editor, body, headers: { 'if-match': '"no"', ...headers } });
    expect(await put(big)).toEqual([413, 'Payload too large']);
    expect(await put('no json', { 'content-type': 'text/plain' })).toEqual([415, 'Unsupported media type']);
    expect(await put('no json')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put('[]')).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ ruleType: 'Delay' })).toEqual([405, 'Rule Type update not allowed']);
    expect(await put({ ruleType: 'Cancel', pairs: [] })).toEqual([400, 'Rule Payload is invalid']);
    expect(await put({ name: 'n', ruleType: 'Cancel', pairs: [], groupId: 'Group_0' })).toEqual([
      400,
      'Rule pairs are invalid',
    ]);
    expect(await put(rulePayload('Cancel', { groupId: 'Group_0' }))).toEqual([404, 'Group not found']);
    expect(await put(rulePayload())).toEqual([412, 'Precondition failed']);
  });

  const longName = { name: 'x'.repeat(1_001) };
  const source = { key: 'Url', operator: 'Matches', value: 'x' };
  const longPair = { source: { ...source, value: '('.repeat(10_001) } };
  const noGroup = { groupId: 'Group_0' };

  test.each([
    ['payload', { ...longName, description: 5, pairs: [{}] }, [400, 'Rule Payload is invalid']],
    ['pairs, the name too long', { ...longName, pairs: [] }, [400, 'Rule pairs are invalid']],
    [
      'pairs, one too long',
      { pairs: [longPair, { source: { ...source, value: '(' } }] },
      [400, 'Rule pairs are invalid'],
    ],
    [
      'pairs, too many',
      { pairs: [...Array.from({ length: 1_000 }, () => ({ source })), {}] },
      [400, 'Rule pairs are invalid'],
    ],
    ['the name', { ...longName, pairs: [longPair], ...noGroup }, [403, 'Limit reached: name of 1000 characters']],
    ['a pair', { pairs: [longPair], ...noGroup }, [403, 'Limit reached: text of 10000 characters']],
    [
      'the count of pairs',
      { pairs: Array.from({ length: 1_001 }, () => ({ source })), ...noGroup },
      [403, 'Limit reached: 1000 pairs per rule'],
    ],
    ['the group', noGroup, [404, 'Group not found']],
  ])('payload, pairs, limits, group: %s', async (_what, change, expected) => {
    const body = rulePayload('Cancel', change);
    expect(await refused('PUT', own, { key: editor, body })).toEqual(expected);
    expect(await refused('POST', '/v1/rules', { key: editor, body })).toEqual(expected);
  });

  test('a fault behind more texts that are too long than details name', async () => {
    const long = { header: 'h', type: 'Add', value: 'x'.repeat(10_001) };
    const pair = (modifications: object[]) => ({ source, modifications });
    const send = (modifications: object[]) =>
      refused('POST', '/v1/rules', {
        key: editor,
        body: { name: 'n', ruleType: 'Headers', pairs: [pair(modifications)] },
      });
    const many = Array.from({ length: 20 }, () => long);
    expect(await send(many)).toEqual([403, 'Limit reached: text of 10000 characters']);
    expect(await send([...many, { header: 'h', type: 'Set' }])).toEqual([400, 'Rule pairs are invalid']);
  });

  /** Every value of a pair with one of its texts too long, whether that is refused or not. */
  function* tooLong(value: unknown): Generator {
    if (typeof value === 'string') yield '1'.repeat(10_001);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      for (const long of tooLong(member)) {
        yield Array.isArray(value) ? value.with(Number(name), long) : { ...value, [name]: long };
      }
    }
  }

  type Pair = { readonly source: typeof SOURCE };

  /** In either order of the members. */
  const FAULTS: readonly ((pair: Pair) => Pair)[] = [
    ({ source: from, ...rest }) => ({ source: { ...from, key: 'Nowhere' }, ...rest }),
    ({ source: from, ...rest }) => ({ ...rest, source: { ...from, key: 'Nowhere' } }),
  ];
  /** For a source that is not too long itself: such a pattern is not compiled. */
  const PATTERN_FAULTS: typeof FAULTS = [
    ({ source: from, ...rest }) => ({ source: { ...from, operator: 'Matches', value: '(' }, ...rest }),
    ({ source: from, ...rest }) => ({ ...rest, source: { ...from, operator: 'Matches', value: '(' } }),
  ];

  test.each(RULE_TYPES)('a fault before a limit, within one pair: %s', async (ruleType) => {
    const send = (pair: unknown) =>
      refused('POST', '/v1/rules', { key: editor, body: rulePayload(ruleType, { ...noGroup, pairs: [pair] }) });
    let limits = 0;
    for (const { pair } of SAMPLES.filter((sample) => sample.ruleType === ruleType)) {
      for (const long of tooLong({ ...pair, source: SOURCE }) as Generator<Pair>) {
        const [status, message] = await send(long);
        if (status !== 403) continue;
        expect(message).toBe('Limit reached: text of 10000 characters');
        limits++;
        const faults = long.source.value === SOURCE.value ? [...FAULTS, ...PATTERN_FAULTS] : FAULTS;
        for (const spoil of faults) expect(await send(spoil(long))).toEqual([400, 'Rule pairs are invalid']);
      }
    }
    expect(limits).toBeGreaterThan(1);
  });

  test('the count of rules before the group', async () => {
    const key = await server.key('full', 'ann');
    const send = async (body: object) => (await server.request('POST', '/v1/rules', { key, body })).json.message;
    for (let made = 0; made < RULES_MAX; made++) await send(rulePayload());
    expect(await send(rulePayload('Cancel', noGroup))).toBe(`Limit reached: ${RULES_MAX} rules per owner`);
    expect(await send(rulePayload('Cancel', { ...noGroup, pairs: [] }))).toBe('Rule pairs are invalid');
  });
});
