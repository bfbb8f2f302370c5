/** Entries of the palette that need no names: places, commands, documents. */
import { useEffect, useState } from 'preact/hooks';
import type { MockRecord, RouteSummary } from '../../client/shapes.ts';
import { announce, wrote } from '../state/changes.ts';
import { failureOf, type Failure } from '../state/failure.ts';
import { navigate, type Query } from '../state/place.ts';
import { api, signOut, mayEdit, me } from '../state/session.ts';
import { applyTheme } from '../state/theme.ts';
import { notify } from '../state/toasts.ts';
import { turnedText, turningText, turnMock, turnText } from '../state/turn-mock.ts';
import { visibleLine } from '../state/visible-text.ts';
import { ranked } from './rank.ts';

export interface Entry {
  readonly id: string;
  readonly kind: 'Place' | 'Command' | 'Document' | 'Mock' | 'Route' | 'Rule';
  readonly label: string;
  /** The equivalent shortcut. */
  readonly keys?: string | undefined;
  run(): void;
}

interface Commands {
  readonly onHelp: () => void;
  readonly onNewMock: () => void;
}

const goEntry = (label: string, path: readonly string[], keys?: string, query: Query = {}): Entry => ({
  id: `place ${path.join('/')}`,
  kind: 'Place',
  label,
  keys,
  run: () => navigate(path, query),
});

const command = (label: string, run: () => void, keys?: string): Entry => ({
  id: `command ${label}`,
  kind: 'Command',
  label,
  keys,
  run,
});

/** Relative: a reverse proxy may serve the console under a prefix. */
const documentEntry = (label: string, name: string): Entry => ({
  id: `document ${name}`,
  kind: 'Document',
  label,
  run: () => void window.open(`console/docs${name}`, '_blank', 'noreferrer'),
});

/** @param mock The mock of the current screen. */
export function entriesOf(mock: MockRecord | undefined, { onHelp, onNewMock }: Commands): readonly Entry[] {
  const canEdit = mayEdit.value;
  return [
    ...(mock === undefined ? [] : entriesOfMock(mock)),
    goEntry('Mocks', ['mocks'], 'g m'),
    goEntry('Rules', ['rules'], 'g r'),
    goEntry('Rule tester', ['rules', 'bench'], 'g b'),
    goEntry('Live traffic', ['gateway'], 'g l'),
    goEntry('Connect a client to the gateway', ['gateway', 'connect']),
    ...(canEdit ? [goEntry('History', ['history'], 'g h')] : []),
    goEntry('Keys', ['keys']),
    ...(canEdit ? [command('New mock', onNewMock), command('New rule', () => navigate(['rules', 'new']))] : []),
    command('Keyboard shortcuts', onHelp, '?'),
    command('Light theme', () => applyTheme('light')),
    command('Dark theme', () => applyTheme('dark')),
    command('System theme', () => applyTheme('auto')),
    command('Sign out', signOut),
    documentEntry('Documentation', ''),
    documentEntry('Mocks: routes, responses, rules, templates, traffic', '/mocks'),
    documentEntry('API: endpoints, errors, limits, client', '/api'),
    documentEntry('Gateway: rules on live traffic, clients, HTTPS', '/gateway'),
    documentEntry('Import and export', '/interchange'),
    documentEntry('Operations: options, keys, snapshots, metrics', '/operations'),
  ];
}

function entriesOfMock(mock: MockRecord): readonly Entry[] {
  const { id, hasStagedChanges } = mock;
  const at = (label: string, name: string, keys?: string): Entry =>
    goEntry(`${label} of this mock`, ['mocks', id, name], keys);
  return [
    at('Routes', 'routes'),
    at('Traffic', 'traffic', 'g t'),
    at('Sessions', 'sessions'),
    at('Versions', 'versions'),
    at('Verify', 'verify'),
    at('Settings', 'settings'),
    ...(hasStagedChanges ? [at('Review the changes', 'diff', 'Ctrl+Shift+s')] : []),
    ...(mayEdit.value
      ? [
          goEntry('New route of this mock', ['mocks', id, 'routes', 'new']),
          command(`${turnText(mock)} this mock`, () => void turn(mock)),
        ]
      : []),
  ];
}

async function turn(mock: MockRecord): Promise<void> {
  wrote();
  try {
    const answer = await turnMock(mock);
    announce(answer.state === 'running' ? 'mock.start' : 'mock.stop', [mock.id], me.value?.userId ?? '');
    notify(turnedText(answer));
  } catch (error) {
    notify(`${turningText(mock)} failed: ${failureOf(error).message}`);
  }
}

/** Per kind. */
const FOUND_MAX = 8;
const PAUSE_MS = 120;

interface Matches {
  readonly entries: readonly Entry[];
  /** Why the last search failed. Local results are offered regardless. */
  readonly failure: Failure | undefined;
  readonly isAsking: boolean;
}

/** Searches mocks, rules and routes by name for the palette, on the server. */
export function useNamed(query: string): Matches {
  const [found, setFound] = useState<Matches>({ entries: [], failure: undefined, isAsking: false });
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

/** Routes of the current screen's mock. */
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
  run: () => navigate(path),
});
