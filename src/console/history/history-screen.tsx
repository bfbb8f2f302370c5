/** Who has changed what, and when. */
import type { JSX } from 'preact';
import { Page } from '../parts/page.tsx';

export const HistoryScreen = (): JSX.Element => <Page title="History">…</Page>;
