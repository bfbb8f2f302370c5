/** The areas of the console, who is signed in, and the theme. */
import type { JSX } from 'preact';
import { Button } from './parts/controls.tsx';
import { hrefOf, place } from './state/place.ts';
import { forgetKey, mayEdit, me } from './state/session.ts';
import { applyTheme, theme, type Theme } from './state/theme.ts';
import { visibleLine } from './state/visible-text.ts';

const AREAS: readonly { readonly path: readonly string[]; readonly label: string; readonly forEditors?: true }[] = [
  { path: ['mocks'], label: 'Mocks' },
  { path: ['rules'], label: 'Rules' },
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
          {visibleLine(me.value?.userId ?? '')} <span class="badge">{me.value?.role}</span>
        </p>
        {!mayEdit.value && <p class="hint">This key may look, not change.</p>}
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
        <Button kind="quiet" onClick={forgetKey}>
          Forget key
        </Button>
      </div>
    </nav>
  );
}
