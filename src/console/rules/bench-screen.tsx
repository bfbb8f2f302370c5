/** The test bench: what the rules would do to a request. */
import type { JSX } from 'preact';
import { Page } from '../parts/page.tsx';
import { RulesTabs } from './rules-tabs.tsx';

export const BenchScreen = (): JSX.Element => (
  <Page title="Test bench" tabs={<RulesTabs current="bench" />}>
    <p class="muted">Not there yet.</p>
  </Page>
);
