/** The fidelity of an import or export: counts, and each loss with its place in the file. */
import { useMemo, useState } from 'preact/hooks';
import { SelectField, TextField } from './controls.tsx';
import { countRows, filterRows, reportRows, type Level, type Report, type ReportRow } from './report-rows.ts';
import { SafeCode, SafeLine } from './safe-text.tsx';
import { Section, Several, Table } from './section.tsx';
import { numberText } from './words.ts';

const LEVELS: readonly (readonly [Level, badge: string, label: string])[] = [
  ['refused', 'badge bad', '✕ refused'],
  ['dropped', 'badge bad', '✕ dropped'],
  ['approximated', 'badge warn', '≈ approximated'],
];

interface FidelityReportProps {
  readonly report: Report;
  readonly refused?: readonly ReportRow[];
}

export function FidelityReport({ report, refused = [] }: FidelityReportProps): JSX.Element {
  const rows = useMemo(() => [...refused, ...reportRows(report)], [report, refused]);
  return (
    <Section level={2} title="Fidelity">
      <Counts report={report} />
      {rows.length === 0 ? <p>Every item is exact.</p> : <Rows rows={rows} isCut={report.truncated} />}
      <Exact report={report} />
    </Section>
  );
}

const Counts = ({ report }: { readonly report: Report }): JSX.Element => (
  <Table
    class="import-counts"
    head={['Items', 'exact', 'approximated', 'dropped']}
    rows={countRows(report).map(({ kind, ...counts }) => [
      kind,
      ...[counts.exact, counts.approximated, counts.dropped].map(numberText),
    ])}
  />
);

interface RowsProps {
  readonly rows: readonly ReportRow[];
  /** Whether the server truncated the list. */
  readonly isCut: boolean;
}

function Rows({ rows, isCut }: RowsProps): JSX.Element {
  const [level, setLevel] = useState<Level | ''>('');
  const [text, setText] = useState('');
  const levels = [
    ['', 'All levels'] as const,
    ...LEVELS.flatMap(([each, , label]) => (rows.some((row) => row.level === each) ? [[each, label] as const] : [])),
  ];
  const found = filterRows(rows, level === '' ? undefined : level, text);
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
        <SelectField label="Level" hiddenLabel value={level} options={levels} onChange={setLevel} />
        <span class="muted" role="status">
          {numberText(found.length)} of {numberText(rows.length)}
        </span>
      </search>
      {isCut && <p class="muted">The list is truncated; the counts are complete.</p>}
      {found.length > 0 && (
        <ul class="items import-rows">
          <Several of={found} one={(row, index) => <RowItem key={index} row={row} />} />
        </ul>
      )}
    </>
  );
}

function RowItem({ row }: { readonly row: ReportRow }): JSX.Element {
  const [, badge, label] = LEVELS.find(([level]) => level === row.level) ?? ['', 'badge', row.level];
  return (
    <li>
      <p>
        <span class={badge}>{label}</span> <SafeLine text={row.message} max={600} />
      </p>
      {row.instead !== '' && (
        <p>
          Instead: <SafeLine text={row.instead} max={400} />.
        </p>
      )}
      <p class="muted">
        <SafeLine text={row.what} max={200} />
        {row.file !== '' && (
          <>
            , <SafeLine text={row.file} />
          </>
        )}
        {row.pointer !== '' && (
          <>
            , <SafeCode text={row.pointer} max={400} />
          </>
        )}
        {row.code !== '' && (
          <>
            {' '}
            · <code>{row.code}</code>
          </>
        )}
      </p>
    </li>
  );
}

/** Content without an effect on answers; files that were skipped are open to view. */
function Exact({ report }: { readonly report: Report }): JSX.Element {
  const exact = report.classes.filter(({ level }) => level === 'exact');
  const others = exact.filter(({ first }) => first === undefined);
  return (
    <>
      <Counted of={exact.filter(({ first }) => first !== undefined)} />
      {others.length > 0 && (
        <details>
          <summary>No effect on responses</summary>
          <Counted of={others} />
        </details>
      )}
    </>
  );
}

const Counted = ({ of }: { readonly of: Report['classes'] }): JSX.Element => (
  <ul class="import-exact">
    {of.map(({ code, count, message }) => (
      <li key={code}>
        {numberText(count)} × <SafeLine text={message} max={600} />
      </li>
    ))}
  </ul>
);
