/** A latency: the choice of its form, and the fields of the form. */
import { useRef } from 'preact/hooks';
import { SelectField, TextField } from '../../parts/controls.tsx';
import { numberOrText } from './fields.tsx';
import { latencyForm, type LatencyForm } from './route-words.ts';
import type { Latency } from '../../../model/mocks/behaviour/latency-schema.ts';
import { choices } from '../../parts/words.ts';

interface LatencyFieldProps {
  readonly what?: string;
  readonly latency: Latency;
  readonly error: string | undefined;
  readonly onChange: (latency: Latency) => void;
  /** Called when a field loses the focus, or on Enter. */
  readonly onCommit?: (() => void) | undefined;
}

const FORMS = choices({ even: 'Fixed or range', normal: 'Normal', lognormal: 'Lognormal' });

interface Member {
  readonly name: string;
  readonly label: string;
  /** The meaning of an empty field; required without it. */
  readonly whenEmpty?: string;
}

const MEMBERS: Readonly<Record<Exclude<LatencyForm, 'even'>, readonly Member[]>> = {
  normal: [
    { name: 'mean', label: 'Mean, ms' },
    { name: 'deviation', label: 'Deviation, ms' },
    { name: 'min', label: 'At least, ms', whenEmpty: '0' },
    { name: 'max', label: 'At most, ms', whenEmpty: 'any' },
  ],
  lognormal: [
    { name: 'median', label: 'Median, ms' },
    { name: 'sigma', label: 'Sigma' },
    { name: 'max', label: 'At most, ms', whenEmpty: 'any' },
  ],
};

/** Initial values. */
const BEGINNINGS: Readonly<Record<LatencyForm, Latency>> = {
  even: 0,
  normal: { mean: 100, deviation: 20 },
  lognormal: { median: 100, sigma: 0.5 },
};

export function LatencyField(props: LatencyFieldProps): JSX.Element {
  const { what = 'Latency', latency, onChange, onCommit } = props;
  const form = latencyForm(latency);
  // Choosing a form again restores its values.
  const left = useRef<Partial<Record<LatencyForm, Latency>>>({});
  const choose = (next: LatencyForm): void => {
    left.current[form] = latency;
    onChange(left.current[next] ?? BEGINNINGS[next]);
    onCommit?.();
  };
  return (
    <div class="fields latency" data-unit>
      <SelectField label={`${what} type`} value={form} options={FORMS} onChange={choose} />
      {form === 'even' ? <EvenFields {...props} /> : <MemberFields {...props} members={MEMBERS[form]} />}
    </div>
  );
}

function EvenFields({ what = 'Latency', latency, error, onChange, onCommit }: LatencyFieldProps): JSX.Element {
  const { min, max } =
    typeof latency === 'object' ? (latency as { min: number; max: number }) : { min: latency, max: '' };
  const change = (from: number | string, to: number | string): void =>
    onChange((to === '' ? from : { min: from, max: to }) as Latency);
  const shared = { inputClass: 'number', onCommit };
  return (
    <>
      <TextField
        {...shared}
        label={`${what}, ms`}
        value={String(min)}
        error={error}
        onInput={(text) => change(numberOrText(text), max)}
      />
      <TextField
        {...shared}
        label="Up to, ms"
        value={String(max)}
        placeholder="fixed"
        onInput={(text) => change(min, text.trim() === '' ? '' : numberOrText(text))}
      />
    </>
  );
}

function MemberFields(props: LatencyFieldProps & { readonly members: readonly Member[] }): JSX.Element {
  const { latency, members, error, onChange, onCommit } = props;
  const known = latency as unknown as Readonly<Record<string, number | string>>;
  const change = ({ name, whenEmpty }: Member, text: string): void => {
    const { [name]: _, ...others } = known;
    const isLeftOut = whenEmpty !== undefined && text.trim() === '';
    onChange((isLeftOut ? others : { ...known, [name]: numberOrText(text) }) as unknown as Latency);
  };
  return (
    <>
      {members.map((member, index) => (
        <TextField
          key={member.name}
          label={member.label}
          value={String(known[member.name] ?? '')}
          inputClass="number"
          placeholder={member.whenEmpty ?? ''}
          error={index === 0 ? error : undefined}
          onInput={(text) => change(member, text)}
          onCommit={onCommit}
        />
      ))}
    </>
  );
}
