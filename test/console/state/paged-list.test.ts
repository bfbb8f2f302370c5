/** Lists that are loaded page by page: what is asked for, and what is shown meanwhile. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Page, PageRequest } from '../../../src/model/queries.ts';
import { PagedList, PAGE_ROWS } from '../../../src/console/state/paged-list.ts';

// Who is signed in, and what others change, are of a browser.
vi.mock('../../../src/console/state/session.ts', () => ({ checkKeyAfter: () => undefined }));
vi.mock('../../../src/console/state/changes.ts', () => ({ onChange: () => () => undefined }));

// Threads of other files, which share this process, go by their own clock.
beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }),
);
afterEach(() => void vi.useRealTimers());

/** A server with so many rows, named after their place and the turn in which they were read. */
function server(total: number) {
  const asked: number[] = [];
  const state = { total, turn: 1, failure: undefined as Error | undefined };
  const load = async ({ offset, pageSize }: PageRequest): Promise<Page<string>> => {
    asked.push(offset / PAGE_ROWS);
    const { total: count, turn, failure } = state;
    await Promise.resolve();
    if (failure !== undefined) throw failure;
    const rows = Math.max(0, Math.min(pageSize, count - offset));
    return {
      records: Array.from({ length: rows }, (_, place) => `${offset + place}.${turn}`),
      total: count,
      nextOffset: null,
    };
  };
  return { asked, state, list: new PagedList(load) };
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(100);

test('the pages in view alone are asked for, each once', async () => {
  const { list, asked } = server(1_000);
  await list.reload();
  expect(list.state.value.value).toEqual({ total: 1_000 });
  list.show(0, 30);
  await settled();
  list.show(100, 160);
  await settled();
  list.show(110, 165);
  await settled();
  expect(asked).toEqual([0, 1, 2]);
  expect([list.at(0), list.at(160), list.at(225)]).toEqual(['0.1', '160.1', undefined]);
  expect([...list.loaded()]).toHaveLength(3 * PAGE_ROWS);
});

test('rows that are scrolled past are not asked for', async () => {
  const { list, asked } = server(100_000);
  await list.reload();
  for (let first = 0; first < 50_000; first += 500) list.show(first, first + 40);
  await settled();
  expect(asked.length).toBeLessThanOrEqual(3);
  expect(list.at(49_500)).toBe('49500.1');
});

test('a reload asks for what is in view, and shows the older rows until the newer are there', async () => {
  const { list, asked, state } = server(300);
  await list.reload();
  list.show(75, 80);
  await settled();
  state.turn = 2;
  asked.length = 0;
  const reloading = list.reload();
  expect(list.at(76)).toBe('76.1');
  await reloading;
  expect(asked).toEqual([1]);
  expect([list.at(76), list.at(0)]).toEqual(['76.2', '0.1']);
  list.show(0, 10);
  await settled();
  expect(list.at(0)).toBe('0.2');
});

test('when the count is another, rows that are not in view are forgotten: they stand elsewhere now', async () => {
  const { list, state } = server(300);
  await list.reload();
  list.show(75, 80);
  await settled();
  state.total = 299;
  await list.reload();
  expect(list.state.value.value).toEqual({ total: 299 });
  expect(list.at(0)).toBeUndefined();
});

test('a list that has become shorter than what was in view loads its last rows', async () => {
  const { list, state } = server(300);
  await list.reload();
  list.show(230, 270);
  await settled();
  state.total = 10;
  await list.reload();
  // As the list shows it then.
  list.show(0, 10);
  await settled();
  expect(list.at(9)).toBe('9.1');
});

test('a failure keeps the rows, and a passing one is tried again', async () => {
  const { list, state } = server(10);
  await list.reload();
  state.failure = new Error('away');
  state.turn = 2;
  await list.reload();
  expect(list.state.value).toMatchObject({ value: { total: 10 }, failure: { status: 0 } });
  expect(list.at(3)).toBe('3.1');
  state.failure = undefined;
  await vi.advanceTimersByTimeAsync(1_100);
  expect(list.state.value.failure).toBeUndefined();
  expect(list.at(3)).toBe('3.2');
});

test('an answer to an earlier filter or reload counts no more', async () => {
  const answers: ((page: Page<string>) => void)[] = [];
  const list = new PagedList<string>(() => new Promise((resolve) => answers.push(resolve)));
  const first = list.reload();
  const second = list.reload();
  answers[1]?.({ records: ['new'], total: 1, nextOffset: null });
  await second;
  answers[0]?.({ records: ['old'], total: 1, nextOffset: null });
  await first;
  expect(list.at(0)).toBe('new');
});

test('the answer of a write takes the place of its row', async () => {
  const { list } = server(80);
  await list.reload();
  list.replace(3, 'written');
  list.replace(79, 'not loaded');
  expect([list.at(3), list.at(79)]).toEqual(['written', undefined]);
});

test('many changes by others are one reload, and none after the list is gone', async () => {
  const { list, asked } = server(10);
  await list.reload();
  for (let change = 0; change < 20; change++) list.changed('reload');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([0, 0]);
  list.changed('reload');
  list.dispose();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([0, 0]);
  list.changed('mark');
  expect(list.state.value.isStale).toBe(true);
});
