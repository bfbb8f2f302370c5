/** The areas of the console, and the account. */
import { useEffect, useState } from 'preact/hooks';
import { Account } from './account.tsx';
import { openPalette } from './overlays.tsx';
import { READ_ONLY } from './parts/states.tsx';
import { endsIn, endsSoon } from './state/key-end.ts';
import { hrefOf, place } from './state/place.ts';
import { mayEdit, me } from './state/session.ts';

const AREAS: readonly { readonly path: readonly string[]; readonly label: string; readonly forEditors?: true }[] = [
  { path: ['mocks'], label: 'Mocks' },
  { path: ['rules'], label: 'Rules' },
  { path: ['gateway'], label: 'Live traffic' },
  { path: ['history'], label: 'History', forEditors: true },
];

export function Rail(): JSX.Element {
  const area = place.value.path[0] ?? 'mocks';
  return (
    <nav class="rail" aria-label="Areas">
      <a class="brand" href={hrefOf(['mocks'])}>
        Switchyard
      </a>
      <button type="button" class="rail-find" aria-keyshortcuts="Control+K" onClick={openPalette}>
        Find… <kbd class="from-701">Ctrl+K</kbd>
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
      <div class="stack rail-end">
        <KeyEnd />
        {!mayEdit.value && <p class="hint">{READ_ONLY}</p>}
        <Account />
      </div>
    </nav>
  );
}

const LOOK_MS = 30_000;

/** Warns before the key expires: unsaved edits need another key. */
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
      This key expires {endsIn(end, now)}. <a href={hrefOf(['keys'])}>Create another</a>
    </p>
  );
}
