/** The fields of one response. */
import { useRef } from 'preact/hooks';
import type { MockResponse, Selection } from '../../../model/mocks/definition/definition.ts';
import { bound, boundChoice, boundJson, withMember } from '../../parts/bound.ts';
import { Check, SelectField, TextField, useReadOnly } from '../../parts/controls.tsx';
import { DocLink } from '../../parts/states.tsx';
import { dropEmpty } from '../../state/filters.ts';
import { BodyField } from './body-field.tsx';
import { JsonField, NumberField, type ResponseProps } from './fields.tsx';
import { NEW_EVENT } from './new-route.ts';
import { HeadersField } from './headers-field.tsx';
import { LatencyField } from './latency-field.tsx';
import { RulesField } from './rules-field.tsx';
import { StreamField } from './stream-field.tsx';
import { choices } from '../../parts/words.ts';

interface ResponseFormProps extends ResponseProps {
  /** From 1. */
  readonly number: number;
  readonly selection: Selection;
  readonly isSocket: boolean;
  readonly isOnly: boolean;
}

export function ResponseForm(props: ResponseFormProps): JSX.Element {
  const { response, number, selection, isSocket, isOnly, errorAt, onChange, onSave } = props;
  const part: ResponseProps = { response, errorAt, onChange, onSave };
  const field = bound(response, onChange, errorAt);
  const hasHead = !isSocket || response.when === 'open';
  const sendsMessages = isSocket && !(response.when === 'open' && response.status >= 300);
  return (
    <section class="panel response-form" aria-label={`Response ${number}`}>
      <div class="fields response-line">
        {hasHead && <NumberField label="Status" {...field('status')} />}
        {selection === 'random' && <NumberField label="Weight" {...field('weight')} />}
        <ContentChoice {...part} isSocket={sendsMessages} />
        <TextField label="Label" {...field('label')} />
      </div>
      {isSocket && <SocketFields {...part} />}
      {response.stream === undefined ? (
        <BodyField {...part} />
      ) : (
        <StreamField {...part} stream={response.stream} isSocket={sendsMessages} />
      )}
      {hasHead && <HeadersField {...part} />}
      {(selection === 'rules' || response.rules.length > 0) && <RulesField {...part} isUsed={selection === 'rules'} />}
      {((!isOnly && (selection === 'rules' || selection === 'default')) || response.default) && (
        <Check
          label={
            selection === 'default' ? 'Default response: always sent' : 'Default response: sent when no conditions hold'
          }
          {...field('default')}
        />
      )}
      <LatencyField {...field('latency')} latency={response.latency} />
      <BehaviourFields {...part} />
    </section>
  );
}

const WHEN_CHOICES = choices({ message: 'a message', open: 'a handshake', tick: 'a tick' });

const TO_CHOICES = choices({
  sender: 'the sender',
  all: 'all sockets of the route',
  others: 'all sockets but the sender',
});

function SocketFields({ response, errorAt, onChange }: ResponseProps): JSX.Element {
  const edit = [response, onChange, errorAt] as const;
  const choice = boundChoice(...edit);
  return (
    <div class="fields response-line">
      <SelectField label="Replies to" {...choice('when', 'message')} options={WHEN_CHOICES} />
      <SelectField label="Send to" {...choice('to', 'sender')} options={TO_CHOICES} />
      <Check
        label="Silent: send nothing"
        checked={response.silent === true}
        onChange={(silent) => onChange(withMember(response, 'silent', silent ? true : undefined))}
      />
      <JsonField
        label="Close"
        hint="Closes the socket after the reply:"
        example='{"code": 1000, "reason": "over"}'
        {...boundJson(...edit)('close')}
      />
    </div>
  );
}

/** By member: its label, a hint, and the example that follows it. */
const MEMBERS = {
  fault: [
    'Fault',
    'empty, reset, hang, truncated, malformedChunk, garbage or status; for streams also ended and events. This one fails twice, then works:',
    '{"kind": "status", "status": 503, "first": 2}',
  ],
  delivery: [
    'Delivery',
    'In chunks ("chunks" and "overMs"), at a rate, or delayed ("firstByteMs"):',
    '{"bytesPerSecond": 20000}',
  ],
  scenario: [
    'Scenario',
    'The required state of a scenario, and the next state:',
    '{"name": "order", "requires": "new", "moveTo": "paid"}',
  ],
  store: [
    'Store',
    'An operation on a store. Without a body, the response is its result:',
    '{"op": "get", "name": "users"}',
  ],
  proxy: [
    'Upstream',
    'Proxies to a real service, instead of this body and these headers; {} uses the upstream of the settings:',
    '{"upstream": "https://api.example.com"}',
  ],
  callbacks: [
    'Callbacks',
    'Requests to send after the response, in order:',
    '[{"url": "http://127.0.0.1:3000/webhooks", "body": "{}"}]',
  ],
} as const;

const MEMBER_NAMES = Object.keys(MEMBERS) as (keyof typeof MEMBERS)[];

function BehaviourFields({ response, errorAt, onChange }: ResponseProps): JSX.Element | null {
  const json = boundJson(response, onChange, errorAt);
  const isUsed = MEMBER_NAMES.some((name) => response[name] !== undefined);
  if (useReadOnly() && !isUsed) return null;
  return (
    <details open={isUsed}>
      <summary>Faults, delivery, scenario, store, upstream, callbacks</summary>
      {MEMBER_NAMES.map((name) => {
        const [label, hint, example] = MEMBERS[name];
        return <JsonField key={name} label={label} hint={hint} example={example} {...json(name)} />;
      })}
      <p class="hint">
        <DocLink to="mocks-behaviour#faults">How clients see each fault</DocLink>
      </p>
    </details>
  );
}

type Content = Pick<MockResponse, 'body' | 'bodyEncoding' | 'delivery' | 'stream'>;

const NO_BODY = { body: '', bodyEncoding: 'text' } as const;

/** Whether a response sends a body or a stream of events. */
function ContentChoice(props: ResponseProps & { readonly isSocket: boolean }): JSX.Element | null {
  const { response, isSocket, onChange } = props;
  const { body, bodyEncoding, delivery, stream, ...others } = response;
  const kind = stream === undefined ? 'body' : 'stream';
  // Choosing a kind again restores its content.
  const left = useRef<{ body: Content; stream: Content }>({
    body: NO_BODY,
    stream: { ...NO_BODY, stream: { events: [NEW_EVENT] } },
  });
  if (useReadOnly()) return null;
  const choose = (next: typeof kind): void => {
    left.current[kind] = { body, bodyEncoding, ...dropEmpty({ delivery, stream }) };
    onChange({ ...others, ...left.current[next] });
  };
  return (
    // The choice alone is not written: it would discard the other content.
    <div class="content-choice" onChange={(event) => event.stopPropagation()}>
      <SelectField label="Sends" value={kind} options={isSocket ? SOCKET_KINDS : KINDS} onChange={choose} />
    </div>
  );
}

const KINDS = choices({ body: 'body', stream: 'event stream' });

const SOCKET_KINDS = choices({ body: 'one message', stream: 'several messages' });
