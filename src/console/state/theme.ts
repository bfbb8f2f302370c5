/** Light, dark, or the system's preference. */
import { signal } from '@preact/signals';

export type Theme = 'auto' | 'light' | 'dark';

const STORED = 'switchyard.theme';

export const theme = signal<Theme>((localStorage.getItem(STORED) as Theme | null) ?? 'auto');

export function applyTheme(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'auto') localStorage.removeItem(STORED);
  else localStorage.setItem(STORED, chosen);
  document.documentElement.dataset['theme'] = chosen;
}
