/** The console: a page of the API's port that shows and changes mocks, rules and groups in a browser. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followChanges } from './state/changes.ts';
import { listenForShortcuts } from './state/shortcuts.ts';
import { applyTheme, theme } from './state/theme.ts';

applyTheme(theme.value);
listenForShortcuts();
followChanges();
render(<App />, document.body);
