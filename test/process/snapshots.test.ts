/** Snapshots by the command line and by the schedule: their content, refusals, and the state after a failure. */
import { open } from 'lmdb';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createKey, listKeys, revokeKey } from '../../src/cli/keys.ts';
import { OLDEST_FORMAT, STORE_FORMAT } from '../../src/store/store-format.ts';
import { acquireInstanceLock } from '../../src/store/instance-lock.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, eventually, run, Running, type Outcome } from '../support/process.ts';
import { readOwner } from '../support/read-owner.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import {
  copyOf,
  flip,
  largeStore,
  listed,
  madeHere,
  reseal,
  snapshotLine,
  snapshot,
  STORE_FILES,
  withoutProgress,
} from '../support/snapshots.ts';

afterEach(endAll);

function expectRefused(outcome: Outcome, ...parts: string[]): void {
  const { status, stdout, stderr } = withoutProgress(outcome);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(/^error: .+\n$/);
  for (const part of parts) expect(stderr).toContain(part);
}

/** Everything below a directory, with what tells a changed file from an unchanged one. */
function listing(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true }).map(String).toSorted();
  return ['.', ...names].map((name) => {
    const { size, mtimeMs, ino } = statSync(join(directory, name));
    return `${name} ${size} ${mtimeMs} ${ino}`;
  });
}

async function storeWithKeys(...userIds: string[]): Promise<{ data: string; keyIds: string[] }> {
  const data = temporaryDirectory();
  const keyIds: string[] = [];
  for (const userId of userIds) {
    const key = await createKey(data, { ownerId: 'o', userId, role: 'editor' });
    keyIds.push(key.split('_')[1] as string);
  }
  return { data, keyIds };
}

let template: Promise<{ data: string; names: readonly string[] }> | undefined;

/** A store with one key and snapshots of it, the oldest first. A copy: each of them is made with a process of its own. */
async function storeWithSnapshots(count: 1 | 2 | 3): Promise<{ data: string; names: readonly string[] }> {
  template ??= (async () => {
    const { data } = await storeWithKeys('ann');
    return { data, names: [await madeHere(data), await madeHere(data), await madeHere(data)] };
  })();
  const made = await template;
  const data = temporaryDirectory();
  cpSync(made.data, data, { recursive: true });
  for (const name of made.names.slice(count)) rmSync(join(data, name), { recursive: true });
  return { data, names: made.names.slice(0, count) };
}

