/** The areas of the console, who is signed in, and the theme. */
import { useEffect, useState } from 'preact/hooks';
import { openHelp, openPalette } from './overlays.tsx';
import { Button } from './parts/controls.tsx';
import { READ_ONLY } from './parts/states.tsx';
import { endsIn, endsSoon } from './state/key-end.ts';
import { hrefOf, place } from './state/place.ts';
import { forgetKey, mayEdit, me } from './state/session.ts';
import { applyTheme, theme, type Theme } from './state/theme.ts';
import { visibleLine } from './state/visible-text.ts';

const AREAS: readonly { readonly path: readonly string[]; readonly label: string; readonly forEditors?: true }[] = [
  { path: ['mocks'], label: 'Mocks' },
  { path: ['rules'], label: 'Rules' },
  { path: ['gateway'], label: 'Live traffic' },
  { path: ['history'], label: 'History', forEditors: true },
];

const THEMES: readonly (readonly [Theme, string])[] = [
  ['auto', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

export function Rail(): JSX.Element {
  const area = place.value.path[0] ?? 'mocks';
  return (
    <nav class="rail" aria-label="Areas">
      <a class="brand" href={hrefOf(['mocks'])}>
        Switchyard
      </a>
      <button type="button" class="rail-find" aria-keyshortcuts="Control+K" onClick={openPalette}>
        Find… <kbd>Ctrl+K</kbd>
      </button>
      <ul>
        {AREAS.filter(({ forEditors }) => forEditors === undefined || mayEdit.value).map(({ path, label }) => (
          <li key={label}>
            <a href={hrefOf(path)} aria-current={path[0] === area ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
        <li>
          <a href="console/docs" target="_blank" rel="noreferrer">
            Docs
          </a>
        </li>
      </ul>
      <div class="account">
        <p>
          <a href={hrefOf(['keys'])} title="The key, and how to make others">
            {visibleLine(me.value?.userId ?? '')}
          </a>{' '}
          <span class="badge">{me.value?.role}</span>
        </p>
        <KeyEnd />
        {!mayEdit.value && <p class="hint">{READ_ONLY}</p>}
        <select
          aria-label="Theme"
          value={theme.value}
          onChange={(event) => applyTheme(event.currentTarget.value as Theme)}
        >
          {THEMES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <div class="row">
          <Button kind="quiet" onClick={forgetKey}>
            Forget key
          </Button>
          <Button kind="quiet" label="Keyboard shortcuts" onClick={openHelp}>
            ?
          </Button>
        </div>
      </div>
    </nav>
  );
}

const LOOK_MS = 30_000;

/** A key that ends soon: what is being typed should be finished, or another key made. */
function KeyEnd(): JSX.Element | null {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), LOOK_MS);
    return () => clearInterval(timer);
  }, []);
  const end = me.value?.expiresAt;
  if (!endsSoon(end, now)) return null;
  return (
    <p class="warning" role="status">
      This key ends {endsIn(end, now)}. <a href={hrefOf(['keys'])}>Get another</a>
    </p>
  );
}
