/** A latency: one number, or two to draw between. */
import type { JSX } from 'preact';
import type { Latency } from '../../../model/mocks/definition.ts';
import { TextField } from '../../parts/controls.tsx';
import { isRange } from './latency-words.ts';
import { NumberField, numberOrText } from './number-field.tsx';

interface LatencyFieldProps {
  readonly latency: Latency;
  readonly canEdit: boolean;
  readonly error: string | undefined;
  readonly onChange: (latency: Latency) => void;
  /** When a field of it is left, or Enter is pressed. */
  readonly onCommit?: () => void;
}

/** Of what the two fields cannot hold: nothing, until they are filled. */
function boundsOf(latency: Latency): { min: number; max: number | string } {
  if (typeof latency !== 'object') return { min: latency, max: '' };
  return isRange(latency) ? latency : { min: '' as unknown as number, max: '' };
}

export function LatencyField({ latency, canEdit, error, onChange, onCommit }: LatencyFieldProps): JSX.Element {
  const { min, max } = boundsOf(latency);
  const change = (from: number | string, to: number | string): void =>
    onChange((to === '' ? from : { min: from, max: to }) as Latency);
  return (
    <div class="latency" data-unit>
      <NumberField
        label="Latency, ms"
        value={min}
        onInput={(value) => change(value, max)}
        onCommit={onCommit}
        readOnly={!canEdit}
        error={error}
      />
      <TextField
        label="up to, ms"
        value={String(max)}
        placeholder="the same"
        inputClass="number"
        onInput={(text) => change(min, text.trim() === '' ? '' : numberOrText(text))}
        {...(onCommit === undefined ? {} : { onCommit })}
        readOnly={!canEdit}
      />
    </div>
  );
}
