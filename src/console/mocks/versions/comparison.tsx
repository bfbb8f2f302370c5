/** What differs between two copies of a mock, the older first. */
import type { JSX } from 'preact';
import { Shown } from '../../parts/states.tsx';
import { useResource } from '../../state/resource.ts';
import { DiffView } from '../review/diff-view.tsx';
import { changeCount, changeWords } from '../review/diff-words.ts';
import { loadDiff, type Copy, type NamedDiff } from '../review/load-diff.ts';

interface ComparisonProps {
  readonly mockId: string;
  readonly number: number;
  readonly other: Copy;
}

export function Comparison({ mockId, number, other }: ComparisonProps): JSX.Element {
  const [from, to]: readonly [number, Copy] = other === 'staged' || other > number ? [number, other] : [other, number];
  const isStaged = to === 'staged';
  const named = useResource<NamedDiff>(() => loadDiff(mockId, from, to), [mockId, from, to], {
    whenChanged: ({ recordIds }) => (isStaged && recordIds.includes(mockId) ? 'mark' : undefined),
  });
  const [one, another] = [`version ${from}`, isStaged ? 'the working copy' : `version ${to}`];
  return (
    <Shown of={named} what={isStaged ? 'the working copy' : 'the comparison'}>
      {(shown) => {
        const { diff } = shown;
        const words = changeWords(diff).join(', ');
        return (
          <>
            <p role="status">
              {changeCount(diff) === 0
                ? `No difference: ${another} is ${one}.`
                : `From ${one} to ${another}: ${words}.`}
            </p>
            <DiffView mockId={mockId} named={shown} linked={isStaged ? 'staged' : 'none'} />
          </>
        );
      }}
    </Shown>
  );
}
