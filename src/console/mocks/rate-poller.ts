/** Looks at the counts of all mocks once a second, while a screen shows them and the tab is in view. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { failureOf } from '../state/failure.ts';
import { api, checkKeyAfter } from '../state/session.ts';
import { addLook, addSum, type Look, type MockRates, type RatePoint } from './rates.ts';

const LOOK_MS = 1_000;

/** By the mock's id; empty until the second look. */
export const rates = signal<ReadonlyMap<string, MockRates>>(new Map());

/** Over all mocks, oldest first. */
export const allRates = signal<readonly RatePoint[]>([]);

let watchers = 0;
let end: (() => void) | undefined;

/** Looks while the component is shown. */
export function useRates(): void {
  useEffect(() => {
    if (++watchers === 1) end = lookEachSecond();
    return () => {
      if (--watchers === 0) end?.();
    };
  }, []);
}

/** @returns Ends it; an answer that is on its way then counts no more. */
function lookEachSecond(): () => void {
  let isEnded = false;
  let isLooking = false;
  let last: Look | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isWanted = (): boolean => !isEnded && !document.hidden;
  /** A rate over a time in which nobody looked would hide its course. */
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
        rates.value = addLook(rates.value, last, now);
        allRates.value = addSum(allRates.value, rates.value);
      }
      last = now;
    } catch (error) {
      if (isEnded) return;
      // The list tells that the server is away; rates are shown again when it is back.
      forget();
      checkKeyAfter(failureOf(error));
    }
  };
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    if (isLooking || !isWanted()) return;
    isLooking = true;
    await take();
    isLooking = false;
    if (isWanted()) timer = setTimeout(() => void look(), LOOK_MS);
  };
  const onVisibility = (): void => {
    if (document.hidden) forget();
    else void look();
  };

  document.addEventListener('visibilitychange', onVisibility);
  void look();
  return () => {
    isEnded = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', onVisibility);
    forget();
  };
}
