/** Lists the shortcuts of this screen, of every screen, and of lists; and the switch for single letters. */
import { Check } from '../parts/controls.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts } from '../parts/section.tsx';
import { letterShortcuts, setLetterShortcuts, shortcuts, type Shortcut } from '../state/shortcuts.ts';
import { shownKeys } from './palette.tsx';

interface HelpProps {
  readonly everywhere: readonly Shortcut[];
  readonly onClose: () => void;
}

type Row = Pick<Shortcut, 'keys' | 'label'>;

const IN_LISTS: readonly Row[] = [
  { keys: '↑ ↓', label: 'Move; j and k too' },
  { keys: 'Enter', label: 'Open' },
  { keys: 'PageUp PageDown', label: 'Move by a page' },
  { keys: 'Home End', label: 'First and last' },
];

const IN_FORMS: readonly Row[] = [
  { keys: 'Escape', label: 'Close details or a dialog' },
  { keys: 'Escape Tab', label: 'Leave the body editor' },
];

export function KeyboardHelp({ everywhere, onClose }: HelpProps): JSX.Element {
  const known = new Set(everywhere.map(({ keys }) => keys));
  const ofScreen = shortcuts.value.filter(({ keys }) => !known.has(keys) && keys !== 'Escape');
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div class="stack">
        <Check
          label="Single-key shortcuts, such as / and g m"
          asSwitch
          checked={letterShortcuts.value}
          onChange={setLetterShortcuts}
        />
        {ofScreen.length > 0 && <Keys title="On this screen" rows={ofScreen} />}
        <Keys title="Everywhere" rows={everywhere} />
        <Keys title="In lists" rows={IN_LISTS} />
        <Keys title="In forms" rows={IN_FORMS} />
      </div>
    </Dialog>
  );
}

const Keys = ({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }): JSX.Element => (
  <section>
    <h3>{title}</h3>
    <Facts
      class="keys"
      rows={rows.map(({ keys, label }) => [
        <span class="row">
          {keys.split(' ').map((key) => (
            <kbd key={key}>{shownKeys(key)}</kbd>
          ))}
        </span>,
        label,
      ])}
    />
  </section>
);
