/** All rules and groups. */
import type { JSX } from 'preact';
import { Page } from '../parts/page.tsx';
import { RulesTabs } from './rules-tabs.tsx';

export const RulesScreen = (): JSX.Element => (
  <Page title="Rules" tabs={<RulesTabs current="list" />}>
    <p class="muted">Not there yet.</p>
  </Page>
);
