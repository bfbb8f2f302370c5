/** The console: a page of the API's port that shows and changes mocks, rules and groups in a browser. */
import { render } from 'preact';
import { App } from './app.tsx';
import { followChanges } from './changes.ts';
import { listenForShortcuts } from './shortcuts.ts';
import { applyTheme, theme } from './theme.ts';

applyTheme(theme.value);
listenForShortcuts();
followChanges();
render(<App />, document.body);
