/** The account menu: keys, theme, keyboard shortcuts, and the way out. */
import { openHelp } from './overlays.tsx';
import { Button, SelectField } from './parts/controls.tsx';
import { hrefOf } from './state/place.ts';
import { signOut, me } from './state/session.ts';
import { applyTheme, theme, type Theme } from './state/theme.ts';
import { visibleLine } from './state/visible-text.ts';
import { choices } from './parts/words.ts';

const THEMES = choices<Theme>({ auto: 'System', light: 'Light', dark: 'Dark' });

const MENU = 'account-menu';

export const Account = (): JSX.Element => (
  <div>
    <button type="button" class="button account-button" popovertarget={MENU}>
      <span class="visually-hidden">Account </span>
      <bdi class="cut">{visibleLine(me.value?.userId ?? '', 40)}</bdi> <span class="badge">{me.value?.role}</span>
    </button>
    <div id={MENU} class="account-menu" popover="auto">
      <SelectField label="Theme" value={theme.value} options={THEMES} onChange={applyTheme} />
      <a href={hrefOf(['keys'])} onClick={hide}>
        API keys
      </a>
      <Button
        kind="quiet"
        onClick={() => {
          hide();
          openHelp();
        }}
      >
        Keyboard shortcuts <kbd>?</kbd>
      </Button>
      <Button kind="quiet" onClick={signOut}>
        Sign out
      </Button>
    </div>
  </div>
);

const hide = (): void => document.getElementById(MENU)?.hidePopover();
