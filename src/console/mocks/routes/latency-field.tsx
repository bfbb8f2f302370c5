/** A latency: one number, or two to draw between. */
import type { JSX } from 'preact';
import type { Latency } from '../../../model/mocks/definition.ts';
import { TextField } from '../../parts/controls.tsx';
import { NumberField, numberOrText } from './number-field.tsx';

interface LatencyFieldProps {
  readonly latency: Latency;
  readonly canEdit: boolean;
  readonly error: string | undefined;
  readonly onChange: (latency: Latency) => void;
  /** When a field of it is left, or Enter is pressed. */
  readonly onCommit?: () => void;
}

export function LatencyField({ latency, canEdit, error, onChange, onCommit }: LatencyFieldProps): JSX.Element {
  const isRange = typeof latency === 'object';
  const { min, max } = isRange ? latency : { min: latency, max: '' as const };
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