/** Flips a bit of the value of every key, as no server would. */
async function damageKeys(data: string): Promise<void> {
  const env = open({ path: join(data, 'switchyard.mdb'), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  const keys = env.openDB<Buffer, string>({ name: 'keys', encoding: 'binary' });
  await env.transaction(() => {
    for (const { key, value } of keys.getRange()) {
      const bytes = Buffer.from(value);
      bytes[20]! ^= 0x10;
      void keys.put(key, bytes);
    }
  });
  await env.close();
}

describe('create', () => {
  test('prints only the name, creates files readable by their owner only, and leaves nothing else', async () => {
    const { data } = await storeWithKeys('ann');
    const { status, stdout, stderr } = await snapshot(data, 'create');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^snapshot-\d{8}T\d{6}Z-[0-9a-z]{6}\n$/);
    const path = join(data, stdout.trimEnd());
    expect(readdirSync(data).toSorted()).toEqual([stdout.trimEnd(), ...STORE_FILES]);
    expect(readdirSync(path).toSorted()).toEqual(['manifest.json', 'switchyard.mdb']);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(path)) expect(statSync(join(path, name)).mode & 0o777, name).toBe(0o600);
    const manifest = JSON.parse(readFileSync(join(path, 'manifest.json'), 'utf8'));
    expect(manifest).toMatchObject({ switchyard: '0.2.0', storeFormat: STORE_FORMAT, counts: { owners: 0, keys: 1 } });
  });

  test('counts the records of a directory whose server was killed', async () => {
    const server = await TestServer.start(['--no-bootstrap']);
    const key = await server.key('o');
    const source = { key: 'Url', operator: 'Contains', value: 'a' };
    for (const [path, body] of [
      ['rules', { name: 'r', ruleType: 'Cancel', pairs: [{ source }] }],
      ['groups', { name: 'g' }],
      ['groups', { name: 'h' }],
      ['mocks', { name: 'm' }],
    ] as const)
      expect((await server.request('POST', `/v1/${path}`, { key, body })).status).toBe(200);
    await server.end('SIGKILL');
    const name = await madeHere(server.data);
    const { counts } = JSON.parse(readFileSync(join(server.data, name, 'manifest.json'), 'utf8'));
    expect(counts).toEqual({ owners: 1, rules: 1, groups: 2, mocks: 1, keys: 1, history: 4 });
    expect(await listed(server.data)).toEqual([[name, 'whole']]);
  });

  test('--keep removes the oldest valid ones after the new one is complete, and no damaged one', async () => {
    const { data, names } = await storeWithSnapshots(3);
    rmSync(join(data, names[0] as string, 'manifest.json'));
    const { stdout } = await snapshotLine(data, 'create', '--keep', '2');
    const [name] = stdout.split('\n');
    expect(stdout).toBe(`${name}\nremoved ${names[1]}\n`);
    // In no order: one without a manifest is placed by its name, which has whole seconds.
    const left: Record<string, string> = {
      [names[0] as string]: 'damaged: its manifest is missing',
      [names[2] as string]: 'whole',
      [name as string]: 'whole',
    };
    expect(Object.fromEntries(await listed(data))).toEqual(left);
  });

  test('of a store with damaged values is created with a warning, and removes nothing', async () => {
    const { data } = await storeWithKeys('ann', 'bob');
    const whole = [await madeHere(data), await madeHere(data)];
    await damageKeys(data);
    const { status, stdout, stderr } = await snapshotLine(data, 'create', '--keep', '1');
    const name = stdout.trimEnd();
    expect({ status, stdout }).toEqual({ status: 1, stdout: expect.stringMatching(/^snapshot-\S+\n$/) });
    expect(stderr).toMatch(/^warning: the store has 2 damaged values, and so has snapshot-[^\n]+\n$/);
    expect(JSON.parse(readFileSync(join(data, name, 'manifest.json'), 'utf8'))).toMatchObject({ damagedValues: 2 });
    expect(await listed(data)).toEqual([...whole.map((each) => [each, 'whole']), [name, '2 damaged values']]);
    expect(await snapshotLine(data, 'verify')).toEqual({
      status: 0,
      stdout: `${whole.map((each) => `${each}\tverified\n`).join('')}${name}\tverified, with 2 damaged values\n`,
      stderr: '',
    });
    const target = join(temporaryDirectory(), 'restored');
    const restored = await snapshotLine(data, 'restore', name, '--to', target);
    expect(restored).toMatchObject({ status: 0, stderr: expect.stringContaining('has 2 damaged values') });
  });

  test('removes the leftovers of a restore that was killed after its store had its name', async () => {
    const { data } = await storeWithKeys('ann');
    mkdirSync(join(data, '.restoring-abc'));
    copyFileSync(join(data, 'switchyard.mdb'), join(data, '.restoring-abc', 'switchyard.mdb'));
    const name = await madeHere(data);
    expect(readdirSync(data).toSorted()).toEqual([name, ...STORE_FILES]);
  });

  test('when the clock was set back the new one stays, though it is the oldest', async () => {
    const { data, names } = await storeWithSnapshots(1);
    reseal(join(data, names[0] as string), { time: '2999-01-01T00:00:00.000Z' });
    const name = await madeHere(data, 1);
    expect((await listed(data)).map(([each]) => each)).toEqual([name]);
  });

  test('of a store that does not fit on the disk is refused, and leaves nothing', async () => {
    const data = await largeStore(5_000, 400);
    const limited = new Running('bash', [
      '-c',
      'ulimit -f 1024; exec "$@"',
      'bash',
      process.execPath,
      CLI,
      'snapshot',
      'create',
      '--data',
      data,
    ]);
    expectRefused(await limited.ended, data, 'File too large');
    expect(readdirSync(data).toSorted()).toEqual(STORE_FILES);
    expect(await listed(data)).toEqual([]);
    await madeHere(data);
  });

  test('in a directory without a store, with a newer one, or one that cannot be written is refused', async () => {
    const empty = temporaryDirectory();
    expectRefused(await snapshotLine(empty, 'create'), 'no store', empty);
    expectRefused(await snapshotLine(join(empty, 'missing'), 'create'), 'no store');
    expect(readdirSync(empty)).toEqual([]);

    const { data } = await storeWithKeys('ann');
    chmodSync(data, 0o755);
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o666);
    if (process.getuid?.() === 0) {
      const outcome = await run(['snapshot', 'create', '--data', data], { uid: 65_534 });
      expectRefused(outcome, data);
    }
    const env = open({ path: join(data, 'switchyard.mdb'), noSubdir: true, maxDbs: 16, overlappingSync: false });
    await env.openDB({ name: 'meta', encoding: 'msgpack' }).put('format', 99);
    await env.close();
    expectRefused(await snapshotLine(data, 'create'), 'format 99', 'use a newer Switchyard');
    expect(readdirSync(data).toSorted()).toEqual(STORE_FILES);
  });

  test('is refused while another one is being created', async () => {
    const { data } = await storeWithKeys('ann');
    const lock = await acquireInstanceLock(data, (action) => action(), 'snapshots');
    expectRefused(await snapshotLine(data, 'create'), 'is creating a snapshot', data, String(process.pid));
    await lock.release();
    expect(await listed(data)).toEqual([]);
  });
});

