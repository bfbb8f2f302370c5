/** Long loops share the event loop: one slice per turn in total. */
import { expect, test } from 'vitest';
import { Slices } from '../../src/base/slices.ts';

test('many loops at once yield to other work after each slice', async () => {
  let slices = 0;
  let most = 0;
  let since = 0;
  let running = true;
  const others = (): void => {
    most = Math.max(most, since);
    since = 0;
    if (running) setImmediate(others);
  };
  setImmediate(others);
  const loop = async () => {
    const slice = new Slices();
    await slice.begin();
    for (let step = 0; step < 10; step++) {
      slices++;
      since++;
      await slice.next();
    }
  };
  await Promise.all(Array.from({ length: 30 }, loop));
  running = false;
  expect(slices).toBe(300);
  expect(most).toBeLessThanOrEqual(2);
});
