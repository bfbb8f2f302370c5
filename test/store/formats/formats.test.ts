/**
 * Stores of every supported format open, show the same as before, and can be written. record-format.ts recorded them. All others are refused,
 * and stay as they are.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { open } from 'lmdb';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Auth } from '../../../src/http/admission/auth.ts';
import { mockJson } from '../../../src/http/api/mocks/replies.ts';
import { ABLE } from '../../../src/model/rule-abilities.ts';
import { listedGroupJson, RuleViews } from '../../../src/http/api/represent.ts';
import { readGatewaySettings, type ShownGateway } from '../../../src/model/gateway/decide-settings.ts';
import type { MockDefinition, PublishedMock } from '../../../src/model/mocks/definition/definition.ts';
import { definitionOf, type RouteRevision } from '../../../src/model/mocks/mock.ts';
import { encodeFields, fieldsOf } from '../../../src/store/codec/value-format.ts';
import { OLDEST_FORMAT, STORE_FORMAT, unreadableFormat } from '../../../src/store/store-format.ts';
import { assertReadable } from '../../../src/store/check/inspection.ts';
import { LmdbStore, STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { DamageError } from '../../../src/store/store.ts';
import { askMock } from '../../support/ask-mock.ts';
import { commit, rule, write } from '../../support/commits.ts';
import { run } from '../../support/process.ts';
import { readOwner } from '../../support/read-owner.ts';
import { rulePayload } from '../../support/samples.ts';
import { madeHere, reseal } from '../../support/snapshots.ts';
import { temporaryDirectory, TestServer } from '../../support/server.ts';

const FORMATS = Array.from({ length: STORE_FORMAT - OLDEST_FORMAT + 1 }, (_, index) => OLDEST_FORMAT + index);

const ALPHA = { keyId: 'k', ownerId: 'alpha', userId: 'ann', role: 'editor' } as const;

/** A copy of a recorded store, and what the API showed of it. */
function recorded(format: number) {
  const folder = join(import.meta.dirname, String(format));
  const data = temporaryDirectory();
  copyFileSync(join(folder, STORE_FILE), join(data, STORE_FILE));
  const { keys, owners } = JSON.parse(readFileSync(join(folder, 'shown.json'), 'utf8'));
  return { data, keys, owners };
}

test.each(FORMATS)('format %i has been recorded', (format) => {
  expect(existsSync(join(import.meta.dirname, String(format), STORE_FILE)), 'run record-format.ts').toBe(true);
});

describe.each(FORMATS)('a store of format %i', (format) => {
  test('is read as it was written, and accepts writes', async () => {
    const { data, keys, owners } = recorded(format);
    await assertReadable(join(data, STORE_FILE), true);
    const store = LmdbStore.open(data, { historyRetentionDays: 36_500 });
    expect(store.initialised).toBe(true);
    for (const ownerId of ['alpha', 'beta']) expect(await shownOwner(store, ownerId)).toMatchObject(owners[ownerId]);

    const auth = new Auth(store.keys, Date.now);
    const holderOf = (name: string) => auth.authenticate(keys[name]);
    expect(holderOf('ann')).toMatchObject({ ownerId: 'alpha', userId: 'ann', role: 'editor' });
    expect(holderOf('viewer')).toMatchObject({ ownerId: 'alpha', userId: 'vic', role: 'viewer' });
    expect(holderOf('ben')).toMatchObject({ ownerId: 'beta', userId: 'ben', role: 'editor' });
    expect([holderOf('revoked'), holderOf('expired')]).toEqual([undefined, undefined]);
    expect(holderOf('lasting')).toMatchObject({ ownerId: 'alpha', userId: 'eve' });
    expect(holderOf('admin')).toMatchObject({ ownerId: 'alpha', role: 'admin' });
    expect([...store.keys.quotas()]).toEqual([['beta', { groupsPerOwnerMax: 7 }]]);
    auth.stop();

    const { state } = await store.loadOwner('alpha');
    const history = store.history('alpha', 0, 1_000);
    expect(history.map(({ version }) => version)).toEqual(Array.from(history, (_, index) => index + 1));
    expect(history).toHaveLength(state.version);
    expect(history[0]).toMatchObject({ userId: 'ann', command: 'group.create' });
    const [{ mock }] = owners.alpha.mocks;
    const { definition } = store.publishedMock(mock.id) as PublishedMock;
    expect(definition.settings.forced).toBe(true);
    expect(definition).toMatchObject(definitionIn(owners.alpha.mocks[0].definitions[0]));

    const added = rule(state.version + 1, { id: 'Cancel_added' });
    await write(store, commit(state.version, [{ kind: 'putRule', rule: added, isNew: true }], { principal: ALPHA }));
    await store.markServed();
    await store.close();
    const again = LmdbStore.open(data);
    const { rules, ...rest } = await shownOwner(again, 'alpha');
    expect({ rules: rules.slice(0, -1), ...rest }).toMatchObject(owners.alpha);
    expect(rules.at(-1)).toMatchObject({ id: 'Cancel_added' });
    await again.close();
    expect(await formatOf(data)).toBe(STORE_FORMAT);
  });
});