describe('verify', () => {
  test('reads and changes nothing, of one or of all', async () => {
    const { data, names } = await storeWithSnapshots(2);
    const before = listing(data);
    expect(await snapshotLine(data, 'verify', names[1] as string)).toEqual({
      status: 0,
      stdout: `${names[1]}\tverified\n`,
      stderr: '',
    });
    const all = names.map((name) => `${name}\tverified\n`).toSorted();
    const { status, stdout } = await snapshotLine(data, 'verify');
    expect({ status, lines: stdout.split(/(?<=\n)/).toSorted() }).toEqual({ status: 0, lines: all });
    expect(listing(data)).toEqual(before);
  });

  test('reports damage, exits with 2, and restore refuses the same', async () => {
    const { data, names } = await storeWithSnapshots(1);
    const [name = ''] = names;
    const damages: [string, (path: string) => void][] = [
      ['digest of its switchyard.mdb', (path) => flip(join(path, 'switchyard.mdb'), 9_000)],
      ['its content', (path) => reseal(path, { contentDigest: '0'.repeat(64) })],
      ['format 99', (path) => reseal(path, { storeFormat: 99 })],
    ];
    for (const [told, damage] of damages) {
      const directory = copyOf(data, name);
      damage(join(directory, name));
      const isFirst = told === damages[0]?.[0];
      const verified = await (isFirst ? snapshot : snapshotLine)(directory, 'verify', name);
      expect(verified.status, told).toBe(2);
      expect(verified.stdout).toContain(`${name}\t`);
      expect(verified.stdout).toContain(told);
      const target = join(directory, 'restored');
      expectRefused(await snapshotLine(directory, 'restore', name, '--to', target), name, told);
      expect(existsSync(target)).toBe(false);
    }
  });

  test('refuses unknown names', async () => {
    const { data } = await storeWithKeys('ann');
    expectRefused(await snapshotLine(data, 'verify'), 'no snapshot');
    expectRefused(await snapshotLine(data, 'verify', '..'), 'no snapshot ".."');
    expectRefused(await snapshotLine(data, 'restore', '../a', '--to', join(data, 'r')), 'no snapshot "../a"');
  });
});

