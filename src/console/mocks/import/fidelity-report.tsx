/** What an import or an export keeps, approximates and drops: counts, and each entry with its place in the file. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button, SelectField, TextField } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { countRows, filterEntries, placeOf, type Entry, type LevelFilter, type Report } from './report-rows.ts';

const LEVELS = [
  ['', 'Dropped and approximated'],
  ['dropped', 'Dropped'],
  ['approximated', 'Approximated'],
] as const;

/** Entries that are shown, and added by each "Show more". */
const ENTRIES_STEP = 100;

export const FidelityReport = ({ report }: { readonly report: Report }): JSX.Element => (
  <section class="import-report stack" aria-labelledby="import-report">
    <h2 id="import-report">What is lost</h2>
    <Counts report={report} />
    {report.entries.length === 0 ? <p>Nothing: every item is exact.</p> : <Entries report={report} />}
    {report.classes.length > 0 && <Classes report={report} />}
  </section>
);

const Counts = ({ report }: { readonly report: Report }): JSX.Element => (
  <table class="import-counts">
    <thead>
      <tr>
        <th scope="col">Items</th>
        <th scope="col">exact</th>
        <th scope="col">approximated</th>
        <th scope="col">dropped</th>
      </tr>
    </thead>
    <tbody>
      {countRows(report).map(({ kind, exact, approximated, dropped }) => (
        <tr key={kind}>
          <th scope="row">{kind}</th>
          <td>{exact.toLocaleString('en')}</td>
          <td>{approximated.toLocaleString('en')}</td>
          <td>{dropped.toLocaleString('en')}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

function Entries({ report }: { readonly report: Report }): JSX.Element {
  const [level, setLevel] = useState<LevelFilter>('');
  const [text, setText] = useState('');
  const [count, setCount] = useState(ENTRIES_STEP);
  const found = filterEntries(report.entries, level, text);
  return (
    <>
      <search class="filters">
        <TextField
          label="Find in the report"
          hiddenLabel
          type="search"
          placeholder="Find in the report…"
          value={text}
          onInput={setText}
        />
        <SelectField label="Level" hiddenLabel value={level} options={LEVELS} onChange={setLevel} />
        <span class="muted" role="status">
          {found.length.toLocaleString('en')} of {report.entries.length.toLocaleString('en')}
          {report.truncated && ' that are listed; there are more, and the counts are of all'}
        </span>
      </search>
      <ul class="import-entries">
        {found.slice(0, count).map((entry, index) => (
          <EntryItem key={index} entry={entry} />
        ))}
      </ul>
      {found.length > count && (
        <p>
          <Button onClick={() => setCount(count + ENTRIES_STEP)}>
            Show more of {found.length.toLocaleString('en')}
          </Button>
        </p>
      )}
    </>
  );
}

const EntryItem = ({ entry }: { readonly entry: Entry }): JSX.Element => (
  <li>
    <p class="row">
      {entry.level === 'dropped' ? (
        <span class="badge bad">✕ dropped</span>
      ) : (
        <span class="badge warn">≈ approximated</span>
      )}
      <span class="muted">
        {entry.item} · <SafeLine text={placeOf(entry)} />
      </span>
    </p>
    <p>
      <SafeLine text={entry.message} max={600} /> <code class="muted">{entry.code}</code>
    </p>
  </li>
);

const Classes = ({ report }: { readonly report: Report }): JSX.Element => (
  <details>
    <summary>Parts of the file that change nothing of what is answered</summary>
    <ul class="import-classes">
      {report.classes.map(({ code, count }) => (
        <li key={code}>
          {count.toLocaleString('en')} × <code>{code}</code>
        </li>
      ))}
    </ul>
    <p>
      <a href="console/docs/interchange#codes-of-the-report" target="_blank" rel="noreferrer">
        What the codes mean
      </a>
    </p>
  </details>
);
