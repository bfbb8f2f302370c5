/** What a response sends: a body, or a stream of events in its place. */
import { useRef } from 'preact/hooks';
import type { MockResponse } from '../../../model/mocks/definition/definition.ts';
import { SelectField } from '../../parts/controls.tsx';
import { BodyField } from './body-field.tsx';
import type { ErrorAt } from './fields.tsx';
import { NEW_EVENT } from './new-route.ts';
import { StreamField } from './stream-field.tsx';

interface ContentFieldProps {
  readonly response: MockResponse;
  /** Whether it sends messages on a WebSocket. */
  readonly isSocket: boolean;
  readonly canEdit: boolean;
  readonly errorAt: ErrorAt;
  readonly onChange: (response: MockResponse) => void;
  readonly onSave: () => void;
}

type Content = Pick<MockResponse, 'body' | 'bodyEncoding' | 'delivery' | 'stream'>;

const NO_BODY = { body: '', bodyEncoding: 'text' } as const;

export function ContentField(props: ContentFieldProps): JSX.Element {
  const { response, isSocket, canEdit, errorAt, onChange } = props;
  const { body, bodyEncoding, delivery, stream, ...others } = response;
  const kind = stream === undefined ? 'body' : 'stream';
  // What is chosen again has what it had.
  const left = useRef<{ body: Content; stream: Content }>({
    body: NO_BODY,
    stream: { ...NO_BODY, stream: { events: [NEW_EVENT] } },
  });
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
    <>
      {canEdit && (
        // The choice alone is not written: it would leave nothing of the other one.
        <div class="content-choice" onChange={(event) => event.stopPropagation()}>
          <SelectField label="It sends" value={kind} options={isSocket ? SOCKET_KINDS : KINDS} onChange={choose} />
        </div>
      )}
      {stream === undefined ? (
        <BodyField {...props} error={errorAt('/body') ?? errorAt('/bodyEncoding') ?? errorAt('/templated')} />
      ) : (
        <StreamField {...props} stream={stream} />
      )}
    </>
  );
}

const KINDS = [
  ['body', 'a body'],
  ['stream', 'a stream of events'],
] as const;

const SOCKET_KINDS = [
  ['body', 'one message'],
  ['stream', 'several messages'],
] as const;