describe('restore', () => {
  test('accepts an empty or missing directory, and overwrites nothing', async () => {
    const { data, names } = await storeWithSnapshots(1);
    const [name = ''] = names;
    const parent = temporaryDirectory();
    mkdirSync(join(parent, 'empty'));
    for (const [target, command] of [
      [join(parent, 'empty'), snapshot],
      [join(parent, 'not', 'there'), snapshotLine],
    ] as const) {
      expect(await command(data, 'restore', name, '--to', target)).toMatchObject({ status: 0, stderr: '' });
      expect(readdirSync(target).filter((each) => each !== 'switchyard.mdb-lock')).toEqual(['switchyard.mdb']);
      const before = listing(target);
      expectRefused(await snapshotLine(data, 'restore', name, '--to', target), 'not empty', target);
      expect(listing(target)).toEqual(before);
    }
    const live = listing(data);
    expectRefused(await snapshotLine(data, 'restore', name, '--to', data), 'not empty');
    expect(listing(data)).toEqual(live);
    expect((await snapshotLine(data, 'restore', name)).status).toBe(2);
  });

  test('works again after a killed restore', async () => {
    const { data, names } = await storeWithSnapshots(1);
    const [name = ''] = names;
    const target = temporaryDirectory();
    mkdirSync(join(target, '.restoring-abc'));
    writeFileSync(join(target, '.restoring-abc', 'switchyard.mdb'), 'half');
    expect((await snapshotLine(data, 'restore', name, '--to', target)).status).toBe(0);
    expect(readdirSync(target)).not.toContain('.restoring-abc');
  });

  test('on a full disk is refused and leaves nothing', async () => {
    const data = await largeStore(5_000, 400);
    const name = await madeHere(data);
    const target = join(temporaryDirectory(), 'restored');
    const args = ['snapshot', 'restore', name, '--data', data, '--to', target];
    const limited = new Running('bash', ['-c', 'ulimit -f 1024; exec "$@"', 'bash', process.execPath, CLI, ...args]);
    expectRefused(await limited.ended, target);
    expect(existsSync(target)).toBe(false);
  });

  test('warns of keys that were revoked since, and of no others', async () => {
    const { data, keyIds } = await storeWithKeys('ann', 'ben', 'cem');
    await revokeKey(data, keyIds[2] as string);
    const name = await madeHere(data);
    const parent = temporaryDirectory();
    expect((await snapshotLine(data, 'restore', name, '--to', join(parent, 'same'))).stderr).toBe('');
    await revokeKey(data, keyIds[0] as string);
    const { status, stderr } = await snapshotLine(data, 'restore', name, '--to', join(parent, 'restored'));
    expect(status).toBe(0);
    expect(stderr).toMatch(/^warning: 1 key .*--keep-keys.*\n$/);
    expect(stderr).toContain(keyIds[0] as string);
    expect(stderr).not.toContain(keyIds[2] as string);
  });

  test('--keep-keys keeps the current keys: revoked ones stay revoked, new ones are valid', async () => {
    const data = temporaryDirectory();
    const keyOf = (userId: string): Promise<string> => createKey(data, { ownerId: 'o', userId, role: 'editor' });
    const [kept, revoked] = [await keyOf('ann'), await keyOf('ben')];
    const name = await madeHere(data);
    await revokeKey(data, revoked.split('_')[1] as string);
    const added = await keyOf('cem');
    const parent = temporaryDirectory();
    const byDefault = join(parent, 'default');
    const named = join(parent, 'named');
    const elsewhere = copyOf(data, name);
    expect(await snapshotLine(data, 'restore', name, '--to', byDefault, '--keep-keys')).toMatchObject({
      status: 0,
      stderr: '',
    });
    const args = ['restore', name, '--to', named, '--keep-keys', data];
    expect(await snapshotLine(elsewhere, ...args)).toMatchObject({ status: 0, stderr: '' });
    expect(await listKeys(named)).toEqual(await listKeys(data));
    const second = await TestServer.start([], byDefault);
    const statuses = [kept, revoked, added].map(
      async (key) => (await second.request('GET', '/v1/rules', { key })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 401, 200]);
    expect(await second.end()).toBe(0);
  });

  test('--keep-keys of a store that cannot be read restores nothing; without it a warning says that revoked keys are unknown', async () => {
    const { data, names } = await storeWithSnapshots(1);
    const [name = ''] = names;
    const damaged = readFileSync(join(data, 'switchyard.mdb'));
    damaged.fill(0xff, 4_096);
    const parent = temporaryDirectory();
    for (const bytes of [Buffer.from('no store at all'), damaged]) {
      writeFileSync(join(data, 'switchyard.mdb'), bytes);
      const target = join(parent, String(bytes.length));
      expectRefused(
        await snapshotLine(data, 'restore', name, '--to', target, '--keep-keys'),
        'keys',
        'nothing was restored',
      );
      expect(existsSync(target)).toBe(false);
      const { status, stderr } = await snapshotLine(data, 'restore', name, '--to', target);
      expect(status).toBe(0);
      expect(stderr).toMatch(/^warning: .*revoked.*cannot be listed.*\n$/);
    }
    rmSync(join(data, 'switchyard.mdb'));
    expectRefused(await snapshotLine(data, 'restore', name, '--to', join(parent, 'x'), '--keep-keys'), 'no store');
    expect((await snapshotLine(data, 'restore', name, '--to', join(parent, 'x'))).status).toBe(0);
  });

  test('a snapshot of the oldest format opens with its original content', async () => {
    const folder = join(import.meta.dirname, '../store/formats', String(OLDEST_FORMAT));
    const { keys, owners } = JSON.parse(readFileSync(join(folder, 'shown.json'), 'utf8'));
    const data = temporaryDirectory();
    copyFileSync(join(folder, 'switchyard.mdb'), join(data, 'switchyard.mdb'));
    const name = await madeHere(data);
    const target = join(temporaryDirectory(), 'restored');
    expect((await snapshotLine(data, 'restore', name, '--to', target)).status).toBe(0);
    const server = await TestServer.start(['--history-days', '36500', '--rule-code'], target);
    expect(await readOwner(server, keys.ann)).toMatchObject(owners.alpha);
    expect(await readOwner(server, keys.ben)).toMatchObject(owners.beta);
    expect(await server.end()).toBe(0);
  });
});

