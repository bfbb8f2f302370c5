/** The console: a page on the API's port that shows and edits mocks, rules and groups. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followChanges } from './state/changes.ts';
import { listenForShortcuts } from './state/shortcuts.ts';
import { applyTheme, theme } from './state/theme.ts';

applyTheme(theme.value);
listenForShortcuts();
followChanges();
render(<App />, document.body);
