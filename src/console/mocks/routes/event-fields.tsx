/** The fields of one event of a stream. */
import { useState } from 'preact/hooks';
import type { MockStream, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import { MoveButtons, RemoveButton } from '../../parts/arrange.tsx';
import { boundChoice, boundOptional, withMember, besides, type ErrorAt } from '../../parts/bound.ts';
import { isHeavy } from '../../parts/body-text.ts';
import { SelectField, TextField, useReadOnly } from '../../parts/controls.tsx';
import { HeavyText } from './body-field.tsx';
import { numberOrText, rowsFor } from './fields.tsx';
import { LatencyField } from './latency-field.tsx';
import { choices } from '../../parts/words.ts';

interface EventFieldsProps {
  readonly event: StreamEvent;
  readonly format: NonNullable<MockStream['format']>;
  readonly name: 'event' | 'message';
  readonly index: number;
  readonly count: number;
  readonly errorAt: ErrorAt;
  readonly onChange: (event: StreamEvent) => void;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

const MEMBERS = ['data', 'encoding', 'event', 'id', 'forEach', 'retry', 'comment', 'delay'];

export function EventFields(props: EventFieldsProps): JSX.Element {
  const { event, format, name, index, count, errorAt, onChange, onMove, onRemove } = props;
  const canEdit = !useReadOnly();
  const [isPlain, setPlain] = useState(false);
  const { data = '', delay = 0 } = event;
  const text = boundOptional(event, onChange, errorAt);
  /** Keeps members that the server refuses for this format visible. */
  const isOf = (own: typeof format, member: keyof StreamEvent): boolean =>
    format === own || event[member] !== undefined;
  const what = `${name} ${index + 1}`;
  const problem = besides(errorAt, MEMBERS);
  return (
    <fieldset class="panel stack tight stream-event" data-unit>
      <legend>
        {name === 'event' ? 'Event' : 'Message'} {index + 1}
      </legend>
      {isHeavy(data) && !isPlain ? (
        <HeavyText text={data} onEdit={canEdit ? () => setPlain(true) : undefined} />
      ) : (
        <TextField label="Data" {...text('data')} rows={rowsFor(data)} monospace />
      )}
      <div class="fields stream-line">
        {isOf('raw', 'encoding') && (
          <SelectField
            label="Encoding"
            {...boundChoice(event, onChange, errorAt)('encoding', 'text')}
            options={ENCODINGS}
          />
        )}
        {isOf('sse', 'event') && <TextField label="Name" {...text('event')} monospace />}
        {isOf('sse', 'id') && <TextField label="Id" {...text('id')} monospace />}
        <TextField label="For each of" placeholder="{{a list}}" {...text('forEach')} monospace />
        {isOf('sse', 'retry') && <TextField label="Retry, ms" {...text('retry', numberOrText)} inputClass="number" />}
        {isOf('sse', 'comment') && <TextField label="Comment" {...text('comment')} />}
      </div>
      <LatencyField
        what="Delay"
        latency={delay}
        error={errorAt('/delay')}
        onChange={(next) => onChange(withMember(event, 'delay', next === 0 ? undefined : next))}
      />
      {problem !== undefined && <p class="error">{problem}</p>}
      {canEdit && (
        <div class="row">
          <MoveButtons what={what} index={index} count={count} onMove={onMove} />
          <RemoveButton what={what} onClick={onRemove} />
        </div>
      )}
    </fieldset>
  );
}

const ENCODINGS = choices({ text: 'text', base64: 'bytes (base64)' });
