/** Whether a response sends a body or a stream of events. */
import { useRef } from 'preact/hooks';
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import { SelectField } from '../../parts/controls.tsx';
import { NEW_EVENT } from './new-route.ts';

interface ContentChoiceProps {
  readonly response: MockResponse;
  readonly isSocket: boolean;
  readonly canEdit: boolean;
  readonly onChange: (response: MockResponse) => void;
}

type Content = Pick<MockResponse, 'body' | 'bodyEncoding' | 'delivery' | 'stream'>;

const NO_BODY = { body: '', bodyEncoding: 'text' } as const;

export function ContentChoice({ response, isSocket, canEdit, onChange }: ContentChoiceProps): JSX.Element | null {
  const { body, bodyEncoding, delivery, stream, ...others } = response;
  const kind = stream === undefined ? 'body' : 'stream';
  // Choosing a kind again restores its content.
  const left = useRef<{ body: Content; stream: Content }>({
    body: NO_BODY,
    stream: { ...NO_BODY, stream: { events: [NEW_EVENT] } },
  });
  if (!canEdit) return null;
  const choose = (next: typeof kind): void => {
    left.current[kind] = {
      body,
      bodyEncoding,
      ...(delivery === undefined ? {} : { delivery }),
      ...(stream === undefined ? {} : { stream }),
    };
    onChange({ ...others, ...left.current[next] });
  };
  return (
    // The choice alone is not written: it would discard the other content.
    <div class="content-choice" onChange={(event) => event.stopPropagation()}>
      <SelectField label="Sends" value={kind} options={isSocket ? SOCKET_KINDS : KINDS} onChange={choose} />
    </div>
  );
}

const KINDS = [
  ['body', 'body'],
  ['stream', 'event stream'],
] as const;

const SOCKET_KINDS = [
  ['body', 'one message'],
  ['stream', 'several messages'],
] as const;
