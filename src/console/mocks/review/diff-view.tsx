/** What differs between two copies of a mock: settings, and routes that are changed, added, removed or moved. */
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { NamedRoute } from '../../../model/mocks/diff.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { ChangedRouteView, RouteLine } from './changed-route.tsx';
import type { Moved } from './diff-words.ts';
import { FieldChanges } from './field-changes.tsx';
import type { NamedDiff, RoutesById } from './load-diff.ts';

interface DiffViewProps {
  readonly mockId: string;
  readonly named: NamedDiff;
  /**
   * Which routes have a screen: none where two saved versions are compared; those of the working copy; in a review the
   * removed ones, too, which can be put back there.
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
        <Section title="Settings">
          <FieldChanges fields={settings} />
        </Section>
      )}
      {routesChanged.length > 0 && (
        <Section title="Changed routes">
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
        </Section>
      )}
      {routesAdded.length > 0 && <Routes how="added" routes={routesAdded} known={after} linkTo={linkTo} />}
      {routesRemoved.length > 0 && (
        <Routes how="removed" routes={routesRemoved} known={before} linkTo={linked === 'all' ? mockId : undefined} />
      )}
      {routesReordered && (
        <Section title="Order">
          {moved.length === 0 ? <p>The order of the routes has changed.</p> : <MovedRoutes moved={moved} />}
        </Section>
      )}
    </div>
  );
}

const Section = ({ title, children }: { readonly title: string; readonly children: ComponentChildren }) => (
  <section class="panel diff-section">
    <h3>{title}</h3>
    {children}
  </section>
);

interface RoutesProps {
  readonly how: 'added' | 'removed';
  readonly routes: readonly NamedRoute[];
  readonly known: RoutesById;
  readonly linkTo: string | undefined;
}

const Routes = ({ how, routes, known, linkTo }: RoutesProps): JSX.Element => (
  <Section title={how === 'added' ? 'Added routes' : 'Removed routes'}>
    <Several
      of={routes}
      one={(route) => (
        <RouteLine key={route.routeId} how={how} route={route} summary={known.get(route.routeId)} linkTo={linkTo} />
      )}
    />
  </Section>
);

const MovedRoutes = ({ moved }: { readonly moved: readonly Moved[] }): JSX.Element => (
  <Several
    of={moved}
    one={({ route, from, to }) => (
      <p key={route.id}>
        <code>
          {route.method} <SafeLine text={route.path} />
        </code>{' '}
        <span class="muted">
          place {from.toLocaleString('en')} → {to.toLocaleString('en')}
        </span>
      </p>
    )}
  />
);

const SHOWN_AT_ONCE = 100;

interface SeveralProps<Each> {
  readonly of: readonly Each[];
  readonly one: (each: Each) => JSX.Element;
}

/** A hundred at once: an import may have changed 5,000. */
function Several<Each>({ of, one }: SeveralProps<Each>): JSX.Element {
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  return (
    <>
      {of.slice(0, shown).map(one)}
      {of.length > shown && (
        <p>
          <Button onClick={() => setShown(shown + SHOWN_AT_ONCE)}>
            Show {Math.min(SHOWN_AT_ONCE, of.length - shown)} more of {(of.length - shown).toLocaleString('en')}
          </Button>
        </p>
      )}
    </>
  );
}
