/** Loads the routes of the working copy and of the saved version. */
import { signal } from '@preact/signals';
import type { MockRecord } from '../../../client/shapes.ts';
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { changesOf, useResource, type Resource } from '../../state/resource.ts';
import { api } from '../../state/session.ts';
import type { ListedRoute } from './route-rows.ts';

type StagedRoutes = Resource<readonly ListedRoute[]>;

/** A revision that no saved route has. */
const EDITED = -1;

export function useStagedRoutes({ id }: MockRecord): StagedRoutes {
  return useResource<readonly ListedRoute[]>(() => api().mocks.staged.routes(id), [id], changesOf(id));
}

/** A saved version never changes. Loaded when the working copy differs from it. */
export function useSavedRoutes({
  id,
  version,
  hasStagedChanges,
}: MockRecord): Resource<readonly ListedRoute[] | undefined> {
  return useResource<readonly ListedRoute[] | undefined>(
    async () => (hasStagedChanges ? api().mocks.versionRoutes(id, version) : undefined),
    [id, version, hasStagedChanges],
  );
}

/** Applies a write's answer to the list. */
export function takeRoute(routes: StagedRoutes, route: MockRoute): void {
  const known = routes.state.peek().value;
  if (known === undefined) return;
  const listed = { ...route, revision: EDITED };
  routes.replace(
    known.some(({ id }) => id === route.id)
      ? known.map((each) => (each.id === route.id ? listed : each))
      : [...known, listed],
  );
}

export const changedCount = signal<{ readonly mockId: string; readonly count: number } | undefined>(undefined);
