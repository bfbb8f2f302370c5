/** What the palette offers without asking for names: places, commands, documents. */
import type { MockRecord } from '../../client/shapes.ts';
import { announce, wrote } from '../state/changes.ts';
import { failureOf } from '../state/failure.ts';
import { go, type Query } from '../state/place.ts';
import { forgetKey, mayEdit, me } from '../state/session.ts';
import { applyTheme } from '../state/theme.ts';
import { tell } from '../state/toasts.ts';
import { turnedText, turningText, turnMock, turnText } from '../state/turn-mock.ts';

export interface Entry {
  readonly id: string;
  readonly kind: 'Place' | 'Command' | 'Document' | 'Mock' | 'Route' | 'Rule';
  readonly label: string;
  /** The keys that do the same. */
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
  run: () => go(path, query),
});

const command = (label: string, run: () => void, keys?: string): Entry => ({
  id: `command ${label}`,
  kind: 'Command',
  label,
  keys,
  run,
});

/** Relative, as the console may live under a prefix. */
const documentEntry = (label: string, name: string): Entry => ({
  id: `document ${name}`,
  kind: 'Document',
  label,
  run: () => void window.open(`console/docs${name}`, '_blank', 'noreferrer'),
});

/** @param mock The one that the screen is of. */
export function entriesOf(mock: MockRecord | undefined, { onHelp, onNewMock }: Commands): readonly Entry[] {
  const canEdit = mayEdit.value;
  return [
    ...(mock === undefined ? [] : entriesOfMock(mock)),
    goEntry('Mocks', ['mocks'], 'g m'),
    goEntry('Rules', ['rules'], 'g r'),
    goEntry('Rule tester', ['rules', 'bench'], 'g b'),
    ...(canEdit ? [goEntry('History', ['history'], 'g h')] : []),
    goEntry('Keys', ['keys']),
    ...(canEdit ? [command('New mock', onNewMock), command('New rule', () => go(['rules', 'new']))] : []),
    command('Keyboard shortcuts', onHelp, '?'),
    command('Light theme', () => applyTheme('light')),
    command('Dark theme', () => applyTheme('dark')),
    command('Theme of the system', () => applyTheme('auto')),
    command('Forget key', forgetKey),
    documentEntry('Documents', ''),
    documentEntry('Mocks: routes, responses, rules, templates, traffic', '/mocks'),
    documentEntry('API: endpoints, errors, limits, client', '/api'),
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
    at('Verify calls', 'verify'),
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
    tell(turnedText(answer));
  } catch (error) {
    tell(`${turningText(mock)} failed: ${failureOf(error).message}`);
  }
}
