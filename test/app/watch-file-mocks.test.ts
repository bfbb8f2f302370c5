/** What the watch of files makes of changes, beside what a whole server shows (process/file-mocks.test.ts). */
import { FILES_SETTLED_MS } from '../../src/app/look-at-files.ts';
import { FILES_POLL_MS } from '../../src/app/look-at-files.ts';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { loadFileMocks, type FileMockParts, type ImportFiles } from '../../src/app/file-mocks.ts';
import { watchFileMocks } from '../../src/app/watch-file-mocks.ts';
import { refuse, type Refusal } from '../../src/errors.ts';
import { importMocks } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { FileMock } from '../../src/model/mocks/decide/decide-file-mock.ts';
import type { OwnerDirectory } from '../../src/owners/owner-directory.ts';
import { eventually } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';

const mock = (name: string): string => JSON.stringify({ switchyard: 1, kind: 'mock', name, routes: [] });

/** A folder that is watched; its commands are noted, and answered by `answer`. */
async function watched(answer: (mock: FileMock, count: number) => string | Refusal = () => 'changed') {
  const folder = join(temporaryDirectory(), 'shop');
  mkdirSync(join(folder, 'parts'), { recursive: true });
  writeFileSync(join(folder, 'index.json'), mock('first'));
  const seen = { stored: [] as string[], published: 0, imported: 0, warnings: [] as string[], infos: [] as string[] };
  const importFiles: ImportFiles = async (_, files) => {
    seen.imported++;
    return importMocks(files, undefined, {}, DEFAULT_LIMITS.mocks);
  };
  const parts: FileMockParts = { ownerId: 'local', limits: DEFAULT_LIMITS, isStrict: false, importFiles };
  const loaded = await loadFileMocks([{ path: folder }], parts);
  const owners = {
    command(_command: unknown, from: FileMock, _principal: unknown, reply: (answer: unknown) => void): void {
      seen.stored.push(from.name);
      reply(answer(from, seen.stored.length));
    },
  } as unknown as OwnerDirectory;
  const stop = watchFileMocks(loaded, {
    ...parts,
    owners,
    publish: async () => seen.published++,
    log: {
      info: (_, message) => void seen.infos.push(message),
      warn: (_, message) => void seen.warnings.push(message),
    },
  });
  // The system begins to notice changes a moment later.
  await sleep(10);
  return { folder, seen, stop };
}

describe.concurrent('a folder of a mock', () => {
  test('a change below it is read once its files are left alone: several writes are one change', async ({ expect }) => {
    const { folder, seen, stop } = await watched();
    for (let count = 0; count < 5; count++) {
      writeFileSync(join(folder, 'index.json'), mock(`write ${count}`));
      await sleep(FILES_SETTLED_MS / 4);
    }
    expect(await eventually(() => seen.stored.at(-1) === 'write 4')).toBe(true);
    expect(seen.stored.length).toBeLessThan(5);
    expect(await eventually(() => seen.published === seen.stored.length)).toBe(true);
    expect(seen.infos[0]).toBe('shop: 0 routes');

    // Sooner than the regular look, unless the machine is busy.
    let fastest = Infinity;
    for (let count = 0; count < 5 && fastest > FILES_POLL_MS / 4; count++) {
      const published = seen.published;
      const begun = performance.now();
      writeFileSync(join(folder, 'parts/a.json'), String(count).repeat(count + 1));
      expect(await eventually(() => seen.published > published)).toBe(true);
      fastest = Math.min(fastest, performance.now() - begun);
    }
    expect(fastest).toBeLessThan(FILES_POLL_MS / 4);
    await stop();
  });

  test('is not read again while it is bad, and logged once', async ({ expect }) => {
    const { folder, seen, stop } = await watched();
    writeFileSync(join(folder, 'index.json'), '{');
    expect(await eventually(() => seen.warnings.length > 0)).toBe(true);
    await sleep(FILES_POLL_MS + 200);
    expect(seen).toMatchObject({ imported: 2, stored: [], published: 0, infos: [] });
    expect(seen.warnings).toEqual([
      expect.stringMatching(/^shop\/index\.json: not valid JSON: .*; the previous version stays served$/),
    ]);
    rmSync(folder, { recursive: true });
    expect(await eventually(() => seen.warnings.length > 1)).toBe(true);
    await sleep(FILES_POLL_MS + 200);
    expect(seen.warnings).toHaveLength(2);
    expect(seen.warnings[1]).toContain('no such file or folder; the previous version stays served');
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.json'), mock('again'));
    expect(await eventually(() => seen.published === 1)).toBe(true);
    await stop();
  });

  test('that cannot be stored now is tried again; what changes nothing is not published', async ({ expect }) => {
    const { folder, seen, stop } = await watched((_, count) => (count === 1 ? refuse('storageFull') : 'unchanged'));
    writeFileSync(join(folder, 'index.json'), mock('second'));
    expect(await eventually(() => seen.stored.length === 2)).toBe(true);
    await sleep(100);
    expect(seen).toMatchObject({ stored: ['second', 'second'], published: 0 });
    expect(seen.infos).toEqual(['shop: 0 routes; unchanged']);
    expect(seen.warnings).toEqual(['shop will be retried: Storage full; the previous version stays served']);
    utimesSync(join(folder, 'index.json'), 1, 1);
    expect(await eventually(() => seen.stored.length === 3)).toBe(true);
    await stop();
    expect(seen.infos, 'nothing was wrong').toHaveLength(1);
  });

  test('that is as it was before is logged, too, once it can be read again, and its next absence anew', async ({
    expect,
  }) => {
    const { folder, seen, stop } = await watched(() => 'unchanged');
    const path = join(folder, 'index.json');
    writeFileSync(path, '{');
    expect(await eventually(() => seen.warnings.length === 1)).toBe(true);
    writeFileSync(path, mock('first'));
    expect(await eventually(() => seen.infos.length === 1)).toBe(true);
    for (let count = 2; count < 4; count++) {
      renameSync(folder, `${folder}.away`);
      expect(await eventually(() => seen.warnings.length === count)).toBe(true);
      renameSync(`${folder}.away`, folder);
      expect(await eventually(() => seen.infos.length === count)).toBe(true);
    }
    expect(new Set(seen.infos)).toEqual(new Set(['shop: 0 routes; unchanged']));
    expect(seen.published).toBe(0);
    await stop();
  });

  test('is left alone after the stop', async ({ expect }) => {
    const { folder, seen, stop } = await watched();
    await stop();
    writeFileSync(join(folder, 'index.json'), mock('late'));
    await sleep(FILES_SETTLED_MS * 3);
    expect(seen).toMatchObject({ imported: 1, stored: [] });
  });
});
