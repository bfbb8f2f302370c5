/** How many routes of the working copy differ from the saved version, once the list of routes has been shown. */
import { signal } from '@preact/signals';

export const changedCount = signal<{ readonly mockId: string; readonly count: number } | undefined>(undefined);
