/** What an import has done, or would do: how many of each result, what is refused and why, and what is lost. */
import type { JSX } from 'preact';
import type { ImportedRules } from '../../../client/shapes.ts';
import { numberText } from '../../parts/words.ts';
import { visibleLine } from '../../state/visible-text.ts';

type Result = ImportedRules['records'][number]['result'];

const RESULTS: readonly (readonly [result: Result, done: string, would: string])[] = [
  ['created', 'made', 'are new'],
  ['overwritten', 'replaced', 'replace those that are here'],
  ['skipped', 'left as they were', 'are left as they are'],
  ['refused', 'refused', 'are refused'],
];

/** What is listed of a long report. */
const LISTED_MAX = 100;

interface ImportReportProps {
  readonly imported: ImportedRules;
  readonly isDone: boolean;
}

export function ImportReport({ imported: { records, report }, isDone }: ImportReportProps): JSX.Element {
  const refused = records.filter(({ result }) => result === 'refused');
  return (
    <section class="stack" aria-label="Report">
      <ul class="rules-results">
        {RESULTS.map(([result, done, would]) => {
          const count = records.filter((record) => record.result === result).length;
          return count === 0 ? null : (
            <li key={result}>
              <strong>{numberText(count)}</strong> {isDone ? done : would}
            </li>
          );
        })}
        {records.length === 0 && <li>There are no rules in this file.</li>}
      </ul>
      {refused.length > 0 && (
        <>
          <h3>Refused</h3>
          <ul class="rules-entries">
            {refused.slice(0, LISTED_MAX).map(({ source, kind, details = [] }) => (
              <li key={source.pointer}>
                <code>{visibleLine(source.pointer || '/')}</code> {kind}:{' '}
                {visibleLine(details.map(({ path, message }) => `${path} ${message}`.trim()).join('; '), 400) ||
                  'too many problems to list'}
              </li>
            ))}
          </ul>
        </>
      )}
      {report.entries.length > 0 && (
        <>
          <h3>What becomes otherwise, or is lost</h3>
          <ul class="rules-entries">
            {report.entries.slice(0, LISTED_MAX).map(({ level, code, source, message }, index) => (
              <li key={`${code} ${source.pointer} ${index}`}>
                <span class={level === 'dropped' ? 'badge bad' : 'badge warn'}>
                  {level === 'dropped' ? '✕ lost' : '≈ otherwise'}
                </span>{' '}
                {visibleLine(message, 400)}{' '}
                <span class="muted">
                  {source.line === undefined ? visibleLine(source.pointer) : `line ${source.line}`}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {(report.truncated || report.entries.length > LISTED_MAX || refused.length > LISTED_MAX) && (
        <p class="muted">The report is longer than what is listed here.</p>
      )}
    </section>
  );
}
