/** One recorded request: its content, the reason for its answer, and actions. */
import { useState } from 'preact/hooks';
import type { MockRecord, RequestRecord, RequestSummary } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Drawer } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Shown } from '../parts/states.tsx';
import { exactTimeText, statusClass, targetOf } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { addressOf, formOfRequest } from '../verify/expectation.ts';
import { curlOf } from './curl.ts';
import { durationText } from './durations.ts';
import { MakeRoute } from './make-route.tsx';
import { BodyView, HeaderList } from './message.tsx';
import type { MockFeed } from './mock-feed.ts';
import { streamWords } from './stream-words.ts';
import { routeText, type RouteNames } from './traffic-list.tsx';
import { WhyRequest } from './why-request.tsx';

interface DrawerProps {
  readonly feed: MockFeed;
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly names: RouteNames;
  readonly requestId: string;
  readonly life: number;
  /** The data of its row. */
  readonly summary: RequestSummary | undefined;
  readonly onClose: () => void;
}

export function RequestDrawer(props: DrawerProps): JSX.Element {
  const { feed, record, requestId, life, summary, onClose } = props;
  // Loaded once: the same id may mean another request after a reset.
  const [isOfNow] = useState(life === feed.life);
  const request = useResource(() => api().mocks.request(record.id, requestId), [record.id, requestId]);
  const known = summary ?? request.state.value.value;
  const isOpen = request.state.value.value?.stream?.ended === null;
  usePolled(isOfNow && life === feed.life && isOpen ? request : undefined);
  return (
    <Drawer title={known === undefined ? `Request ${requestId}` : <RequestTitle request={known} />} onClose={onClose}>
      {summary !== undefined && <Facts {...props} request={summary} />}
      {isOfNow ? (
        <Shown of={request} what="the request">
          {(loaded) => (
            <>
              {summary === undefined && <Facts {...props} request={loaded} />}
              <Details {...props} request={loaded} />
            </>
          )}
        </Shown>
      ) : (
        <p class="warning">Recorded before the last reset: its headers and body are gone.</p>
      )}
    </Drawer>
  );
}

const RequestTitle = ({ request }: { readonly request: RequestSummary }): JSX.Element => (
  <span class="monospace">
    {request.message === undefined ? visibleLine(request.method, 32) : `WebSocket ${request.message.direction}`}{' '}
    <SafeLine text={targetOf(request)} max={500} />
  </span>
);

function Facts({ record, names, request }: DrawerProps & { readonly request: RequestSummary }): JSX.Element {
  const { time, status, routeId, durationMs, version, problem, fault, session } = request;
  return (
    <p class="row traffic-facts">
      {request.message === undefined ? (
        <span class={statusClass(status)}>{status}</span>
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
    </p>
  );
}

function Details(props: DrawerProps & { readonly request: RequestRecord }): JSX.Element {
  const { feed, mock, record, request } = props;
  const [isMaking, setMaking] = useState(false);
  const { id, routeId, headers, bodyTruncated, traceId, stream } = request;
  return (
    <div class="stack">
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
          <a class="button plain" href={hrefOf(['mocks', record.id, 'traffic'], { route: routeId })}>
            Only this route
          </a>
        )}
        {traceId !== undefined && (
          <a class="button plain" href={hrefOf(['mocks', record.id, 'traffic'], { trace: traceId })}>
            Only this trace
          </a>
        )}
        <CopyButton text={curlOf(request, api().mocks.urlFor(record))} what="as curl">
          Copy as curl
        </CopyButton>
      </div>
      <WhyRequest record={record} request={request} />
      <section class="stack" aria-labelledby="request-headers">
        <h3 id="request-headers">Headers</h3>
        <HeaderList headers={headers} />
      </section>
      <section class="stack" aria-labelledby="request-body">
        <h3 id="request-body">Body</h3>
        <BodyView {...request} name={`request-${id}.bin`} />
        {bodyTruncated && <p class="muted">Truncated: only the first 32 kB of a body are recorded.</p>}
      </section>
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
    </div>
  );
}
