/** The stream of a response: its settings, and its events in order. */
import { useState } from 'preact/hooks';
import type { MockStream, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import { AddButton, ROWS_OPEN_MAX, useRows } from '../../parts/arrange.tsx';
import { boundChoice, boundOptional, withMember, below, besides } from '../../parts/bound.ts';
import { Button, Check, SelectField, TextField } from '../../parts/controls.tsx';
import { choices, countText } from '../../parts/words.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { EventFields } from './event-fields.tsx';
import { numberOrText, TemplateField, type ResponseProps } from './fields.tsx';
import { NEW_EVENT } from './new-route.ts';
import { eventWords, STREAM_FORMATS } from './route-words.ts';

interface StreamFieldProps extends ResponseProps {
  readonly stream: MockStream;
  readonly isSocket: boolean;
}

const MEMBERS = ['format', 'events', 'repeat', 'end', 'keepAliveMs', 'ids', 'resume', 'channel'];

export function StreamField(props: StreamFieldProps): JSX.Element {
  const { response, stream, isSocket, errorAt: errorOfResponse, onChange, onSave } = props;
  const errorAt = below(errorOfResponse, '/stream');
  const change = (next: MockStream): void => onChange({ ...response, stream: next });
  const choice = boundChoice(stream, change, errorAt);
  const optional = boundOptional(stream, change, errorAt);
  const { format = 'sse', ids, resume = true } = stream;
  /** Keeps members that the server refuses for this kind visible. */
  const isOfBody = (name: keyof MockStream): boolean => !isSocket || stream[name] !== undefined;
  const isOfSse = (name: keyof MockStream): boolean => (!isSocket && format === 'sse') || stream[name] !== undefined;
  const problem = besides(errorAt, MEMBERS);
  const type = response.headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value;
  return (
    <section class="stack" aria-label={isSocket ? 'Messages' : 'Stream'}>
      <div class="row">
        <h3>{isSocket ? 'Messages' : 'Stream'}</h3>
        <TemplateField {...props} />
      </div>
      {problem !== undefined && <p class="error">{problem}</p>}
      <div class="fields stream-line">
        {isOfBody('format') && <SelectField label="Format" {...choice('format', 'sse')} options={STREAM_FORMATS} />}
        <TextField
          label={isSocket ? 'Repeat messages' : 'Repeat events'}
          placeholder="1, or forever"
          {...optional('repeat', numberOrText)}
          inputClass="number"
        />
        {isOfBody('end') && <SelectField label="Then" {...choice('end', 'close')} options={ENDS} />}
        {isOfSse('keepAliveMs') && (
          <TextField
            label="Keep-alive, ms"
            placeholder="15000"
            {...optional('keepAliveMs', numberOrText)}
            inputClass="number"
          />
        )}
        {isOfBody('channel') && (
          <TextField label="Channel" placeholder={visibleLine(response.label)} {...optional('channel')} />
        )}
      </div>
      <div class="row">
        {isOfSse('ids') && (
          <Check
            label="Number the events"
            checked={ids === 'auto'}
            onChange={(isOn) => change(withMember(stream, 'ids', isOn ? 'auto' : undefined))}
          />
        )}
        {isOfSse('resume') && (
          <Check
            label="Resume after Last-Event-ID"
            checked={resume}
            onChange={(isOn) => change(withMember(stream, 'resume', isOn ? undefined : false))}
          />
        )}
        {[errorAt('/ids'), errorAt('/resume')].map(
          (message) =>
            message !== undefined && (
              <span class="error" key={message}>
                {message}
              </span>
            ),
        )}
      </div>
      {!isSocket && format === 'sse' && type !== undefined && !type.startsWith('text/event-stream') && (
        <p class="hint">An EventSource refuses its content-type, {visibleLine(type, 100)}.</p>
      )}
      <Events
        {...props}
        errorAt={below(errorAt, '/events')}
        onChange={(events) => change({ ...stream, events })}
        onSave={onSave}
      />
    </section>
  );
}

const ENDS = choices({ close: 'ends', open: 'stay open' });

interface EventsProps extends Omit<StreamFieldProps, 'onChange'> {
  readonly onChange: (events: readonly StreamEvent[]) => void;
}

function Events({ stream, isSocket, errorAt, onChange, onSave }: EventsProps): JSX.Element {
  const { events } = stream;
  // A message takes the members of a bytes stream.
  const { format = isSocket ? 'raw' : 'sse' } = stream;
  const name = isSocket ? 'message' : 'event';
  const [opened, setOpened] = useState<number>();
  const { root, add, set, move, remove, focus } = useRows(events, onChange, onSave);
  const own = besides(errorAt, [...events.keys()].map(String));
  return (
    <section class="stack" aria-label={isSocket ? 'Each message' : 'Events'} ref={root}>
      <div class="row">
        {!isSocket && <h3>Events</h3>}
        <span class="muted">{countText(events.length, name)}</span>
        <AddButton
          label={isSocket ? 'Add a message' : 'Add an event'}
          onClick={() => {
            add(NEW_EVENT);
            setOpened(events.length);
          }}
        />
      </div>
      {own !== undefined && <p class="error">{own}</p>}
      {events.map((event, index) =>
        events.length <= ROWS_OPEN_MAX || opened === index || errorAt(`/${index}`) !== undefined ? (
          <EventFields
            key={index}
            event={event}
            format={format}
            name={name}
            index={index}
            count={events.length}
            errorAt={below(errorAt, `/${index}`)}
            onChange={(next) => set(index, next)}
            onMove={(to) => {
              move(index, to);
              if (opened === index) setOpened(to);
            }}
            onRemove={() => remove(index)}
          />
        ) : (
          <div class="row" data-unit key={index}>
            <Button
              kind="quiet"
              label={`Open ${name} ${index + 1}`}
              onClick={() => {
                setOpened(index);
                focus(index);
              }}
            >
              {index + 1}
            </Button>
            <span class="safe-line">{visibleLine(eventWords(event), 120)}</span>
          </div>
        ),
      )}
    </section>
  );
}
