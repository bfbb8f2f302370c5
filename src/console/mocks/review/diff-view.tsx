/** The differences between two copies of a mock: settings, and changed, added, removed or moved routes. */
import { Fragment, type ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { RouteSummary } from '../../../client/shapes.ts';
import type { ChangedRoute, FieldChange, NamedRoute } from '../../../model/mocks/show/diff.ts';
import type { DefinitionWarning } from '../../../model/mocks/show/warnings.ts';
import { jsonLines } from '../../parts/json-lines.ts';
import { LineDiff } from '../../parts/line-diff-view.tsx';
import { Section, Several } from '../../parts/section.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { answersOf, MarkSign } from '../routes/route-cells.tsx';
import type { Mark } from '../routes/route-rows.ts';
import { fieldName, settingName, textChange, valueText, type MovedRoute, type TextChange } from './diff-words.ts';
import type { NamedDiff, RoutesById } from './load-diff.ts';

interface DiffViewProps {
  readonly mockId: string;
  readonly named: NamedDiff;
  /**
   * Which routes link to a screen: none between two saved versions; those of the working copy; in a review also removed
   * routes, which can be restored there.
   */
  readonly linked: 'none' | 'staged' | 'all';
}

export function DiffView({ mockId, named, linked }: DiffViewProps): JSX.Element {
  const { diff, before, after, moved } = named;
  const { settings, routesAdded, routesRemoved, routesChanged, routesReordered } = diff;
  const linkTo = linked === 'none' ? undefined : mockId;
  return (
    <div class="stack diff">
      {settings.length > 0 && (
        <Part title="Settings">
          <FieldChanges fields={settings} nameOf={settingName} />
        </Part>
      )}
      {routesChanged.length > 0 && (
        <Part title="Changed routes">
          <Several
            of={routesChanged}
            one={(route) => (
              <ChangedRouteView
                key={route.routeId}
                linkTo={linkTo}
                route={route}
                before={before.get(route.routeId)}
                after={after.get(route.routeId)}
              />
            )}
          />
        </Part>
      )}
      {routesAdded.length > 0 && <Routes how="added" routes={routesAdded} known={after} linkTo={linkTo} />}
      {routesRemoved.length > 0 && (
        <Routes how="removed" routes={routesRemoved} known={before} linkTo={linked === 'all' ? mockId : undefined} />
      )}
      {routesReordered && (
        <Part title="Order">
          {moved.length === 0 ? <p>The routes were reordered.</p> : <MovedRoutes moved={moved} />}
        </Part>
      )}
    </div>
  );
}

interface PartProps {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
}

const Part = (props: PartProps): JSX.Element => <Section class="panel diff-section" {...props} />;

interface RoutesProps {
  readonly how: 'added' | 'removed';
  readonly routes: readonly NamedRoute[];
  readonly known: RoutesById;
  readonly linkTo: string | undefined;
}

const Routes = ({ how, routes, known, linkTo }: RoutesProps): JSX.Element => (
  <Part title={how === 'added' ? 'Added routes' : 'Removed routes'}>
    <Several
      of={routes}
      one={(route) => (
        <RouteLine key={route.routeId} how={how} route={route} summary={known.get(route.routeId)} linkTo={linkTo} />
      )}
    />
  </Part>
);

const MovedRoutes = ({ moved }: { readonly moved: readonly MovedRoute[] }): JSX.Element => (
  <Several
    of={moved}
    one={({ route, from, to }) => (
      <p key={route.id}>
        <code>
          {route.method} <SafeLine text={route.path} />
        </code>{' '}
        <span class="muted">
          place {numberText(from)} → {numberText(to)}
        </span>
      </p>
    )}
  />
);

interface RouteLineProps {
  readonly how: Mark;
  readonly route: NamedRoute;
  readonly summary?: RouteSummary | undefined;
  /** The mock with the route in its working copy, if any. */
  readonly linkTo: string | undefined;
}

/** A route in a difference: its line, and the changes of its fields and responses. */
const RouteLine = ({ how, route, summary, linkTo }: RouteLineProps): JSX.Element => (
  <p class="row diff-route">
    <MarkSign mark={how} />
    <code>
      <a {...(linkTo === undefined ? {} : { href: hrefOf(['mocks', linkTo, 'routes', route.routeId]) })}>
        {route.method} <SafeLine text={route.path} max={2_000} />
      </a>
    </code>
    {summary !== undefined && how !== 'changed' && <span class="muted">{answersText(summary)}</span>}
  </p>
);

const STATUSES_SHOWN = 5;

/** "off, 2 responses: 200, 404" */
function answersText(route: RouteSummary): string {
  const { count, statuses } = answersOf(route);
  const more = statuses.length > STATUSES_SHOWN || count > route.responses.length ? ', …' : '';
  const words = `${countText(count, 'response')}: ${statuses.slice(0, STATUSES_SHOWN).join(', ')}`;
  return `${route.enabled ? '' : 'off, '}${words}${more}`;
}

interface ChangedRouteProps extends Pick<RouteLineProps, 'linkTo'> {
  readonly route: ChangedRoute;
  readonly before: RouteSummary | undefined;
  readonly after: RouteSummary | undefined;
}

function ChangedRouteView({ route, before, after, linkTo }: ChangedRouteProps): JSX.Element {
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
      {responsesReordered && <p class="muted">The responses were reordered.</p>}
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

const VALUE_CHARS_SHOWN = 1_000;

interface FieldChangesProps {
  readonly fields: readonly FieldChange[];
  readonly nameOf?: (field: string) => string;
}

interface ChangeProps {
  readonly change: FieldChange;
  readonly name: string;
}

/** Fields before and after: in one line, or line by line. */
const FieldChanges = ({ fields, nameOf = fieldName }: FieldChangesProps): JSX.Element => (
  <dl class="facts diff-fields">
    {fields.map((change) => (
      <Fragment key={change.field}>
        <dt>{nameOf(change.field)}</dt>
        <dd>
          <Change change={change} name={nameOf(change.field)} />
        </dd>
      </Fragment>
    ))}
  </dl>
);

function Change({ change, name }: ChangeProps): JSX.Element {
  const { field, before, after } = change;
  const texts = change.beforeBytes !== undefined && field !== 'body' ? undefined : textChange(change);
  if (texts !== undefined) return <TextDiff change={change} name={name} texts={texts} />;
  if (field === 'body') return <BodySizes change={change} why="too large, or not text" />;
  if (change.beforeBytes !== undefined) return <BodySizes change={change} why="too large" />;
  return (
    <span class="diff-values">
      <del>
        <SafeLine text={valueText(field, before)} max={VALUE_CHARS_SHOWN} />
      </del>{' '}
      <span aria-label="becomes" role="img">
        →
      </span>{' '}
      <ins>
        <SafeLine text={valueText(field, after)} max={VALUE_CHARS_SHOWN} />
      </ins>
    </span>
  );
}

function TextDiff({ change, name, texts }: ChangeProps & { readonly texts: TextChange }): JSX.Element {
  const { before, after, isLaidOut } = useMemo(() => laidOut(texts), [texts.before, texts.after]);
  const isBody = change.field === 'body';
  return (
    <div class="stack tight">
      {isBody && (
        <p class="muted">
          {bytes(change.beforeBytes)} → {bytes(change.afterBytes)}
          {isLaidOut && ', reformatted here'}
        </p>
      )}
      <LineDiff
        before={before}
        after={after}
        label={name}
        otherwise={<BodySizes change={change} why="too many lines" />}
      />
    </div>
  );
}

/** Compares JSON of one long line member by member. */
function laidOut({ before, after }: TextChange): TextChange & { readonly isLaidOut: boolean } {
  const [old, now] = [jsonLines(before), jsonLines(after)];
  const isLaidOut = (old ?? now) !== undefined && (old ?? before) !== (now ?? after);
  return isLaidOut ? { before: old ?? before, after: now ?? after, isLaidOut } : { before, after, isLaidOut };
}

const BodySizes = ({ change, why }: { readonly change: FieldChange; readonly why: string }): JSX.Element => (
  <span>
    changed, {bytes(change.beforeBytes)} → {bytes(change.afterBytes)} <span class="muted">(not compared: {why})</span>
  </span>
);

const bytes = (count: number | undefined): string => countText(count ?? 0, 'byte');

interface WarningListProps {
  readonly mockId: string;
  readonly warnings: readonly DefinitionWarning[];
  readonly routes: RoutesById;
}

const WARNING_CHARS_SHOWN = 1_000;

/** Probable mistakes in the working copy, each with a link to its route. */
export function WarningList({ mockId, warnings, routes }: WarningListProps): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <section class="panel diff-section diff-warnings">
      <h3>
        <span aria-hidden="true">⚠</span> {warnings.length === 1 ? 'Possible mistake' : 'Possible mistakes'}
      </h3>
      <ul class="stack tight">
        <Several
          of={warnings}
          atOnce={10}
          one={(each) => (
            <li key={`${each.routeId ?? ''} ${each.responseId} ${each.warning}`}>
              <Warning mockId={mockId} of={each} routes={routes} />
            </li>
          )}
        />
      </ul>
    </section>
  );
}

interface WarningProps {
  readonly mockId: string;
  readonly of: DefinitionWarning;
  readonly routes: RoutesById;
}

function Warning({ mockId, of: { routeId, responseId, warning }, routes }: WarningProps): JSX.Element {
  if (routeId === undefined) {
    return (
      <span>
        The settings <SafeLine text={warning} max={WARNING_CHARS_SHOWN} />
      </span>
    );
  }
  const route = routes.get(routeId);
  const index = route?.responses.findIndex(({ id }) => id === responseId) ?? -1;
  return (
    <>
      <span>
        <code>
          {route === undefined ? routeId : route.method} {route !== undefined && <SafeLine text={route.path} />}
        </code>
        {responseId !== undefined && `, response ${index === -1 ? responseId : index + 1}`}{' '}
        <SafeLine text={warning} max={WARNING_CHARS_SHOWN} />
      </span>{' '}
      <a href={hrefOf(['mocks', mockId, 'routes', routeId, ...(responseId === undefined ? [] : [responseId])])}>
        Open route
      </a>
    </>
  );
}
