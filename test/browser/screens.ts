/** Every screen of the console, for pictures: its address, and what is done there first. A screen that is built gets its rows here. */
import type { Page } from 'playwright-core';
import type { Role } from '../../src/model/principal.ts';
import type { Example } from './support/example.ts';
import { LOSSY_DOCUMENT, pageFile } from './support/import-files.ts';

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
  { name: 'mocks-nothing-found', place: () => '#/mocks?q=nowhere' },
  { name: 'mock-new', place: () => '#/mocks', steps: (page) => page.getByRole('button', { name: 'New mock' }).click() },
  {
    name: 'mock-delete',
    place: () => '#/mocks?q=payments',
    steps: async (page) => {
      await page.getByRole('row', { name: /Payments/ }).waitFor();
      await page.getByRole('grid').press('Delete');
    },
  },
  { name: 'import', place: () => '#/mocks/import' },
  {
    name: 'import-report',
    place: () => '#/mocks/import',
    steps: async (page) => {
      await page.getByLabel('Files of the import').setInputFiles(pageFile('pets.json', LOSSY_DOCUMENT));
      await page.getByRole('heading', { name: 'What is lost' }).waitFor();
    },
  },
  { name: 'import-staged', place: ({ mockId }) => `#/mocks/${mockId}/import` },
  { name: 'mock', place: ({ mockId }) => `#/mocks/${mockId}` },
  { name: 'routes', place: ({ mockId }) => `#/mocks/${mockId}/routes` },
  { name: 'route', place: ({ mockId, routeId }) => `#/mocks/${mockId}/routes/${routeId}` },
  { name: 'traffic', place: ({ mockId }) => `#/mocks/${mockId}/traffic` },
  { name: 'traffic-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/traffic` },
  { name: 'review', place: ({ mockId }) => `#/mocks/${mockId}/diff` },
  { name: 'versions', place: ({ mockId }) => `#/mocks/${mockId}/versions` },
  { name: 'verify', place: ({ mockId }) => `#/mocks/${mockId}/verify` },
  { name: 'settings', place: ({ mockId }) => `#/mocks/${mockId}/settings` },
  { name: 'settings-viewer', place: ({ mockId }) => `#/mocks/${mockId}/settings`, role: 'viewer' },
  { name: 'rules', place: () => '#/rules' },
  { name: 'rules-empty', place: () => '#/rules', owner: 'new' },
  { name: 'rule', place: ({ ruleId }) => `#/rules/${ruleId}` },
  { name: 'bench', place: () => '#/rules/bench?url=https%3A%2F%2Fexample.com%2Fcart' },
  { name: 'history', place: () => '#/history' },
  { name: 'nowhere', place: () => '#/nowhere' },
];
