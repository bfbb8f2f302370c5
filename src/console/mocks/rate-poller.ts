/** Looks at the counts of all mocks once a second, while a screen shows them and the tab is in view. */
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../state/session.ts';
import { addLook, type Look, type MockRates } from './rates.ts';

const LOOK_MS = 1_000;

/** By the mock's id; empty until the second look. */
export const rates = signal<ReadonlyMap<string, MockRates>>(new Map());

let watchers = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let last: Look | undefined;

/** Looks while the component is shown. */
export function useRates(): void {
  useEffect(() => {
    if (++watchers === 1) void look();
    return () => {
      if (--watchers > 0) return;
      clearTimeout(timer);
      timer = undefined;
      forget();
    };
  }, []);
}

async function look(): Promise<void> {
  if (document.hidden) forget();
  else await take();
  if (watchers > 0) timer = setTimeout(() => void look(), LOOK_MS);
}

async function take(): Promise<void> {
  try {
    const counts = await api().mocks.allCounts();
    const now = { at: performance.now(), counts };
    if (last !== undefined) rates.value = addLook(rates.value, last, now);
    last = now;
  } catch {
    // The list tells that the server is away; rates are shown again when it is back.
    forget();
  }
}

/** A rate over a time in which nobody looked would hide its course. */
function forget(): void {
  last = undefined;
  rates.value = new Map();
}
