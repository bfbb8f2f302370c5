/** One recorded request: its content, the reason for its answer, and actions. */
import { useState } from 'preact/hooks';
import type { MockRecord, RequestRecord, RequestSummary } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { BodyView, HeaderList } from '../parts/message.tsx';
import { RequestLine, SafeLine, StatusBadge } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import { exactTimeText, targetOf } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import type { Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { addressOf, formOfRequest } from '../verify/expectation.ts';
import { curlOf } from './curl.ts';
import { durationText } from './durations.ts';
import { FeedDrawer } from './feed-row.tsx';
import type { OpenRequest } from './feed-screen.tsx';
import { MakeRoute } from './make-route.tsx';
import type { MockFeed } from './mock-feed.ts';
import { streamWords } from './stream-words.ts';
import { routeText, type RouteNames } from './traffic-list.tsx';
import { WhyRequest } from './why-request.tsx';

interface DrawerProps extends OpenRequest<RequestSummary> {
  readonly feed: MockFeed;
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly names: RouteNames;
}

export const RequestDrawer = (props: DrawerProps): JSX.Element => (
  <FeedDrawer<RequestSummary, RequestRecord>
    {...props}
    noun="request"
    load={() => api().mocks.request(props.record.id, props.id)}
    isOpen={({ stream }) => stream?.ended === null}
    title={(request) => (
      <RequestLine
        method={request.message === undefined ? request.method : `WebSocket ${request.message.direction}`}
        target={targetOf(request)}
        max={500}
      />
    )}
    facts={(request) => <Facts {...props} request={request} />}
  >
    {(request) => <Details {...props} request={request} />}
  </FeedDrawer>
);

function Facts({ record, names, request }: DrawerProps & { readonly request: RequestSummary }): JSX.Element {
  const { time, status, routeId, durationMs, version, problem, fault, session } = request;
  return (
    <>
      {request.message === undefined ? (
        <StatusBadge status={status} />
      ) : (
        <span class="badge">{request.message.type}</span>
      )}
      {routeId === null ? (
        <span class="badge bad">no route</span>
      ) : (
        <a href={hrefOf(['mocks', record.id, 'routes', routeId])}>
          <SafeLine text={routeText(request, names)} />
        </a>
      )}
      <span class="muted">
        {exactTimeText(time)} · {durationText(durationMs)} · v{version}
      </span>
      {session !== undefined && (
        <a href={hrefOf(['mocks', record.id, 'sessions', session])}>session {visibleLine(session, 40)}</a>
      )}
      {fault !== undefined && <span class="error">fault: {fault}</span>}
      {problem !== undefined && (
        <span class="error">
          <SafeLine text={problem} max={500} />
        </span>
      )}
    </>
  );
}

function Details(props: DrawerProps & { readonly request: RequestRecord }): JSX.Element {
  const { feed, mock, record, request } = props;
  const [isMaking, setMaking] = useState(false);
  const { id, routeId, headers, bodyTruncated, traceId, stream } = request;
  const traffic = ['mocks', record.id, 'traffic'];
  return (
    <>
      {stream !== undefined && <p>It got a {streamWords(stream)}.</p>}
      <div class="row">
        {mayEdit.value && record.file === null && (
          <Button kind={routeId === null ? 'primary' : 'plain'} onClick={() => setMaking(true)}>
            Make this a route
          </Button>
        )}
        <a class="button plain" href={hrefOf(['mocks', record.id, 'verify'], addressOf(formOfRequest(request)))}>
          Use in verify
        </a>
        {routeId !== null && (
          <a class="button plain" href={hrefOf(traffic, { route: routeId })}>
            Only this route
          </a>
        )}
        {traceId !== undefined && (
          <a class="button plain" href={hrefOf(traffic, { trace: traceId })}>
            Only this trace
          </a>
        )}
        <CopyButton text={curlOf(request, api().mocks.urlFor(record))} what="as curl">
          Copy as curl
        </CopyButton>
      </div>
      <WhyRequest record={record} request={request} />
      <Section title="Headers">
        <HeaderList headers={headers} />
      </Section>
      <Section title="Body">
        <BodyView {...request} fileName={`request-${id}.bin`} />
        {bodyTruncated && <p class="muted">Truncated: only the first 32 kB of a body are recorded.</p>}
      </Section>
      {isMaking && (
        <MakeRoute
          key={id}
          feed={feed}
          mock={mock}
          record={record}
          request={request}
          onClose={() => setMaking(false)}
        />
      )}
    </>
  );
}
