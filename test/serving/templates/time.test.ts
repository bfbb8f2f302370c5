import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TIME_HELPERS } from '../../../src/serving/matching/templates/helpers/time.ts';
import { callHelper, named, newRun } from '../../support/helper-call.ts';

const NOW = '2026-03-31T13:05:09.042Z';

const CASES: readonly [keyof typeof TIME_HELPERS, readonly unknown[], unknown][] = [
  ['now', [], NOW],
  ['now', ['yyyy-MM-dd'], '2026-03-31'],
  ['now', [named({ format: 'epoch' })], String(Date.parse(NOW))],
  ['now', [named({ format: 'unix' })], String(Math.floor(Date.parse(NOW) / 1_000))],
  ['now', [named({ offset: '3 days' })], '2026-04-03T13:05:09.042Z'],
  ['now', [named({ offset: '-7 days', format: 'yyyy-MM-dd' })], '2026-03-24'],
  ['now', [named({ offset: '1 years', format: 'yyyy' })], '2027'],
  ['now', [named({ offset: '-1 months' })], '2026-02-28T13:05:09.042Z'],
  ['now', [named({ offset: 'P1M' })], '2026-04-30T13:05:09.042Z'],
  ['now', [named({ offset: 'PT-1H' })], '2026-03-31T12:05:09.042Z'],
  ['now', [named({ offset: '-P1DT1H30M' })], '2026-03-30T11:35:09.042Z'],
  ['now', [named({ offset: 'soon' })], undefined],
  ['now', [named({ offset: '+1d' })], '2026-04-01T13:05:09.042Z'],
  ['now', [named({ offset: '1 day, -2 hours' })], '2026-04-01T11:05:09.042Z'],
  ['now', [named({ offset: 'P' })], undefined],
  ['now', [named({ offset: 'P1DT' })], undefined],
  ['now', [named({ offset: '1' })], undefined],
  ['now', [named({ offset: `${'1d   '.repeat(19)}!` })], undefined],
  ['now', [named({ offset: '999999999 years' })], undefined],
  ['now', [named({ timezone: '+02:00' })], '2026-03-31T15:05:09.042+02:00'],
  ['now', [named({ timezone: 'Europe/Berlin', format: 'HH:mm xxx z' })], '15:05 +02:00 GMT+2'],
  ['now', [named({ timezone: 'America/New_York', format: 'h:mm a z' })], '9:05 AM EDT'],
  ['now', [named({ timezone: 'Asia/Kolkata', format: 'HH:mmXXX' })], '18:35+05:30'],
  ['now', [named({ timezone: 'Mars/Base' })], undefined],
  ['date', ['2020-01-01', '2020-01-01', 'yyyy-MM-dd'], '2020-01-01'],
  ['date', ['2020-01-01', '2020-01-01'], '2020-01-01T00:00:00.000Z'],
  ['date', ['2020-01-02T03:04:05Z', 'yyyyMMdd'], '20200102'],
  ['date', ['2020-01-02'], '2020-01-02T00:00:00.000Z'],
  ['date', ['2020-01-02', named({ offset: '1 days', format: 'd.M.yy' })], '3.1.20'],
  ['date', ['x', 'y', 'yyyy'], undefined],
  ['dateFormat', ['2020-01-02', 'EEE, d MMM yyyy'], 'Thu, 2 Jan 2020'],
  ['dateFormat', ['2020-01-02', "EEEE do MMMM 'at' hh 'o''clock'"], "Thursday 2nd January at 12 o'clock"],
  ['dateFormat', [0, "yyyy-MM-dd'T'HH:mm:ss.SSSZ"], '1970-01-01T00:00:00.000+0000'],
  ['dateFormat', [0, 'yyyy-MM-ddTHH:mm:ssX'], '1970-01-01T00:00:00Z'],
  ['dateFormat', [0, 'SSSSSS x XX'], '000000 +00 Z'],
  ['dateFormat', ['2020-12-31', 'D k K'], '366 24 0'],
  ['dateFormat', [0, ''], ''],
  ['dateFormat', ['Tue, 15 Nov 1994 08:12:31 GMT', 'HH:mm'], '08:12'],
  ['dateFormat', ['2020-02-30', 'yyyy'], undefined],
  ['dateFormat', ['hello 1', 'yyyy'], undefined],
  ['dateFormat', [0, 'y'.repeat(201)], undefined],
  ['dateTimeShift', [named({ days: 1 })], '2026-04-01T13:05:09.042Z'],
  ['dateTimeShift', ['2020-01-31', named({ months: 1, format: 'yyyy-MM-dd' })], '2020-02-29'],
  ['dateTimeShift', [named({ date: '2020-01-31', years: -1, hours: '2' })], '2019-01-31T02:00:00.000Z'],
  ['dateTimeShift', ['2020-01-31', named({ months: 1, overflow: true, format: 'yyyy-MM-dd' })], '2020-03-02'],
  ['dateTimeShift', [named({ days: 'x' })], undefined],
  ['parseDate', ['31.01.2020', named({ format: 'dd.MM.yyyy' })], '2020-01-31T00:00:00.000Z'],
  ['parseDate', ['20200131235959', 'yyyyMMddHHmmss'], '2020-01-31T23:59:59.000Z'],
  ['parseDate', ['5 March 2020 1:02 pm', 'd MMM yyyy h:mm a'], '2020-03-05T13:02:00.000Z'],
  ['parseDate', ['12:30 AM', 'hh:mm a'], '1970-01-01T00:30:00.000Z'],
  ['parseDate', ['2020-01-31 10:00 +0200', 'yyyy-MM-dd HH:mm Z'], '2020-01-31T08:00:00.000Z'],
  [
    'parseDate',
    ['2020-07-01 10:00', 'yyyy-MM-dd HH:mm', named({ timezone: 'Europe/Berlin' })],
    '2020-07-01T08:00:00.000Z',
  ],
  ['parseDate', ['1580515199', named({ format: 'unix' })], '2020-01-31T23:59:59.000Z'],
  ['parseDate', ['30.02.2020', 'dd.MM.yyyy'], undefined],
  ['parseDate', ['31.01.2020x', 'dd.MM.yyyy'], undefined],
  ['parseDate', ['1/1/69', 'd/M/yy'], '2069-01-01T00:00:00.000Z'],
  ['parseDate', ['2020-01-31T10:00:00,5+02'], '2020-01-31T08:00:00.500Z'],
  ['parseDate', ['99:00', 'HH:mm'], undefined],
  ['truncateDate', [NOW, 'first second of minute'], '2026-03-31T13:05:00.000Z'],
  ['truncateDate', [NOW, 'first minute of hour'], '2026-03-31T13:00:00.000Z'],
  ['truncateDate', [NOW, 'first hour of day'], '2026-03-31T00:00:00.000Z'],
  ['truncateDate', [NOW, 'first day of month'], '2026-03-01T00:00:00.000Z'],
  ['truncateDate', [NOW, 'first day of next month'], '2026-04-01T00:00:00.000Z'],
  ['truncateDate', [NOW, 'last day of month'], '2026-03-31T00:00:00.000Z'],
  ['truncateDate', [NOW, 'first day of year'], '2026-01-01T00:00:00.000Z'],
  ['truncateDate', [NOW, 'first day of next year'], '2027-01-01T00:00:00.000Z'],
  ['truncateDate', [NOW, 'last day of year'], '2026-12-31T00:00:00.000Z'],
  ['truncateDate', [NOW, 'constructor'], undefined],
];

