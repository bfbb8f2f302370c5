/** The watch counts the memory of all our processes, from its first sample on, and gives out no more than is left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LoadWatch } from '../../src/http/admission/load-watch.ts';

/** Of a process, without the pages of files. */
function bytesOf(pid: number | 'self'): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

test.skipIf(process.platform !== 'linux')(
  'the memory of the data plane counts, until it ends',
  async () => {
    // As much as this process, which has run other tests: without the child, memory is far below the bound.
    const held = Math.max(300_000_000, bytesOf('self'));
    const child = spawn(process.execPath, [
      '-e',
      `globalThis.held = Buffer.alloc(${held}, 1); console.log("held"); setInterval(() => {}, 1_000);`,
    ]);
    await once(child.stdout, 'data');
    const pid = child.pid as number;
    const together = bytesOf('self') + bytesOf(pid);
    let childPid: number | undefined;
    const events: string[] = [];
    const watch = new LoadWatch();
    watch.start({
      memoryBytesMax: together * 1.05,
      childPid: () => childPid,
      onChange: (isOverloaded) => events.push(isOverloaded ? 'overloaded' : 'calm'),
      onMemoryShort: () => events.push('short'),
    });
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(events).toEqual([]);
      expect(watch.takeMemory(100_000_000)).toBe(true);
      childPid = pid;
      await expect.poll(() => events).toEqual(['short', 'overloaded']);
      expect(watch.takeMemory(1_000_000)).toBe(false);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expect.poll(() => events, { timeout: 10_000 }).toEqual(['short', 'overloaded', 'calm']);
      expect(watch.isOverloaded).toBe(false);
    } finally {
      watch.stop();
      child.kill('SIGKILL');
    }
  },
  30_000,
);

// reaches MEMORY_SHORT_SHARE
test('memory that becomes short is reported once, before requests are refused', async () => {
  const watch = new LoadWatch();
  let shortCount = 0;
  watch.start({
    memoryBytesMax: bytesOf('self') / 0.85,
    childPid: () => undefined,
    onChange: () => undefined,
    onMemoryShort: () => shortCount++,
  });
  await expect.poll(() => shortCount).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  watch.stop();
  expect([shortCount, watch.isOverloaded]).toEqual([1, false]);
});

test('memory taken since the last sample is not given out again', async () => {
  const watch = new LoadWatch();
  const memoryBytesMax = bytesOf('self') + 1_000_000_000;
  watch.start({ memoryBytesMax, childPid: () => undefined, onChange: () => undefined, onMemoryShort: () => undefined });
  await new Promise((resolve) => setTimeout(resolve, 150));
  watch.stop();
  let taken = 0;
  while (watch.takeMemory(50_000_000)) taken++;
  expect(taken).toBeGreaterThan(1);
  expect(taken).toBeLessThan(20);
});
