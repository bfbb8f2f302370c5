/** Creates a route of the working copy from a recorded request, and opens it. */
import { useMemo, useState } from 'preact/hooks';
import type { MockRecord, RequestRecord, RouteInput } from '../../client/shapes.ts';
import { errorsOf } from '../parts/bound.ts';
import { Check, TextField } from '../parts/controls.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { SafeCode } from '../parts/safe-text.tsx';
import { countText } from '../parts/words.ts';
import { navigate } from '../state/place.ts';
import type { Resource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { notify } from '../state/toasts.ts';
import { newIdempotencyKey, useWrite } from '../state/write.ts';
import { foldedWith, proposeRoute } from '../../model/mocks/propose-route.ts';
import type { MockFeed } from './mock-feed.ts';

interface MakeRouteProps {
  readonly feed: MockFeed;
  readonly mock: Resource<MockRecord>;
  readonly record: MockRecord;
  readonly request: RequestRecord;
  readonly onClose: () => void;
}

const EXAMPLES = 4;

export function MakeRoute({ feed, mock, record, request, onClose }: MakeRouteProps): JSX.Element {
  const proposal = useMemo(() => proposeRoute(request), [request]);
  const [method, setMethod] = useState(proposal.method);
  const [path, setPath] = useState(proposal.path);
  const choices = useMemo(() => ruleChoices(request), [request]);
  const [ticked, setTicked] = useState<readonly RuleChoice[]>([]);
  const route = routeOf(method, path, ticked);
  // The idempotency key makes a retry safe.
  const idempotencyKey = useMemo(newIdempotencyKey, [JSON.stringify(route)]);
  const write = useWrite();
  const make = async (): Promise<void> => {
    const made = await write.run(() => api().mocks.staged.addRoute(record.id, route, { idempotencyKey }));
    if (made === undefined) return;
    void mock.reload();
    notify('Route added to the working copy. Save to serve it.');
    navigate(['mocks', record.id, 'routes', made.id]);
  };
  const errorAt = errorsOf(write.failure.value);
  return (
    <FormDialog
      title="Make this a route"
      submit="Create route"
      onSubmit={() => void make()}
      onClose={onClose}
      write={write}
      what="Creating the route"
    >
      <div class="request-line">
        <TextField label="Method" value={method} onInput={setMethod} monospace error={errorAt('/method')} />
        <TextField
          label="Path"
          value={path}
          onInput={setPath}
          monospace
          takesFocus
          error={errorAt('/path')}
          hint="Segments that look like ids became parameters."
        />
      </div>
      <Folded feed={feed} request={request} />
      {choices.length > 0 && (
        <fieldset class="choices">
          <legend>Only when</legend>
          {choices.map((choice, index) => (
            <Check
              key={index}
              checked={ticked.includes(choice)}
              onChange={(on) => setTicked(on ? [...ticked, choice] : ticked.filter((each) => each !== choice))}
              label={
                <>
                  {choice.target} <SafeCode text={choice.property} max={60} /> equals{' '}
                  <SafeCode text={choice.value} max={80} />
                </>
              }
            />
          ))}
          {ticked.length > 0 && <p class="hint">Other requests to the route get a second response, with 404.</p>}
        </fieldset>
      )}
      <p class="hint">Responds with 200 and “{'{}'}” until you edit it. Served after a save.</p>
    </FormDialog>
  );
}

/** Other misses in the list that the proposed route would match. */
function Folded({ feed, request }: Pick<MakeRouteProps, 'feed' | 'request'>): JSX.Element | null {
  const folded = useMemo(() => {
    const misses = feed.log
      .peek()
      .shown.flatMap((row) => (row.kind === 'request' && row.request.routeId === null ? [row.request] : []));
    return foldedWith(proposeRoute(request), misses).filter(({ id }) => id !== request.id);
  }, [request]);
  if (folded.length === 0) return null;
  const paths = [...new Set(folded.map(({ path }) => path))].filter((path) => path !== request.path);
  return (
    <p class="muted">
      Also matches {countText(folded.length, 'other miss', 'other misses')} in the list
      {paths.length > 0 && (
        <>
          :{' '}
          {paths.slice(0, EXAMPLES).map((path, index) => (
            <span key={path}>
              {index > 0 && ', '}
              <SafeCode text={path} max={60} />
            </span>
          ))}
          {paths.length > EXAMPLES && ` and ${paths.length - EXAMPLES} more`}
        </>
      )}
      .
    </p>
  );
}

interface RuleChoice {
  readonly target: 'query' | 'header';
  readonly property: string;
  readonly value: string;
}

/** Headers of every client, or different each time: no condition is offered for these. */
const COMMON = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'accept-language',
  'user-agent',
  'date',
  'transfer-encoding',
  'keep-alive',
  'cookie',
  'referer',
  'origin',
  'traceparent',
  'x-request-id',
]);

/** Longer properties are refused. */
const PROPERTY_CHARS_MAX = 1_000;
const VALUE_CHARS_MAX = 1_000;
const CHOICES_MAX = 40;

/** Conditions on the query, then on headers. */
function ruleChoices({ query, headers }: Pick<RequestRecord, 'query' | 'headers'>): RuleChoice[] {
  const ofQuery = [...new URLSearchParams(query)].map(([property, value]) => ({
    target: 'query' as const,
    property,
    value,
  }));
  const ofHeaders = headers
    .filter(({ name, value }) => !COMMON.has(name) && !name.startsWith('sec-') && value !== '*/*')
    .map(({ name, value }) => ({ target: 'header' as const, property: name, value }));
  const fits = ({ property, value }: RuleChoice): boolean =>
    property !== '' && property.length <= PROPERTY_CHARS_MAX && value.length <= VALUE_CHARS_MAX;
  return [...ofQuery, ...ofHeaders].filter(fits).slice(0, CHOICES_MAX);
}

const JSON_TYPE = [{ name: 'content-type', value: 'application/json' }];

/**
 * Answers 200 with `{}`. With conditions, a second response answers 404: otherwise the first would answer requests that fail
 * them too.
 */
function routeOf(method: string, path: string, rules: readonly RuleChoice[]): RouteInput {
  const found = {
    status: 200,
    headers: JSON_TYPE,
    body: '{}',
    rules: rules.map((rule) => ({ ...rule, operator: 'equals' as const })),
  };
  if (rules.length === 0) return { method, path, responses: [found] };
  const other = { status: 404, label: 'conditions do not match', headers: JSON_TYPE, body: '{}', default: true };
  return { method, path, responses: [found, other] };
}
