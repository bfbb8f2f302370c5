/** Fields before and after: in a line, or line by line where they have several. */
import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { FieldChange } from '../../../model/mocks/diff.ts';
import { jsonLines } from '../../parts/json-lines.ts';
import { LineDiff } from '../../parts/line-diff-view.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { fieldName, textChange, valueText, type TextChange } from './diff-words.ts';

const VALUE_CHARS_SHOWN = 1_000;

export const FieldChanges = ({ fields }: { readonly fields: readonly FieldChange[] }): JSX.Element => (
  <dl class="stack tight diff-fields">
    {fields.map((change) => (
      <div key={change.field}>
        <dt>{fieldName(change.field)}</dt>
        <dd>
          <Change change={change} />
        </dd>
      </div>
    ))}
  </dl>
);

function Change({ change }: { readonly change: FieldChange }): JSX.Element {
  const { field, before, after } = change;
  const texts = textChange(change);
  if (texts !== undefined) return <TextDiff change={change} texts={texts} />;
  if (field === 'body') return <BodySizes change={change} why="too large, or no text" />;
  return (
    <span class="diff-values">
      <del>
        <SafeLine text={valueText(field, before)} max={VALUE_CHARS_SHOWN} />
      </del>{' '}
      <span aria-label="becomes" role="img">
        →
      </span>{' '}
      <ins>
        <SafeLine text={valueText(field, after)} max={VALUE_CHARS_SHOWN} />
      </ins>
    </span>
  );
}

function TextDiff({ change, texts }: { readonly change: FieldChange; readonly texts: TextChange }): JSX.Element {
  const { before, after, isLaidOut } = useMemo(() => laidOut(texts), [texts.before, texts.after]);
  const isBody = change.field === 'body';
  return (
    <div class="stack tight">
      {isBody && (
        <p class="muted">
          {bytes(change.beforeBytes)} → {bytes(change.afterBytes)}
          {isLaidOut && ', laid out in lines here'}
        </p>
      )}
      <LineDiff
        before={before}
        after={after}
        label={fieldName(change.field)}
        otherwise={<BodySizes change={change} why="too many lines" />}
      />
    </div>
  );
}

/** JSON of one long line is compared member by member. */
function laidOut({ before, after }: TextChange): TextChange & { readonly isLaidOut: boolean } {
  const [old, now] = [jsonLines(before), jsonLines(after)];
  const isLaidOut = (old ?? now) !== undefined && (old ?? before) !== (now ?? after);
  return isLaidOut ? { before: old ?? before, after: now ?? after, isLaidOut } : { before, after, isLaidOut };
}

const BodySizes = ({ change, why }: { readonly change: FieldChange; readonly why: string }): JSX.Element => (
  <span>
    changed, {bytes(change.beforeBytes)} → {bytes(change.afterBytes)} <span class="muted">(not compared: {why})</span>
  </span>
);

const bytes = (count: number | undefined): string =>
  `${(count ?? 0).toLocaleString('en')} ${count === 1 ? 'byte' : 'bytes'}`;
