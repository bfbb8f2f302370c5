/** Reads the counts of all mocks once a second, while a screen shows them and the tab is in view. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureOf } from '../state/failure.ts';
import { api, checkKeyAfter } from '../state/session.ts';
import { addReading, addSum, type MockRates, type RatePoint, type Reading } from '../parts/rates.ts';

const READING_MS = 1_000;

/** By the mock's id; empty until the second reading. */
export const rates = signal<MockRates>(new Map());

/** Over all mocks, oldest first. */
export const allRates = signal<readonly RatePoint[]>([]);

let watchers = 0;
let end: (() => void) | undefined;

/** Reads while the component is shown. */
export function useRates(): void {
  useEffect(() => {
    if (++watchers === 1) end = readEachSecond();
    return () => {
      if (--watchers === 0) end?.();
    };
  }, []);
}

/** @returns Ends it; an answer that is on its way then counts no more. */
function readEachSecond(): () => void {
  let isEnded = false;
  let isReading = false;
  let last: Reading | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isWanted = (): boolean => !isEnded && !document.hidden;
  /** A rate over a time in which nobody read would hide its course. */
  const forget = (): void => {
    last = undefined;
    rates.value = new Map();
    allRates.value = [];
  };
  const take = async (): Promise<void> => {
    try {
      const counts = await api().mocks.allCounts();
      const now = { at: performance.now(), counts };
      if (!isWanted()) return;
      if (last !== undefined) {
        rates.value = addReading(rates.value, last, now);
        allRates.value = addSum(allRates.value, rates.value);
      }
      last = now;
    } catch (error) {
      if (isEnded) return;
      // The list shows that the server is away; rates are shown again when it is back.
      forget();
      checkKeyAfter(failureOf(error));
    }
  };
  const read = async (): Promise<void> => {
    clearTimeout(timer);
    if (isReading || !isWanted()) return;
    isReading = true;
    await take();
    isReading = false;
    if (isWanted()) timer = setTimeout(() => void read(), READING_MS);
  };
  const onVisibility = (): void => {
    if (document.hidden) forget();
    else void read();
  };

  document.addEventListener('visibilitychange', onVisibility);
  void read();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    forget();
  };
}
