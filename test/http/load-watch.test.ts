/** The watch counts the memory of all our processes, from its first sample on, and gives out no more than is left. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { LoadWatch } from '../../src/http/admission/load-watch.ts';

/** Of a process, without the pages of files. */
function bytesOf(pid: number | 'self'): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;
}

test.skipIf(process.platform !== 'linux')(
  'the memory of the data plane counts, until it ends',
  async () => {
    // As much as this process, which has run other tests: without the child, memory is far below the bound. Its garbage would be collected later,
    // and a collection of its own would put off that of the watch.
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
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
      memoryBytesMax: together * 1.01,
      childPids: () => [undefined, childPid],
      onChange: (isOverloaded) => events.push(isOverloaded ? 'overloaded' : 'calm'),
      onMemoryShort: (isFirst) => isFirst && events.push('short'),
    });
    try {
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(events).toEqual([]);
      expect(watch.takeMemory('a', 100_000_000)).toBe(true);
      childPid = pid;
      await expect.poll(() => events, { timeout: 10_000 }).toEqual(['short', 'overloaded']);
      expect(watch.takeMemory('a', 1_000_000)).toBe(false);
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
    childPids: () => [],
    onChange: () => undefined,
    onMemoryShort: (isFirst) => isFirst && shortCount++,
  });
  await expect.poll(() => shortCount, { timeout: 10_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 300));
  watch.stop();
  expect([shortCount, watch.isOverloaded]).toEqual([1, false]);
});

test('garbage is collected again and again while memory is full, not once a second', async () => {
  const watch = new LoadWatch();
  const times: number[] = [];
  watch.start({
    memoryBytesMax: bytesOf('self') / 2,
    childPids: () => [],
    onChange: () => undefined,
    onMemoryShort: () => times.push(performance.now()),
  });
  await expect.poll(() => times.length, { timeout: 20_000 }).toBeGreaterThan(4);
  watch.stop();
  expect((times[4] as number) - (times[0] as number)).toBeLessThan(3_500);
});

test('an owner takes no more of the memory that is left than it leaves to others', async () => {
  const watch = new LoadWatch();
  const memoryBytesMax = bytesOf('self') + 1_000_000_000;
  watch.start({ memoryBytesMax, childPids: () => [], onChange: () => undefined, onMemoryShort: () => undefined });
  await new Promise((resolve) => setTimeout(resolve, 150));
  watch.stop();
  const taken = ['one', 'another'].map((ownerId) => {
    let bytes = 0;
    while (watch.takeMemory(ownerId, 10_000_000)) bytes += 10_000_000;
    return bytes;
  });
  expect(taken[0]).toBeLessThan(500_000_000);
  expect(taken[1]).toBeGreaterThan(100_000_000);
  expect((taken[0] ?? 0) + (taken[1] ?? 0)).toBeLessThan(1_000_000_000);
});
