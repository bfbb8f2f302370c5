/** A route in a difference: its line, and for one that has changed, what of it and of its responses. */
import type { JSX } from 'preact';
import type { RouteSummary } from '../../../client/shapes.ts';
import type { ChangedRoute, NamedRoute } from '../../../model/mocks/diff.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { answersOf, MarkSign } from '../routes/route-cells.tsx';
import type { Mark } from '../routes/route-rows.ts';
import { FieldChanges } from './field-changes.tsx';

interface RouteLineProps {
  readonly how: Mark;
  readonly route: NamedRoute;
  /** undefined where it is not known. */
  readonly summary?: RouteSummary | undefined;
  /** The mock in whose working copy the route is; undefined for one that is not there. */
  readonly linkTo: string | undefined;
}

export const RouteLine = ({ how, route, summary, linkTo }: RouteLineProps): JSX.Element => (
  <p class="row diff-route">
    <MarkSign mark={how} />
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
function answersText(route: RouteSummary): string {
  const { count, statuses } = answersOf(route);
  const more = statuses.length > STATUSES_SHOWN || count > route.responses.length ? ', …' : '';
  const words = `${count} ${count === 1 ? 'response' : 'responses'}: ${statuses.slice(0, STATUSES_SHOWN).join(', ')}`;
  return `${route.enabled ? '' : 'off, '}${words}${more}`;
}

interface ChangedRouteProps extends Pick<RouteLineProps, 'linkTo'> {
  readonly route: ChangedRoute;
  readonly before: RouteSummary | undefined;
  readonly after: RouteSummary | undefined;
}

export function ChangedRouteView({ route, before, after, linkTo }: ChangedRouteProps): JSX.Element {
  const { fields, responsesAdded, responsesRemoved, responsesChanged, responsesReordered } = route;
  return (
    <article class="stack tight diff-changed" aria-label={visibleLine(`${route.method} ${route.path}`)}>
      <RouteLine how="changed" route={route} linkTo={linkTo} />
      {fields.length > 0 && <FieldChanges fields={fields} />}
      {responsesChanged.map(({ responseId, fields: changes }) => (
        <div key={responseId} class="stack tight diff-response">
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
  readonly how: Mark;
  readonly id: string;
  readonly of: RouteSummary | undefined;
}

/** "Response 2, 200 found" */
function ResponseLine({ how, id, of }: ResponseLineProps): JSX.Element {
  const index = of?.responses.findIndex((each) => each.id === id) ?? -1;
  const { status, label = '' } = of?.responses[index] ?? {};
  return (
    <p class="row diff-route">
      <MarkSign mark={how} />
      <span>Response {index === -1 ? <code>{id}</code> : index + 1}</span>
      {status !== undefined && (
        <span class="muted">
          {status} <SafeLine text={label} />
        </span>
      )}
    </p>
  );
}
