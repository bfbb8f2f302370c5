/** A route in a difference: its line, and for one that has changed, what of it and of its responses. */
import type { JSX } from 'preact';
import type { RouteSummary } from '../../../client/shapes.ts';
import type { ChangedRoute, NamedRoute } from '../../../model/mocks/diff.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { FieldChanges } from './field-changes.tsx';

type How = 'added' | 'removed' | 'changed';

const SIGNS: Readonly<Record<How, string>> = { added: '+', removed: '−', changed: '~' };

interface RouteLineProps {
  readonly how: How;
  readonly route: NamedRoute;
  /** undefined where it is not known. */
  readonly summary?: RouteSummary | undefined;
  /** The mock in whose working copy the route is; undefined for one that is not there. */
  readonly linkTo: string | undefined;
}

export const RouteLine = ({ how, route, summary, linkTo }: RouteLineProps): JSX.Element => (
  <p class="diff-route">
    <span class={`mark-${how}`}>
      <span aria-hidden="true">{SIGNS[how]}</span>
      <span class="visually-hidden">{how}</span>
    </span>
    <code>
      {linkTo === undefined ? (
        <Name route={route} />
      ) : (
        <a href={hrefOf(['mocks', linkTo, 'routes', route.routeId])}>
          <Name route={route} />
        </a>
      )}
    </code>
    {summary !== undefined && how !== 'changed' && <span class="muted">{answersText(summary)}</span>}
  </p>
);

const Name = ({ route }: { readonly route: NamedRoute }): JSX.Element => (
  <>
    {route.method} <SafeLine text={route.path} max={2_000} />
  </>
);

const STATUSES_SHOWN = 5;

/** "off, 2 responses: 200, 404" */
function answersText({ enabled, responses, moreResponses = 0 }: RouteSummary): string {
  const count = responses.length + moreResponses;
  const statuses = [...new Set(responses.map(({ status }) => status))];
  const more = statuses.length > STATUSES_SHOWN || moreResponses > 0 ? ', …' : '';
  const words = `${count} ${count === 1 ? 'response' : 'responses'}: ${statuses.slice(0, STATUSES_SHOWN).join(', ')}`;
  return `${enabled ? '' : 'off, '}${words}${more}`;
}

interface ChangedRouteProps extends Pick<RouteLineProps, 'linkTo'> {
  readonly route: ChangedRoute;
  readonly before: RouteSummary | undefined;
  readonly after: RouteSummary | undefined;
}

export function ChangedRouteView({ route, before, after, linkTo }: ChangedRouteProps): JSX.Element {
  const { fields, responsesAdded, responsesRemoved, responsesChanged, responsesReordered } = route;
  return (
    <article class="diff-changed" aria-label={visibleLine(`${route.method} ${route.path}`)}>
      <RouteLine how="changed" route={route} linkTo={linkTo} />
      {fields.length > 0 && <FieldChanges fields={fields} />}
      {responsesChanged.map(({ responseId, fields: changes }) => (
        <div key={responseId} class="diff-response">
          <ResponseLine how="changed" id={responseId} of={after} />
          <FieldChanges fields={changes} />
        </div>
      ))}
      {responsesAdded.map((id) => (
        <ResponseLine key={id} how="added" id={id} of={after} />
      ))}
      {responsesRemoved.map((id) => (
        <ResponseLine key={id} how="removed" id={id} of={before} />
      ))}
      {responsesReordered && <p class="muted">The responses are in another order.</p>}
    </article>
  );
}

interface ResponseLineProps {
  readonly how: How;
  readonly id: string;
  readonly of: RouteSummary | undefined;
}

/** "Response 2, 200 found" */
function ResponseLine({ how, id, of }: ResponseLineProps): JSX.Element {
  const index = of?.responses.findIndex((each) => each.id === id) ?? -1;
  const { status, label = '' } = of?.responses[index] ?? {};
  return (
    <p class="diff-route">
      <span class={`mark-${how}`}>
        <span aria-hidden="true">{SIGNS[how]}</span>
        <span class="visually-hidden">{how}</span>
      </span>
      <span>Response {index === -1 ? <code>{id}</code> : index + 1}</span>
      {status !== undefined && (
        <span class="muted">
          {status} <SafeLine text={label} />
        </span>
      )}
    </p>
  );
}
