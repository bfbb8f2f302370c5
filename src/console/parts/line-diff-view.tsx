/** A unified diff of two texts, with context lines. */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { visibleLine } from '../state/visible-text.ts';
import { Button } from './controls.tsx';
import { diffLines, foldLines, pairedParts, type ChangedPart, type DiffLine, type FoldedLine } from './line-diff.ts';
import { countText, numberText } from './words.ts';

interface LineDiffProps {
  readonly before: string;
  readonly after: string;
  /** For screen readers: "Body". */
  readonly label: string;
  /** Replaces a diff that is too long. */
  readonly otherwise: JSX.Element;
}

/** Lines before "Show more". */
const LINES_SHOWN = 60;

export function LineDiff({ before, after, label, otherwise }: LineDiffProps): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const lines = useMemo(() => {
    const all = diffLines(before, after);
    return all === undefined ? undefined : foldLines(all);
  }, [before, after]);
  const parts = useMemo(() => pairedParts(lines ?? []), [lines]);
  if (lines === undefined) return otherwise;
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    <>
      <div class="line-diff" role="group" aria-label={`${label}, line by line`} tabIndex={0}>
        {shown.map((line, index) => (
          <Line key={index} line={line} part={parts.get(index)} />
        ))}
      </div>
      {shown.length < lines.length && (
        <p>
          <Button onClick={() => setWhole(true)}>Show {numberText(lines.length - shown.length)} more lines</Button>
        </p>
      )}
    </>
  );
}

const SIGNS = { same: ' ', removed: '−', added: '+' };

function Line({ line, part }: { readonly line: FoldedLine; readonly part: ChangedPart | undefined }): JSX.Element {
  if (line.kind === 'skipped') {
    return <div class="line skipped">… {countText(line.count, 'line stays', 'lines stay')}</div>;
  }
  return (
    <div class={`line ${line.kind}`}>
      <span aria-hidden="true">{SIGNS[line.kind]}</span>
      {line.kind === 'same' ? <span>{visibleLine(line.text, LINE_CHARS_SHOWN)}</span> : changed(line, part)}
    </div>
  );
}

/** Longer lines are truncated around the change. */
const LINE_CHARS_SHOWN = 2_000;
const BEFORE_PART = 200;

function changed({ kind, text }: DiffLine, part: ChangedPart | undefined): JSX.Element {
  const { start, beforeEnd, afterEnd } = part ?? { start: 0, beforeEnd: 0, afterEnd: 0 };
  const end = kind === 'removed' ? beforeEnd : afterEnd;
  const from = text.length > LINE_CHARS_SHOWN ? Math.max(0, start - BEFORE_PART) : 0;
  const isPart = end > start && !(start === 0 && end === text.length);
  const content: ComponentChildren = isPart ? (
    <>
      {from > 0 && '…'}
      {visibleLine(text.slice(from, start), LINE_CHARS_SHOWN)}
      <mark>{visibleLine(text.slice(start, end), LINE_CHARS_SHOWN)}</mark>
      {visibleLine(text.slice(end), LINE_CHARS_SHOWN)}
    </>
  ) : (
    `${from > 0 ? '…' : ''}${visibleLine(text.slice(from), LINE_CHARS_SHOWN)}`
  );
  return kind === 'removed' ? <del>{content}</del> : <ins>{content}</ins>;
}
