/** The screens of rules beside one another. */
import type { JSX } from 'preact';
import { Tabs } from '../parts/page.tsx';
import { hrefOf } from '../state/place.ts';

export const RulesTabs = ({ current }: { readonly current: 'list' | 'bench' }): JSX.Element => (
  <Tabs
    label="Rules"
    tabs={[
      { label: 'All rules', href: hrefOf(['rules']), isCurrent: current === 'list' },
      { label: 'Test bench', href: hrefOf(['rules', 'bench']), isCurrent: current === 'bench' },
    ]}
  />
);