describe.each(FORMATS)('a service on format %i', (format) => {
  test('shows what was shown, serves its mocks, and accepts writes', async () => {
    const { data, keys, owners } = recorded(format);
    // As recorded, or of a time when code that a server does not run looked like any other.
    const server = await TestServer.start(['--history-days', '36500', '--rule-code'], data);
    expect(server.stdout, 'no first key on a store that has been used').not.toContain('sy_');

    expect(await readOwner(server, keys.ann)).toMatchObject(owners.alpha);
    expect(await readOwner(server, keys.viewer)).toMatchObject(owners.alpha);
    expect(await readOwner(server, keys.ben)).toMatchObject(owners.beta);
    expect((await server.request('GET', '/v1/rules', { key: keys.revoked })).status).toBe(401);
    expect((await server.request('POST', '/v1/rules', { key: keys.viewer, body: rulePayload() })).status).toBe(401);

    expect(await readOwner(server, keys.lasting)).toMatchObject(owners.alpha);
    expect((await server.request('GET', '/v1/rules', { key: keys.expired })).status).toBe(401);

    const { data: history, nextBefore } = (await server.request('GET', '/v1/history?pageSize=75', { key: keys.ann }))
      .json;
    expect(nextBefore).toBe(null);
    expect(history.length).toBeGreaterThan(30);
    const versions = history.map(({ version }: { version: number }) => version);
    expect(versions).toEqual(versions.map((_: number, index: number) => versions.length - index));
    expect(history.at(-1)).toMatchObject({ user: 'ann', command: 'group.create', recordCount: 1 });

    const [{ mock }] = owners.alpha.mocks;
    expect((await askMock(server.mockPort, '/changed', { mock: mock.id })).text).toBe('second');
    const path = `/v1/mocks/${mock.id}`;
    for (const of of ['staged', 'versions/1']) {
      const { settings } = (await server.request('GET', `${path}/${of}`, { key: keys.ann })).json.data;
      expect(settings.forced, of).toBe(true);
    }

    const written = await server.request('POST', '/v1/rules', { key: keys.ann, body: rulePayload() });
    expect(written.status).toBe(200);
    const saved = await server.request('POST', `/v1/mocks/${mock.id}/save`, { key: keys.ann });
    expect(saved.json.data).toMatchObject({ version: 4, hasStagedChanges: false });
    const after = await readOwner(server, keys.ann);
    await server.restart('SIGKILL');
    expect(await readOwner(server, keys.ann)).toEqual(after);
    await server.end();
    expect(await formatOf(data)).toBe(STORE_FORMAT);
  });
});

