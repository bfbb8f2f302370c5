/** The fields of one response. */
import type { MockResponse, Selection } from '../../../model/mocks/definition/definition.ts';
import { bound } from '../../parts/bound.ts';
import { Check, SelectField, TextField } from '../../parts/controls.tsx';
import { BodyField } from './body-field.tsx';
import { ContentChoice } from './content-choice.tsx';
import { below, JsonField, NumberField, type ErrorAt } from './fields.tsx';
import { HeadersField } from './headers-field.tsx';
import { LatencyField } from './latency-field.tsx';
import { RulesField } from './rules-field.tsx';
import { StreamField } from './stream-field.tsx';

interface ResponseFormProps {
  readonly response: MockResponse;
  /** From 1. */
  readonly number: number;
  readonly selection: Selection;
  readonly isSocket: boolean;
  readonly isOnly: boolean;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
  readonly onSave: () => void;
}

export function ResponseForm(props: ResponseFormProps): JSX.Element {
  const { response, number, selection, isSocket, isOnly, canEdit, errorAt, onChange, onSave } = props;
  const field = bound(response, onChange, errorAt, !canEdit);
  const hasHead = !isSocket || response.when === 'open';
  const sendsMessages = isSocket && !(response.when === 'open' && response.status >= 300);
  const content = { response, canEdit, onChange, onSave };
  return (
    <section class="panel response-form" aria-label={`Response ${number}`}>
      <div class="response-line">
        {hasHead && <NumberField label="Status" {...field('status')} />}
        {selection === 'random' && <NumberField label="Weight" {...field('weight')} />}
        <ContentChoice isSocket={sendsMessages} canEdit={canEdit} response={response} onChange={onChange} />
        <TextField label="Label" {...field('label')} />
      </div>
      {isSocket && <SocketFields response={response} canEdit={canEdit} errorAt={errorAt} onChange={onChange} />}
      {response.stream === undefined ? (
        <BodyField {...content} error={errorAt('/body') ?? errorAt('/bodyEncoding') ?? errorAt('/templated')} />
      ) : (
        <StreamField {...content} stream={response.stream} isSocket={sendsMessages} errorAt={errorAt} />
      )}
      {hasHead && (
        <HeadersField
          headers={response.headers}
          canEdit={canEdit}
          errorAt={below(errorAt, '/headers')}
          onChange={field('headers').onChange}
          onSave={onSave}
        />
      )}
      {(selection === 'rules' || response.rules.length > 0) && (
        <RulesField
          response={response}
          isUsed={selection === 'rules'}
          canEdit={canEdit}
          errorAt={below(errorAt, '/rules')}
          onChange={onChange}
          onSave={onSave}
        />
      )}
      {((!isOnly && (selection === 'rules' || selection === 'default')) || response.default) && (
        <Check
          label={
            selection === 'default' ? 'Default response: always sent' : 'Default response: sent when no conditions hold'
          }
          {...field('default')}
        />
      )}
      <LatencyField {...field('latency')} latency={response.latency} canEdit={canEdit} />
      <BehaviourFields response={response} canEdit={canEdit} errorAt={errorAt} onChange={onChange} />
    </section>
  );
}

interface BehaviourFieldsProps {
  readonly response: MockResponse;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
}

const WHEN_CHOICES = [
  ['message', 'a message'],
  ['open', 'a handshake'],
  ['tick', 'a tick'],
] as const;

const TO_CHOICES = [
  ['sender', 'the sender'],
  ['all', 'all sockets of the route'],
  ['others', 'all sockets but the sender'],
] as const;

function SocketFields({ response, canEdit, errorAt, onChange }: BehaviourFieldsProps): JSX.Element {
  const field = bound(response, onChange, errorAt, !canEdit);
  const set = (name: 'when' | 'to' | 'silent' | 'close', value: unknown): void => {
    const { [name]: _before, ...rest } = response;
    onChange(value === undefined ? rest : { ...rest, [name]: value });
  };
  return (
    <div class="response-line">
      <SelectField
        label="Replies to"
        {...field('when')}
        value={response.when ?? 'message'}
        options={WHEN_CHOICES}
        onChange={(when) => set('when', when === 'message' ? undefined : when)}
      />
      <SelectField
        label="Send to"
        {...field('to')}
        value={response.to ?? 'sender'}
        options={TO_CHOICES}
        onChange={(to) => set('to', to === 'sender' ? undefined : to)}
      />
      <Check
        label="Silent: send nothing"
        checked={response.silent === true}
        disabled={!canEdit}
        onChange={(silent) => set('silent', silent ? true : undefined)}
      />
      <JsonField
        label="Close"
        hint="Closes the socket after the reply:"
        example='{"code": 1000, "reason": "over"}'
        value={response.close}
        canEdit={canEdit}
        error={errorAt('/close')}
        onChange={(close) => set('close', close)}
      />
    </div>
  );
}

const MEMBERS = [
  {
    name: 'fault',
    label: 'Fault',
    hint: 'empty, reset, hang, truncated, malformedChunk, garbage or status; for streams also ended and events. This one fails twice, then works:',
    example: '{"kind": "status", "status": 503, "first": 2}',
  },
  {
    name: 'delivery',
    label: 'Delivery',
    hint: 'In chunks ("chunks" and "overMs"), at a rate, or delayed ("firstByteMs"):',
    example: '{"bytesPerSecond": 20000}',
  },
  {
    name: 'scenario',
    label: 'Scenario',
    hint: 'The required state of a scenario, and the next state:',
    example: '{"name": "order", "requires": "new", "moveTo": "paid"}',
  },
  {
    name: 'store',
    label: 'Store',
    hint: 'An operation on a store. Without a body, the response is its result:',
    example: '{"op": "get", "name": "users"}',
  },
  {
    name: 'proxy',
    label: 'Upstream',
    hint: 'Proxies to a real service, instead of this body and these headers; {} uses the upstream of the settings:',
    example: '{"upstream": "https://api.example.com"}',
  },
  {
    name: 'callbacks',
    label: 'Callbacks',
    hint: 'Requests to send after the response, in order:',
    example: '[{"url": "http://127.0.0.1:3000/webhooks", "body": "{}"}]',
  },
] as const;

function BehaviourFields({ response, canEdit, errorAt, onChange }: BehaviourFieldsProps): JSX.Element | null {
  const isUsed = MEMBERS.some(({ name }) => response[name] !== undefined);
  if (!canEdit && !isUsed) return null;
  return (
    <details class="behaviour" open={isUsed}>
      <summary>Faults, delivery, scenario, store, upstream, callbacks</summary>
      {MEMBERS.map(({ name, label, hint, example }) => (
        <JsonField
          key={name}
          label={label}
          hint={hint}
          example={example}
          value={response[name]}
          canEdit={canEdit}
          error={errorAt(`/${name}`)}
          onChange={(value) => onChange({ ...response, [name]: value })}
        />
      ))}
      <p class="hint">
        <a href="console/docs/mocks-behaviour#faults" target="_blank" rel="noreferrer">
          How clients see each fault
        </a>
      </p>
    </details>
  );
}
