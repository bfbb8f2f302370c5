/**
 * Keyboard shortcuts: one listener for the page, a table for the help.
 *
 * Single-letter shortcuts can be disabled (WCAG 2.1.4), and pause while the user types. Global ones are in
 * overlays.tsx; among them "/" focuses the `isFind` field (parts/controls.tsx).
 */
import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface Shortcut {
  /** Keys by `KeyboardEvent.key`, with modifiers: `/`, `g m`, `Ctrl+k`, `Ctrl+Shift+s`, `Alt+ArrowUp`, `Space`. */
  readonly keys: string;
  /** For the help: "Find". */
  readonly label: string;
  run(event: KeyboardEvent): void;
}

const OFF = 'switchyard.noLetterShortcuts';
const SEQUENCE_MS = 1_000;

/** Newest first: a dialog's before those of the screen below. */
export const shortcuts = signal<readonly Shortcut[]>([]);

export const letterShortcuts = signal(localStorage.getItem(OFF) === null);

export function setLetterShortcuts(on: boolean): void {
  letterShortcuts.value = on;
  if (on) localStorage.removeItem(OFF);
  else localStorage.setItem(OFF, '1');
}

/** Active while the component is mounted. @param inputs The dependencies of keys and labels. */
export function useShortcuts(own: readonly Shortcut[], inputs: readonly unknown[] = []): void {
  // Effects run after the next paint: until then keys would run the previous shortcut.
  const newest = useRef(own);
  newest.current = own;
  // Shortcuts work as soon as the screen is visible.
  useLayoutEffect(() => {
    const shown = own.map((shortcut, index) => ({
      ...shortcut,
      run: (event: KeyboardEvent) => newest.current[index]?.run(event),
    }));
    shortcuts.value = [...shown, ...shortcuts.value];
    return () => {
      shortcuts.value = shortcuts.value.filter((shortcut) => !shown.includes(shortcut));
    };
  }, inputs);
}

export function listenForShortcuts(): void {
  let first: { readonly key: string; readonly at: number } | undefined;
  document.addEventListener('keydown', (event) => {
    const pressed = pressedKeys(event);
    const isSingle = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isSingle && (!letterShortcuts.value || isTaken(event)) && pressed !== 'Escape') return;
    // The browser closes the dialog with it: nothing below reacts.
    if (pressed === 'Escape' && event.target instanceof Element && event.target.closest('dialog') !== null) return;
    const sequence =
      first !== undefined && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${pressed}` : pressed;
    first = isSingle ? { key: pressed, at: event.timeStamp } : undefined;
    const found =
      shortcuts.value.find(({ keys }) => keys === sequence) ?? shortcuts.value.find(({ keys }) => keys === pressed);
    if (found === undefined || event.defaultPrevented) return;
    event.preventDefault();
    first = undefined;
    found.run(event);
  });
}

function pressedKeys(event: KeyboardEvent): string {
  const key = event.key === ' ' ? 'Space' : event.key;
  const name = key.length === 1 && (event.ctrlKey || event.metaKey) ? key.toLowerCase() : key;
  const modifiers = [
    event.ctrlKey || event.metaKey ? 'Ctrl+' : '',
    event.altKey ? 'Alt+' : '',
    event.shiftKey && (name.length > 1 || event.ctrlKey || event.metaKey) ? 'Shift+' : '',
  ];
  return modifiers.join('') + name;
}

/** Whether the key belongs to the focused element: a field, or for Space and Enter a control. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  const fields = 'input, textarea, select, [contenteditable], .editor, dialog';
  const presses = key === ' ' || key === 'Enter';
  return target.closest(presses ? `${fields}, button, a, summary` : fields) !== null;
}
