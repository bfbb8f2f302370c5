/** A latency: one number, or two to draw between; other distributions as JSON. */
import type { JSX } from 'preact';
import type { Latency } from '../../../model/mocks/definition.ts';
import { TextField } from '../../parts/controls.tsx';
import { JsonField } from './json-field.tsx';
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

export function LatencyField({ latency, canEdit, error, onChange, onCommit }: LatencyFieldProps): JSX.Element {
  if (typeof latency === 'object' && !isRange(latency)) {
    return (
      <JsonField
        label="Latency, ms"
        hint="Drawn from a distribution. A number in its place is fixed:"
        example="20"
        value={latency}
        canEdit={canEdit}
        error={error}
        onChange={(value) => onChange((value ?? 0) as Latency)}
        {...(onCommit === undefined ? {} : { onCommit })}
      />
    );
  }
  const { min, max } = typeof latency === 'object' ? latency : { min: latency, max: '' };
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
