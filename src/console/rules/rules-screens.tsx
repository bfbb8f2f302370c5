/** The screens below `#/rules`. */
import type { JSX } from 'preact';
import { Page } from '../parts/page.tsx';

export const RulesScreens = ({ path }: { readonly path: readonly string[] }): JSX.Element => (
  <Page title="Rules">{path.join('/')}</Page>
);
