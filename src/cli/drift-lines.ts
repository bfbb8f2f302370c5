/** The report of a drift run as lines for a person. */
import type { DriftReport } from '../client/index.ts';
import { printable } from './print.ts';

type Result = DriftReport['results'][number];

/** @param mock As it was named. */
export function driftLines(report: DriftReport, mock: string): string[] {
  const { results, upstream, requests, counts, state, problem, staged } = report;
  const { same, changed, breaking, failed, skipped } = counts;
  const others = results.filter(({ verdict }) => verdict !== 'same');
  const sum = [
    `${same} the same`,
    `${changed} changed (${breaking} breaking)`,
    `${failed} not answered`,
    `${skipped} skipped`,
  ];
  const lines = [
    ...others.flatMap((each) => [...resultLines(each), '']),
    `${mock} and ${upstream}: ${sum.join(', ')}; ${requests === 1 ? '1 request was' : `${requests} requests were`} sent.`,
    ...(state === 'finished' ? [] : [state === 'cancelled' ? 'The run was cancelled.' : 'The time of the run was up.']),
    ...(staged === null ? [] : [`${staged === 1 ? '1 response is' : `${staged} responses are`} staged.`]),
    ...(problem === null ? [] : [`${problem}.`]),
    ...(same + changed === 0 ? ['Nothing could be compared.'] : []),
  ];
  return lines.map(printable);
}

export function titleOf({ label, status }: Pick<Result, 'label' | 'status'>): string {
  return label === '' ? String(status) : `${label} ${status}`;
}

export function changeLine({ kind, at, mock, upstream }: Result['changes'][number]): string {
  const [had, has] = [mock === '' ? 'nothing' : mock, upstream === '' ? 'nothing' : upstream];
  return `${kind === at ? kind : `${kind} ${at}`}: the mock has ${had}, the service ${has}`;
}

function resultLines(result: Result): string[] {
  const { route, verdict, breaking, request, reason, detail, changes, changeCount, volatile } = result;
  const what =
    verdict === 'changed' ? (breaking ? 'breaking' : 'added') : verdict === 'failed' ? 'not answered' : verdict;
  const sent = request === null ? [] : [`  ${request.method} ${request.path}`];
  const why = reason === null ? [] : [`  ${reason}: ${detail ?? ''}`];
  const more = changeCount - changes.length;
  return [
    `${route}, ${titleOf(result)}: ${what}`,
    ...sent,
    ...why,
    ...changes.map((change) => `  ${changeLine(change)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(volatile.length > 0 ? [`  differs each time: ${volatile.join(', ')}`] : []),
  ];
}