describe('helpers of times', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse(NOW), toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(CASES)('%s %j is %j', (name, args, expected) => {
    expect(callHelper(TIME_HELPERS[name], args)).toEqual(expected);
    expect(callHelper(TIME_HELPERS[name], args, undefined, false)).toEqual(expected);
  });

  test('every helper has a case', () => {
    expect(new Set(CASES.map(([name]) => name))).toEqual(new Set(Object.keys(TIME_HELPERS)));
  });

  test('a time between two is drawn', () => {
    const draw = (random: number, name: 'date', ...args: string[]): unknown => {
      const run = newRun();
      run.random = () => random;
      return callHelper(TIME_HELPERS[name], args, run);
    };
    expect(draw(0, 'date', '2020-01-01', '2020-01-03')).toBe('2020-01-01T00:00:00.000Z');
    expect(draw(0.5, 'date', '2020-01-03', '2020-01-01')).toBe('2020-01-02T00:00:00.000Z');
    expect(draw(1 - 2 ** -53, 'date', '2020-01-01', '2020-01-03')).toBe('2020-01-03T00:00:00.000Z');
  });

  test('what a format printed is read with it again', () => {
    const formats = [
      "yyyy-MM-dd'T'HH:mm:ss.SSSXXX",
      'EEE, dd MMM yyyy hh:mm:ss.SSS a xx',
      'yyyyMMddHHmmssSSS',
      'epoch',
    ];
    for (const format of formats) {
      for (let ms = -2e12; ms < 4e12; ms += 7.3e10 + 86_399_999) {
        const time = new Date(ms).toISOString();
        const printed = callHelper(TIME_HELPERS.dateFormat, [time, format]);
        expect(callHelper(TIME_HELPERS.parseDate, [printed, format]), `${format}: ${String(printed)}`).toBe(time);
      }
    }
  });
});
