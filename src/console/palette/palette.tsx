/** The command palette: places, commands, mocks, routes and rules. A combobox with its list below. */
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { place } from '../state/place.ts';
import { useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { entriesOf, routesFound, useNamed, type Entry } from './entries.ts';
import { rank, ranked } from './rank.ts';

interface PaletteProps {
  readonly onClose: () => void;
  readonly onHelp: () => void;
  readonly onNewMock: () => void;
}

export function Palette({ onClose, onHelp, onNewMock }: PaletteProps): JSX.Element {
  const [query, setQuery] = useState('');
  /** The entry selected with the arrow keys: it stays selected when the server's answer changes the order. */
  const [chosen, setChosen] = useState<string>();
  const [isEntered, setEntered] = useState(false);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const { mock, routes } = useMockOfScreen();
  const named = useNamed(query);
  const here = [
    ...entriesOf(mock, { onHelp, onNewMock }),
    ...(mock === undefined ? [] : routesFound(query, mock.id, routes)),
  ];
  const entries = [
    ...ranked(query, [...here, ...named.entries], ({ label }) => label),
    // The server matched something other than the name.
    ...named.entries.filter(({ label }) => rank(query, label) === undefined),
  ];
  const active = Math.min(
    Math.max(
      0,
      entries.findIndex(({ id: each }) => each === chosen),
    ),
    entries.length - 1,
  );
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const run = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    entry.run();
  };
  // After a name and Enter, waits for the server: the best entry may not be known yet.
  const isSure = !named.isAsking || chosen !== undefined || startsWith(entries[0], query);
  useEffect(() => {
    if (!isEntered || !isSure) return;
    setEntered(false);
    run(entries[active]);
  });
  const steps: Record<string, number> = {
    ArrowDown: active + 1,
    ArrowUp: active - 1,
    PageDown: active + 8,
    PageUp: active - 8,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      // Wraps around.
      const isStep = event.key.startsWith('Arrow');
      const index = isStep
        ? (next + entries.length) % Math.max(1, entries.length)
        : Math.max(0, Math.min(entries.length - 1, next));
      setChosen(entries[index]?.id);
    } else if (event.key === 'Enter' && !event.isComposing) {
      event.preventDefault();
      if (isSure) run(entries[active]);
      else setEntered(true);
    }
  };
  return (
    <Dialog title="Find a place or a command" onClose={onClose}>
      <div class="stack">
        <input
          ref={focusOnOpen}
          type="text"
          role="combobox"
          aria-label="Place, command, mock, route or rule"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
          placeholder="Type a name…"
          autocomplete="off"
          spellcheck={false}
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setChosen(undefined);
            setEntered(false);
          }}
          onKeyDown={onKeyDown}
        />
        <div ref={list} id={`${id}-list`} class="palette-list" role="listbox" aria-label="Found">
          {entries.map((entry, index) => (
            <div
              key={entry.id}
              id={`${id}-${index}`}
              class="one-line"
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              onMouseMove={() => setChosen(entry.id)}
              onClick={() => run(entry)}
            >
              <span class="palette-label cut">{entry.label}</span>
              {entry.keys !== undefined && <kbd>{shownKeys(entry.keys)}</kbd>}
              <span class="muted">{entry.kind}</span>
            </div>
          ))}
        </div>
        <p class="hint" role="status">
          {statusOf(entries.length, named.isAsking, named.failure?.message)}
        </p>
      </div>
    </Dialog>
  );
}

const startsWith = (entry: Entry | undefined, query: string): boolean =>
  entry?.label.toLowerCase().startsWith(query.trim().toLowerCase()) === true;

/** "Ctrl+Shift+s" as printed on keys. */
export const shownKeys = (keys: string): string =>
  keys
    .replaceAll('ArrowUp', '↑')
    .replaceAll('ArrowDown', '↓')
    .replace(/\+(\w)$/, (_, letter: string) => `+${letter.toUpperCase()}`);

function focusOnOpen(input: HTMLInputElement | null): void {
  if (input !== null) input.autofocus = true;
}

function statusOf(count: number, isAsking: boolean, problem: string | undefined): string {
  if (problem !== undefined) return `Searching mocks and rules failed. ${problem}`;
  if (count > 0) return `${count} found. ↑ ↓ choose, Enter opens.`;
  return isAsking ? 'Searching…' : 'No matches. Routes are found while their mock is open.';
}

/** The mock of the current screen, and its routes. */
function useMockOfScreen() {
  const [area, mockId] = place.value.path;
  const id = area === 'mocks' ? mockId : undefined;
  const loaded = useResource(async () => {
    if (id === undefined) return undefined;
    const [mock, routes] = await Promise.all([api().mocks.get(id), api().mocks.staged.routes(id)]);
    return { mock, routes };
  }, [id]);
  const { mock, routes = [] } = loaded.state.value.value ?? {};
  return { mock, routes };
}
