/** The rows of the traffic screen: their bounds, the pause, and the order. */
import { describe, expect, test } from 'vitest';
import type { RequestSummary } from '../../../src/client/shapes.ts';
import {
  addOlder,
  addRows,
  EMPTY_LOG,
  indexOfKey,
  pause,
  requestRow,
  resume,
  rowAt,
  ROWS_MAX,
} from '../../../src/console/traffic/traffic-log.ts';

const request = (id: number): RequestSummary => ({
  id: String(id),
  time: id,
  method: 'GET',
  path: `/${id}`,
  query: '',
  routeId: null,
  responseId: null,
  version: 1,
  status: 404,
  durationMs: 1,
});

const rows = (from: number, to: number, life = 0) =>
  Array.from({ length: to - from + 1 }, (_, index) => requestRow(request(from + index), life));

describe('the log', () => {
  test('has the newest row first, and keeps a bounded number of them', () => {
    const log = addRows(addRows(EMPTY_LOG, rows(1, 4_000)), rows(4_001, 7_000));
    expect(log.shown).toHaveLength(ROWS_MAX);
    expect(rowAt(log, 0)?.key).toBe('0-7000');
    expect(rowAt(log, ROWS_MAX - 1)?.key).toBe('0-2001');
    expect(rowAt(log, ROWS_MAX)).toBeUndefined();
    expect(indexOfKey(log, '0-6999')).toBe(1);
    expect(indexOfKey(log, '0-1')).toBe(-1);
  });

  test('shows nothing new while it is paused, and counts what waits exactly, even beyond its bound', () => {
    const paused = addRows(addRows(pause(addRows(EMPTY_LOG, rows(1, 3))), rows(4, 6_000)), [
      { kind: 'line', key: 'line-1', text: 'reset' },
    ]);
    expect(paused.shown).toHaveLength(3);
    expect(paused.waitingCount).toBe(5_997);
    expect(paused.waiting).toHaveLength(ROWS_MAX);
    const resumed = resume(paused);
    expect(rowAt(resumed, 0)?.key).toBe('line-1');
    expect(rowAt(resumed, 1)?.key).toBe('0-6000');
    expect(resumed).toMatchObject({ waiting: [], waitingCount: 0, isPaused: false });
    expect(resumed.shown).toHaveLength(ROWS_MAX);
  });

  test('gets older rows below', () => {
    const log = addOlder(addRows(EMPTY_LOG, rows(10, 12)), rows(7, 9));
    expect(log.shown.map(({ key }) => key)).toEqual(['0-7', '0-8', '0-9', '0-10', '0-11', '0-12']);
  });

  test('tells requests of different lives of the record apart', () => {
    const log = addRows(addRows(EMPTY_LOG, rows(1, 1)), rows(1, 1, 1));
    expect(new Set(log.shown.map(({ key }) => key)).size).toBe(2);
  });
});
