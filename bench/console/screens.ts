/** What a person waits for: first rows, frames of a scroll, 5,000 routes; and what a page that watches traffic keeps in memory. */
import type { Page } from 'playwright-core';
import { signIn } from '../../test/browser/support/sign-in.ts';
import { watchedPage } from '../../test/browser/support/watched-page.ts';
import { seedRules } from '../../test/support/seed-rules.ts';
import { startFresh, startOn, type Fresh } from '../contenders/switchyard.ts';
import { startLoad } from '../load/start-load.ts';
import { findWrk } from '../load/wrk.ts';
import { endAll, mockHost } from '../processes.ts';
import { median } from '../rounds.ts';
import type { ConsoleOptions, Figure } from './figure.ts';

const ROW = '#main [role="row"]';
const ROUNDS = 7;
const SCROLL_SECONDS = 3;
const SCROLL_PX = 900;
/** Of the heap. */
const SAMPLES = 30;

/** From the address to the first mocks, by somebody who is signed in. */
export async function measureRows({ tiny }: ConsoleOptions): Promise<readonly Figure[]> {
  const fresh = await startFresh();
  const count = tiny ? 20 : 1_000;
  for (let index = 0; index < count; index++) await fresh.client.mocks.create({ name: `mock ${index}`, routes: [] });
  const { page, close } = await openConsole(fresh, '#/mocks');
  const seconds: number[] = [];
  for (let round = 0; round < (tiny ? 1 : ROUNDS); round++) {
    await page.reload({ waitUntil: 'commit' });
    seconds.push((await shownAt(page, 'mock')) / 1e3);
  }
  await close();
  return [{ what: `first rows of ${count} mocks`, unit: 's', ...medianAndLongest(seconds), budget: 1 }];
}

export async function measureScroll({ tiny }: ConsoleOptions): Promise<readonly Figure[]> {
  const { store } = await startFresh();
  await endAll();
  const count = tiny ? 1_000 : 100_000;
  const pairs = (index: number) => [
    { id: `p${index}`, source: { key: 'Url', operator: 'Contains', value: `${index}.example.com` }, delay: 1 },
  ];
  await seedRules(store.directory, 'bench', count, 'Delay', pairs);
  const fresh = await startOn(store, ['--rules-max', String(count)]);
  const { page, close } = await openConsole(fresh, '#/rules');
  await shownAt(page, 'rule');
  const given = { seconds: tiny ? 0.5 : SCROLL_SECONDS, px: SCROLL_PX, row: ROW };
  const { frames, scrolledPx, blankCount, rowsSeen } = await page.evaluate(scrollFrames, given);
  await close();
  if (scrolledPx < SCROLL_PX) throw new Error('the list did not scroll');
  const sorted = frames.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] as number;
  const times = `${frames.length} frames, longest ${sorted.at(-1)?.toFixed(0)} ms, p50 ${median(frames).toFixed(1)} ms`;
  const remark = `${times}; ${scrolledPx} px, ${rowsSeen} first rows, ${blankCount} frames without rows`;
  return [{ what: `p99 frame, scrolling ${count} rules`, unit: 'ms', value: p99, budget: 33, remark }];
}

/** From the mocks to the routes of the largest one. */
export async function measureRoutes({ tiny }: ConsoleOptions): Promise<readonly Figure[]> {
  const fresh = await startFresh();
  const count = tiny ? 50 : 5_000;
  const routes = Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    path: `/items/${index}`,
    responses: [{ body: `{"item":${index}}` }],
  }));
  const mock = await fresh.client.mocks.create({ name: 'large', routes });
  const { page, close } = await openConsole(fresh, '#/mocks');
  const seconds: number[] = [];
  for (let round = 0; round < (tiny ? 1 : ROUNDS); round++) {
    await page.evaluate(() => (location.hash = '#/mocks'));
    await shownAt(page, 'large');
    const from = await page.evaluate((id) => {
      location.hash = `#/mocks/${id}/routes`;
      return performance.now();
    }, mock.id);
    seconds.push(((await shownAt(page, '/items/')) - from) / 1e3);
  }
  await close();
  return [{ what: `${count} routes open`, unit: 's', ...medianAndLongest(seconds), budget: 0.5 }];
}

