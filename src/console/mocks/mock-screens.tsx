/** The screens below `#/mocks/:id`, under the mock's heading and tabs. */
import type { JSX } from 'preact';
import { Page } from '../parts/page.tsx';

interface MockScreensProps {
  readonly mockId: string;
  /** Below the mock: `['routes', ':routeId']`. */
  readonly path: readonly string[];
}

export const MockScreens = ({ mockId, path }: MockScreensProps): JSX.Element => (
  <Page title={mockId}>{path.join('/')}</Page>
);
