/** The lock on a data directory: what a killed process has left beside it goes. Who is refused is tested with whole processes. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acquireInstanceLock } from '../../src/store/instance-lock.ts';
import { temporaryDirectory } from '../support/server.ts';

test('a socket of a process that was killed while it took the lock is removed by the next one; that of a living one stays', async () => {
  const directory = temporaryDirectory();
  const left = join(directory, 'snapshots-left.sock');
  const program = `require('net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', program]).signal).toBe('SIGKILL');
  const living = createServer((socket) => socket.end('1'));
  await once(living.listen(join(directory, 'snapshots-living.sock')), 'listening');
  expect(readdirSync(directory).toSorted()).toEqual(['snapshots-left.sock', 'snapshots-living.sock']);

  const lock = await acquireInstanceLock(directory, (action) => action(), 'snapshots');
  expect(readdirSync(directory).toSorted()).toEqual(['snapshots-living.sock', 'snapshots.sock']);
  await lock.release();
  living.close();
});

test('a socket that the next one removes because it does not listen yet refuses its process as any other', async () => {
  const directory = temporaryDirectory();
  const left = join(directory, 'snapshots.sock');
  const program = `require('net').createServer().listen(${JSON.stringify(left)}, () => process.kill(process.pid, 'SIGKILL'))`;
  expect(spawnSync(process.execPath, ['-e', program]).signal).toBe('SIGKILL');
  const lock = acquireInstanceLock(
    directory,
    (action) => {
      for (const name of readdirSync(directory)) if (name !== 'snapshots.sock') rmSync(join(directory, name));
      return action();
    },
    'snapshots',
  );
  await expect(lock).rejects.toThrow(`another process is creating a snapshot in ${directory}`);
});