/** Of a page that watches a mock under all the load that one generator makes; each sample after a collection. */
export async function measureHeap({ tiny, minutes }: ConsoleOptions): Promise<readonly Figure[]> {
  const fresh = await startFresh();
  const { service, client } = fresh;
  const mock = await client.mocks.create({
    name: 'busy',
    start: true,
    routes: [{ method: 'GET', path: '/', responses: [{}] }],
  });
  const { page, close } = await openConsole(fresh, `#/mocks/${mock.id}/traffic`);
  const session = await page.context().newCDPSession(page);
  const generate = await startLoad(findWrk() === undefined || tiny ? 'autocannon' : 'wrk');
  const seconds = tiny ? 1 : Math.max(1, Math.round((minutes * 60) / SAMPLES));
  const heaps: number[] = [];
  let requestCount = 0;
  for (let sample = 0; sample < (tiny ? 3 : SAMPLES); sample++) {
    const load = { port: service.mocks.port, method: 'GET', path: '/', connections: 64, seconds } as const;
    requestCount += (await generate({ ...load, headers: { host: mockHost(mock.id, service) } })).requestCount;
    if (sample === 0) await shownAt(page, 'GET');
    await session.send('HeapProfiler.collectGarbage');
    heaps.push((await session.send('Runtime.getHeapUsage')).usedSize / 1e6);
  }
  await close();
  const third = Math.ceil(heaps.length / 3);
  const growth = median(heaps.slice(-third)) - median(heaps.slice(third, -third));
  const traffic = `${requestCount} requests in ${(seconds * heaps.length) / 60} minutes`;
  return [
    { what: 'heap of a page that watches traffic', unit: 'MB', value: Math.max(...heaps), budget: 50, remark: traffic },
    { what: 'its growth from the second third to the last', unit: 'MB', value: growth, budget: 1 },
  ];
}

function medianAndLongest(seconds: readonly number[]): Pick<Figure, 'value' | 'remark'> {
  return { value: median(seconds), remark: `longest ${Math.max(...seconds).toPrecision(2)} s of ${seconds.length}` };
}

async function openConsole({ service, store }: Fresh, place: string) {
  const origin = `http://127.0.0.1:${service.port}`;
  const opened = await watchedPage(origin);
  await signIn(opened.page, origin, store.key, place);
  return opened;
}

/** Waits for a row that contains the text. @returns When it was drawn, by the page's clock, in ms. */
async function shownAt(page: Page, text: string): Promise<number> {
  const shown = await page.waitForFunction(
    ([row, wanted]) => {
      const found = [...document.querySelectorAll(row)].some((each) => each.textContent.includes(wanted));
      return found && performance.now();
    },
    [ROW, text] as const,
    { polling: 'raf' },
  );
  return (await shown.jsonValue()) as number;
}

interface Scroll {
  /** The duration of each frame in ms. */
  readonly frames: readonly number[];
  readonly scrolledPx: number;
  /** Count of different rows that were the first in the document. */
  readonly rowsSeen: number;
  /** Count of frames in which no row was in sight. */
  readonly blankCount: number;
}

/**
 * In the page: scrolls a list by some px in each frame.
 *
 * Without a function of its own inside: what runs TypeScript here would name it by a helper that the page lacks.
 */
async function scrollFrames(given: { seconds: number; px: number; row: string }): Promise<Scroll> {
  const list = document.querySelector(given.row)?.closest('[role="grid"]') as HTMLElement;
  const frames: number[] = [];
  const seen = new Set<string | undefined>();
  let blankCount = 0;
  const startedAt = performance.now();
  for (let last = startedAt; last - startedAt < given.seconds * 1e3;) {
    const now = await new Promise<number>(requestAnimationFrame);
    if (now > last) frames.push(now - last);
    last = Math.max(last, now);
    const first = list.querySelector<HTMLElement>('[role="row"]');
    seen.add(first?.ariaRowIndex ?? undefined);
    if (Math.abs((first?.offsetTop ?? 0) - list.scrollTop) > list.clientHeight) blankCount++;
    list.scrollTop += given.px;
  }
  return { frames, scrolledPx: list.scrollTop, rowsSeen: seen.size, blankCount };
}