describe('a store of another format is refused in one line, which says what to do, and stays as it is:', () => {
  const BEFORE = OLDEST_FORMAT - 1;
  const NEXT = STORE_FORMAT + 1;

  test.each([
    [
      1,
      /has format 1, of a build before 0\.2\.0: .*`export`, `rules export`, `import` and `rules import`.*docs\/upgrading\.md/,
    ],
    [BEFORE, new RegExp(`has format ${BEFORE}, of a build before 0\\.2\\.0: `)],
    [NEXT, new RegExp(`has format ${NEXT}, .*use a newer Switchyard`)],
  ])('format %i', async (format, why) => {
    const { data } = recorded(STORE_FORMAT);
    const snapshot = await madeHere(data);
    const env = open({ path: join(data, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
    await env.openDB<number, string>({ name: 'meta', encoding: 'msgpack' }).put('format', format);
    // A table that this version does not know is no damage of such a store.
    await env.openDB({ name: 'another', encoding: 'msgpack' }).put('a', 1);
    await env.close();
    reseal(join(data, snapshot), { storeFormat: format });
    const before = readFileSync(join(data, STORE_FILE));
    const restored = join(temporaryDirectory(), 'restored');
    for (const args of [
      ['serve', '--data', data, '--port', '0', '--mock-port', '0'],
      ['check', '--data', data],
      ['keys', 'list', '--data', data],
      ['snapshot', 'create', '--data', data],
      ['snapshot', 'restore', snapshot, '--data', data, '--to', restored],
    ]) {
      const { status, stdout, stderr } = await run(args);
      expect({ args, status, stdout, stderr }).toEqual({
        args,
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(why),
      });
      expect(stderr).toMatch(/^error: [^\n]+\n$/);
    }
    expect(existsSync(restored)).toBe(false);
    expect(readFileSync(join(data, STORE_FILE)).equals(before)).toBe(true);
  });

  test('formats from the oldest that is supported to the own one are read', () => {
    const refused = [11, 12, 13, 14, 15].filter((format) => unreadableFormat(format, 12, 14) !== undefined);
    expect(refused).toEqual([11, 15]);
    // Of a store that was never served.
    expect(unreadableFormat(0, 12, 14)).toBe(undefined);
    expect(unreadableFormat(NaN, 12, 14)).toMatch(/damaged.*snapshot restore/);
  });
});

test('a value of an older format is read, one of a newer format is not', () => {
  const older = encodeFields([1, 'first'], 'name');
  expect(fieldsOf(older, 2, 'name')).toEqual([1, 'first']);
  expect(fieldsOf(encodeFields([2, 'first', 'added'], 'name'), 2, 'name')).toEqual([2, 'first', 'added']);
  expect(() => fieldsOf(encodeFields([3, 'first'], 'name'), 2, 'name')).toThrow(DamageError);
});

/** What the API shows of an owner, from what is stored: as read-owner.ts asks a service for it. */
async function shownOwner(store: LmdbStore, ownerId: string) {
  const { state } = await store.loadOwner(ownerId);
  const { rules, groups, mocks, tallies } = state;
  const { record, missingMocks } = readGatewaySettings.answer(state, undefined, {} as never) as ShownGateway;
  const parsed = (json: string) => JSON.parse(json);
  return {
    rules: rules.ordered().map((each) => parsed(new RuleViews(ABLE).listed(tallies.showRule(each), ownerId))),
    groups: groups.ordered().map((each) => parsed(listedGroupJson(tallies.showGroup(each), ownerId))),
    mocks: mocks.ordered().map((each) => {
      const versions = each.versions.toReversed().map(({ number: version, savedAt, savedBy, settings, revisions }) => {
        const routes = store.routeRevisions(ownerId, each.createdVersion, revisions) as RouteRevision[];
        return { version, savedAt, savedBy, routeCount: routes.length, ...definitionOf({ settings, routes }) };
      });
      return {
        mock: parsed(mockJson(each, ownerId, (id) => ({ url: `http://${id}.localhost:PORT` }))),
        staged: definitionOf(each.staged),
        versions: versions.map(({ settings: _settings, routes: _routes, ...version }) => version),
        definitions: versions,
      };
    }),
    gateway: { ...record.settings, missingMocks },
  };
}

function definitionIn({ settings, routes }: MockDefinition): MockDefinition {
  return { settings, routes };
}

async function formatOf(data: string): Promise<unknown> {
  const env = open({ path: join(data, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  const format = env.openDB<number, string>({ name: 'meta', encoding: 'msgpack' }).get('format');
  await env.close();
  return format;
}
