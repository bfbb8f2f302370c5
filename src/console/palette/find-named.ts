/** Mocks, rules and routes by their names, for the palette: the server is asked while one types. */
import { useEffect, useState } from 'preact/hooks';
import type { RouteSummary } from '../../client/shapes.ts';
import { failureOf, type Failure } from '../state/failure.ts';
import { go } from '../state/place.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import type { Entry } from './entries.ts';
import { ranked } from './rank.ts';

/** Of each kind. */
const FOUND_MAX = 8;
const PAUSE_MS = 120;

interface Found {
  readonly entries: readonly Entry[];
  /** Of the last search; what is found without the server is offered all the same. */
  readonly failure: Failure | undefined;
  readonly isAsking: boolean;
}

export function useNamed(query: string): Found {
  const [found, setFound] = useState<Found>({ entries: [], failure: undefined, isAsking: false });
  const q = query.trim();
  useEffect(() => {
    if (q === '') {
      setFound({ entries: [], failure: undefined, isAsking: false });
      return undefined;
    }
    let isOld = false;
    setFound((known) => ({ ...known, isAsking: true }));
    const timer = setTimeout(() => {
      const page = { q, pageSize: FOUND_MAX };
      Promise.all([api().mocks.list(page), api().rules.list(page)]).then(
        ([mocks, rules]) => {
          if (isOld) return;
          const entries: readonly Entry[] = [
            ...mocks.records.map(({ id, name }) => named('Mock', id, name, ['mocks', id])),
            ...rules.records.map(({ id, name }) => named('Rule', id, name, ['rules', id])),
          ];
          setFound({ entries, failure: undefined, isAsking: false });
        },
        (error: unknown) => {
          if (!isOld) setFound({ entries: [], failure: failureOf(error), isAsking: false });
        },
      );
    }, PAUSE_MS);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [q]);
  return found;
}

/** Those of the mock that the screen is of. */
export function routesFound(query: string, mockId: string, routes: readonly RouteSummary[]): readonly Entry[] {
  if (query.trim() === '') return [];
  return ranked(query, routes, ({ method, path }) => `${method} ${path}`)
    .slice(0, FOUND_MAX)
    .map(({ id, method, path }) => named('Route', id, `${method} ${path}`, ['mocks', mockId, 'routes', id]));
}

const named = (kind: Entry['kind'], id: string, name: string, path: readonly string[]): Entry => ({
  id: `${kind} ${id}`,
  kind,
  label: visibleLine(name, 120),
  run: () => go(path),
});
