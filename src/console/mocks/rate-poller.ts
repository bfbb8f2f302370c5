/** Reads the counts of all mocks once a second while a screen shows them in a visible tab. */
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

export function useRates(): void {
  useEffect(() => {
    if (++watchers === 1) end = readEachSecond();
    return () => {
      if (--watchers === 0) end?.();
    };
  }, []);
}

/** @returns Stops reading, and ignores a pending answer. */
function readEachSecond(): () => void {
  let isEnded = false;
  let isReading = false;
  let last: Reading | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isWanted = (): boolean => !isEnded && !document.hidden;
  /** A rate across an unread period would hide its course. */
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
      // The list reports a lost connection; rates return with it.
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
