/** Overlays of every screen: the command palette, the keyboard help, a new mock; and the global shortcuts. */
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { NewMock } from './mocks/new-mock.tsx';
import { lazy } from './parts/lazy.tsx';
import { navigate, place } from './state/place.ts';
import { mayEdit } from './state/session.ts';
import { useShortcuts, type Shortcut } from './state/shortcuts.ts';
import { notify } from './state/toasts.ts';

const loadPalette = async () => (await import('./palette/palette.tsx')).Palette;
const Palette = lazy(loadPalette, 'the commands');
const KeyboardHelp = lazy(async () => (await import('./palette/keyboard-help.tsx')).KeyboardHelp, 'the shortcuts');

/** The user types right after the shortcut: preload the palette once the screen is shown. */
const PALETTE_AFTER_MS = 1_000;

type Overlay = 'palette' | 'help' | 'new-mock';

const opened = signal<Overlay | undefined>(undefined);

export const openPalette = (): void => void (opened.value = 'palette');
export const openHelp = (): void => void (opened.value = 'help');
const close = (): void => void (opened.value = undefined);

/** The last visited mock, for "g t". */
let lastMock: string | undefined;
let lastPath = '';
effect(() => {
  const { path } = place.value;
  const [area, mockId] = path;
  if (area === 'mocks' && mockId !== undefined) lastMock = mockId;
  // Synchronously: after the next paint another overlay may be open.
  if (path.join('/') !== lastPath) close();
  lastPath = path.join('/');
});

const GLOBAL: readonly Shortcut[] = [
  {
    keys: 'Ctrl+k',
    label: 'Find a place or a command',
    run: () => void (opened.value = opened.value === 'palette' ? undefined : 'palette'),
  },
  { keys: '?', label: 'Show the keyboard shortcuts', run: openHelp },
  { keys: '/', label: 'Focus the search field', run: focusFind },
  { keys: 'g m', label: 'Go to the mocks', run: () => navigate(['mocks']) },
  { keys: 'g r', label: 'Go to the rules', run: () => navigate(['rules']) },
  { keys: 'g b', label: 'Go to the rule tester', run: () => navigate(['rules', 'bench']) },
  { keys: 'g l', label: 'Go to live traffic', run: () => navigate(['gateway']) },
  { keys: 'g t', label: 'Go to the traffic of the mock', run: goToTraffic },
];

const FOR_EDITORS: readonly Shortcut[] = [
  { keys: 'g h', label: 'Go to the history', run: () => navigate(['history']) },
];

export function Overlays(): JSX.Element | null {
  useShortcuts(mayEdit.value ? [...GLOBAL, ...FOR_EDITORS] : GLOBAL, [mayEdit.value]);
  useEffect(() => {
    // Opening it reports the failure.
    const timer = setTimeout(() => void loadPalette().catch(() => undefined), PALETTE_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  switch (opened.value) {
    case 'palette':
      return <Palette onClose={close} onHelp={openHelp} onNewMock={() => void (opened.value = 'new-mock')} />;
    case 'help':
      return <KeyboardHelp everywhere={mayEdit.value ? [...GLOBAL, ...FOR_EDITORS] : GLOBAL} onClose={close} />;
    case 'new-mock':
      return <NewMock onClose={close} />;
    case undefined:
      return null;
  }
}

/** `isFind` of TextField marks it. */
function focusFind(): void {
  const field = document.querySelector('[data-find]');
  if (!(field instanceof HTMLInputElement)) return notify('This screen has no search field.');
  field.focus();
  field.select();
}

function goToTraffic(): void {
  if (lastMock === undefined) return notify('Open a mock first.');
  navigate(['mocks', lastMock, 'traffic']);
}
