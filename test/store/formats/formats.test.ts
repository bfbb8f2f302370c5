/**
 * Stores of every released format open, show the same as before, and can be written. record-format.ts recorded them.
 */
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { open } from 'lmdb';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STORE_FORMAT } from '../../../src/store/codec/value-format.ts';
import { STORE_FILE } from '../../../src/store/lmdb-store.ts';
import { askMock } from '../../support/ask-mock.ts';
import { readOwner } from '../../support/read-owner.ts';
import { rulePayload } from '../../support/samples.ts';
import { temporaryDirectory, TestServer } from '../../support/server.ts';

const FORMATS = Array.from({ length: STORE_FORMAT }, (_, index) => index + 1);

/** The recorded mock has the setting where the format does; else it gets its default. */
const FORCED_SINCE = 4;

/** Keys may end; those of older formats never do. */
const KEYS_END_SINCE = 5;

describe.each(FORMATS)('format %i', (format) => {
  const folder = join(import.meta.dirname, String(format));

  test('has been recorded', () => {
    expect(existsSync(join(folder, 'switchyard.mdb')), 'run record-format.ts').toBe(true);
  });

  test('is read as it was written, serves its mocks, and accepts writes', async () => {
    const { keys, owners } = JSON.parse(readFileSync(join(folder, 'shown.json'), 'utf8'));
    const data = temporaryDirectory();
    copyFileSync(join(folder, 'switchyard.mdb'), join(data, 'switchyard.mdb'));
    const server = await TestServer.start(['--history-days', '36500'], data);
    expect(server.stdout, 'no first key on a store that has been used').not.toContain('sy_');

    expect(await readOwner(server, keys.ann)).toMatchObject(owners.alpha);
    expect(await readOwner(server, keys.viewer)).toMatchObject(owners.alpha);
    expect(await readOwner(server, keys.ben)).toMatchObject(owners.beta);
    expect((await server.request('GET', '/v1/rules', { key: keys.revoked })).status).toBe(401);
    expect((await server.request('POST', '/v1/rules', { key: keys.viewer, body: rulePayload() })).status).toBe(401);

    if (format >= KEYS_END_SINCE) {
      expect(await readOwner(server, keys.lasting)).toMatchObject(owners.alpha);
      expect((await server.request('GET', '/v1/rules', { key: keys.expired })).status).toBe(401);
    }

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
      expect(settings.forced, of).toBe(format >= FORCED_SINCE);
    }

    const written = await server.request('POST', '/v1/rules', { key: keys.ann, body: rulePayload() });
    expect(written.status).toBe(200);
    const saved = await server.request('POST', `/v1/mocks/${mock.id}/save`, { key: keys.ann });
    expect(saved.json.data).toMatchObject({ version: 4, hasStagedChanges: false });
    const after = await readOwner(server, keys.ann);
    await server.restart('SIGKILL');
    expect(await readOwner(server, keys.ann)).toEqual(after);
    await server.end();
    // By which a server that knows older formats alone refuses it.
    expect(await formatOf(data)).toBe(STORE_FORMAT);
  });
});

async function formatOf(data: string): Promise<unknown> {
  const env = open({ path: join(data, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  const format = env.openDB<number, string>({ name: 'meta', encoding: 'msgpack' }).get('format');
  await env.close();
  return format;
}
