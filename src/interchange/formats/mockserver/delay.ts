/** Delays of expectations, in milliseconds. */
import { isObject } from '../../../base/json-object.ts';
import { LATENCY_MS_MAX } from '../../../limits.ts';
import { scalarText, toNumber } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';

const UNITS: Readonly<Record<string, number>> = {
  NANOSECONDS: 1e-6,
  MICROSECONDS: 1e-3,
  MILLISECONDS: 1,
  SECONDS: 1_000,
  MINUTES: 60_000,
  HOURS: 3_600_000,
  DAYS: 86_400_000,
};

export function delayOf(delay: unknown, item: Item, source: Member | undefined): { readonly latency?: number } {
  if (!isObject(delay)) return {};
  const ms = toNumber(delay.value ?? 0) * (UNITS[scalarText(delay.timeUnit) ?? 'MILLISECONDS'] ?? Number.NaN);
  if (Number.isNaN(ms) || ms > LATENCY_MS_MAX) item.note('mockserver.delay', source);
  return Number.isNaN(ms) || ms < 1 ? {} : { latency: Math.min(Math.round(ms), LATENCY_MS_MAX) };
}
