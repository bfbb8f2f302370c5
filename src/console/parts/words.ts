/** Numbers, times, requests and statuses in words. Pure. */

/** "1,204" */
export const numberText = (count: number): string => count.toLocaleString('en');

/** "1 request", "1,204 requests"; "? requests" for an unknown count. */
export const countText = (count: number | null, one: string, many = `${one}s`): string =>
  `${count === null ? '?' : numberText(count)} ${count === 1 ? one : many}`;

const TIME = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** "18:17:28" in the local time zone. @param ms Since 1970. */
export const timeText = (ms: number): string => TIME.format(ms);

/** "18:17:28.918" */
export const exactTimeText = (ms: number): string =>
  `${TIME.format(ms)}.${String(Math.trunc(ms) % 1_000).padStart(3, '0')}`;

/** "/payments?page=2" */
export const targetOf = ({ path, query }: { readonly path: string; readonly query: string }): string =>
  query === '' ? path : `${path}?${query}`;

/** The class of a status badge. 0: a fault prevented the answer. */
export function statusClass(status: number): string {
  if (status >= 500 || status === 0) return 'badge bad';
  if (status >= 400) return 'badge warn';
  return status >= 300 ? 'badge' : 'badge good';
}

/** Values with their labels, for a select. */
export type Choices<Value extends string = string> = readonly (readonly [value: Value, label: string])[];

/** @param labels By value, in the order of the select. */
export const choices = <Value extends string>(labels: Readonly<Record<Value, string>>): Choices<Value> =>
  Object.entries<string>(labels) as [Value, string][];

export const labelOf = (of: Choices, value: unknown): string | undefined => of.find(([each]) => each === value)?.[1];
