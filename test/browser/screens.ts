/** Every screen of the console, for pictures: its address, and what is done there first. A screen that is built gets its rows here. */
import type { Page } from 'playwright-core';
import type { Role } from '../../src/model/principal.ts';
import type { Example } from './support/example.ts';

export interface Screen {
  /** Of its files. */
  readonly name: string;
  readonly place: (example: Example) => string;
  /** An editor when absent. */
  readonly role?: Role;
  /** Of whom it is: somebody who has nothing yet, or the team with the example, which it is when absent. */
  readonly owner?: 'new';
  /** Opens what no address shows. */
  readonly steps?: (page: Page) => Promise<void>;
}

export const SCREENS: readonly Screen[] = [
  { name: 'mocks', place: () => '#/mocks' },
  { name: 'mocks-empty', place: () => '#/mocks', owner: 'new' },
  { name: 'mocks-viewer', place: () => '#/mocks', role: 'viewer' },
  { name: 'mock', place: ({ mockId }) => `#/mocks/${mockId}` },
  { name: 'routes', place: ({ mockId }) => `#/mocks/${mockId}/routes` },
  { name: 'route', place: ({ mockId, routeId }) => `#/mocks/${mockId}/routes/${routeId}` },
  { name: 'traffic', place: ({ mockId }) => `#/mocks/${mockId}/traffic` },
  { name: 'traffic-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/traffic` },
  { name: 'review', place: ({ mockId }) => `#/mocks/${mockId}/diff` },
  { name: 'versions', place: ({ mockId }) => `#/mocks/${mockId}/versions` },
  { name: 'verify', place: ({ mockId }) => `#/mocks/${mockId}/verify` },
  { name: 'settings', place: ({ mockId }) => `#/mocks/${mockId}/settings` },
  { name: 'rules', place: () => '#/rules' },
  { name: 'rules-empty', place: () => '#/rules', owner: 'new' },
  { name: 'rules-viewer', place: () => '#/rules', role: 'viewer' },
  {
    name: 'rules-selected',
    place: () => '#/rules',
    steps: async (page) => page.getByRole('button', { name: /^Select all/ }).click(),
  },
  { name: 'rules-found', place: () => '#/rules?q=re' },
  { name: 'rule', place: ({ ruleId }) => `#/rules/${ruleId}` },
  {
    name: 'rule-tested',
    place: ({ ruleId }) => `#/rules/${ruleId}`,
    steps: async (page) => page.getByRole('button', { name: 'Test', exact: true }).click(),
  },
  { name: 'rule-viewer', place: ({ ruleId }) => `#/rules/${ruleId}`, role: 'viewer' },
  { name: 'rule-new', place: () => '#/rules/new' },
  { name: 'rule-new-headers', place: () => '#/rules/new?type=Headers' },
  { name: 'rule-new-response', place: () => '#/rules/new?type=Response' },
  { name: 'bench', place: () => '#/rules/bench?url=https%3A%2F%2Fexample.com%2Fcart' },
  { name: 'bench-empty', place: () => '#/rules/bench', owner: 'new' },
  { name: 'keys', place: () => '#/keys' },
  { name: 'palette', place: () => '#/mocks', steps: (page) => page.keyboard.press('Control+k') },
  { name: 'help', place: ({ mockId }) => `#/mocks/${mockId}/routes`, steps: (page) => page.keyboard.press('?') },
  { name: 'history', place: () => '#/history' },
  { name: 'nowhere', place: () => '#/nowhere' },
];
