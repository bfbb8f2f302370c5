/** Somebody else has changed the same route: the fields that differ, mine against theirs, each with a choice. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { Button } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SafeBlock } from '../../parts/safe-text.tsx';
import { differences, merged, type Difference, type Side } from './route-merge.ts';

interface ConflictDialogProps {
  readonly base: MockRoute;
  readonly mine: MockRoute;
  readonly theirs: MockRoute;
  readonly onChoose: (route: MockRoute) => void;
  readonly onDrop: () => void;
  readonly onClose: () => void;
}

const CHARS_SHOWN = 2_000;

export function ConflictDialog({ base, mine, theirs, onChoose, onDrop, onClose }: ConflictDialogProps): JSX.Element {
  const found = useMemo(() => differences(base, mine, theirs), [base, mine, theirs]);
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = (field: string): Side =>
    chosen[field] ?? found.find((each) => each.field === field)?.proposed ?? 'mine';
  const all = (side: Side): void => setChosen(Object.fromEntries(found.map(({ field }) => [field, side])));
  return (
    <Dialog title="Somebody else has changed this route" wide onClose={onClose}>
      <div class="stack">
        <p>Choose for each field that differs. Nothing is written before you do.</p>
        <p class="row">
          <Button onClick={() => all('mine')}>All mine</Button>
          <Button onClick={() => all('theirs')}>All theirs</Button>
        </p>
        {found.map((difference) => (
          <Choice
            key={difference.field}
            difference={difference}
            side={sideOf(difference.field)}
            onChoose={(side) => setChosen({ ...chosen, [difference.field]: side })}
          />
        ))}
        <p class="row">
          <Button kind="primary" onClick={() => onChoose(merged(mine, theirs, sideOf))}>
            Put into the working copy
          </Button>
          <Button onClick={onDrop}>Drop what I typed</Button>
        </p>
      </div>
    </Dialog>
  );
}

interface ChoiceProps {
  readonly difference: Difference;
  readonly side: Side;
  readonly onChoose: (side: Side) => void;
}

const Choice = ({ difference, side, onChoose }: ChoiceProps): JSX.Element => (
  <fieldset class="route-choice">
    <legend>
      {difference.label} {difference.isBoth && <span class="badge warn">both changed it</span>}
    </legend>
    {(['mine', 'theirs'] as const).map((each) => (
      <div key={each}>
        <label class="check">
          <input type="radio" name={difference.field} checked={side === each} onChange={() => onChoose(each)} />
          {each === 'mine' ? 'Mine' : 'Theirs'}
        </label>
        <SafeBlock text={shownValue(difference[each])} max={CHARS_SHOWN} />
      </div>
    ))}
  </fieldset>
);

function shownValue(value: unknown): string {
  if (value === undefined) return '(not there)';
  if (value === '') return '(empty)';
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}