describe('while serving', () => {
  async function metric(server: TestServer, name: string): Promise<number> {
    const { json } = await server.request('GET', '/metrics');
    return Number(new RegExp(`^switchyard_${name} (\\S+)$`, 'm').exec(json as string)?.[1]);
  }

  // reaches SNAPSHOTS_KEPT
  test('--snapshot-every creates them, --snapshot-keep prunes them, and a stop leaves none incomplete', async () => {
    const args = ['--no-bootstrap', '--snapshot-every', '1s', '--snapshot-keep', '2'];
    const server = await TestServer.start(args);
    expect(await eventually(() => server.stdout.split('"snapshot created"').length > 3, 30_000)).toBe(true);
    expect(await metric(server, 'snapshots_total')).toBeGreaterThanOrEqual(3);
    expect(await metric(server, 'snapshot_failures_total')).toBe(0);
    expect(Math.abs((await metric(server, 'snapshot_last_success_seconds')) - Date.now() / 1000)).toBeLessThan(30);
    expect(await server.end()).toBe(0);
    const names = readdirSync(server.data).filter((name) => name.startsWith('snapshot-'));
    expect(readdirSync(server.data).toSorted()).toEqual([...names, ...STORE_FILES].toSorted());
    expect([2, 3]).toContain(names.length);
    expect((await snapshotLine(server.data, 'verify')).status).toBe(0);

    // The next start waits for its turn: the newest is not old enough.
    const again = await TestServer.start(['--snapshot-every', '1h'], server.data);
    await sleep(1_500);
    expect(await metric(again, 'snapshots_total')).toBe(0);
    expect(await metric(again, 'snapshot_last_success_seconds')).toBeGreaterThan(0);
    expect(await again.end()).toBe(0);
  });

  test('a failure is logged and counted, and the server goes on', async () => {
    const server = await TestServer.start(['--no-bootstrap', '--snapshot-every', '1s', '--log-level', 'warn']);
    const key = await server.key('o');
    const lock = await acquireInstanceLock(server.data, (action) => action(), 'snapshots');
    const failures = await metric(server, 'snapshot_failures_total');
    const logged = server.stdout.length;
    expect(await eventually(() => server.stdout.slice(logged).includes('"snapshot failed"'), 20_000)).toBe(true);
    expect(await metric(server, 'snapshot_failures_total')).toBeGreaterThan(failures);
    expect((await server.request('POST', '/v1/groups', { key, body: { name: 'g' } })).status).toBe(200);
    const made = await metric(server, 'snapshots_total');
    await lock.release();
    expect(await eventually(async () => (await metric(server, 'snapshots_total')) > made, 20_000)).toBe(true);
    expect(await server.end()).toBe(0);
    expect(server.stdout).toContain('is creating a snapshot');
  });

  test('one of a store with damaged values is logged and counted as a failure, and undamaged ones stay', async () => {
    const { data, names: whole } = await storeWithSnapshots(2);
    await damageKeys(data);
    const args = ['--no-bootstrap', '--snapshot-every', '1s', '--snapshot-keep', '1', '--log-level', 'warn'];
    const server = await TestServer.start(args, data);
    const fromDamaged = (): number => server.stdout.split('"snapshot created from a damaged store').length - 1;
    expect(await eventually(() => fromDamaged() >= 2, 30_000)).toBe(true);
    expect(await metric(server, 'snapshot_failures_total')).toBeGreaterThanOrEqual(2);
    expect(await metric(server, 'snapshots_total')).toBe(0);
    const newestWhole = Date.parse(
      JSON.parse(readFileSync(join(data, whole[1] as string, 'manifest.json'), 'utf8')).time,
    );
    expect(await metric(server, 'snapshot_last_success_seconds')).toBe(newestWhole / 1000);
    expect(await server.end()).toBe(0);
    expect(server.stdout).toContain('snapshot created from a damaged store');
    expect(server.stdout).toContain('1 damaged value,');
    const found = await listed(data);
    expect(found.slice(0, 2)).toEqual(whole.map((each) => [each, 'whole']));
    expect(found.length).toBeGreaterThanOrEqual(4);
  });

  test.each(['5', '21d'])('--snapshot-every %s is refused', async (text) => {
    const outcome = await runLine(['serve', '--data', temporaryDirectory(), '--snapshot-every', text]);
    expect(outcome.status).toBe(2);
    expect(outcome.stderr).toContain('--snapshot-every');
  });
});
