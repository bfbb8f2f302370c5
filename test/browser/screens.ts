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
      await page.getByRole('heading', { name: 'Fidelity' }).waitFor();
    },
  },
  { name: 'import-staged', place: ({ mockId }) => `#/mocks/${mockId}/import` },
  { name: 'mock', place: ({ mockId }) => `#/mocks/${mockId}` },
  { name: 'routes', place: ({ mockId }) => `#/mocks/${mockId}/routes` },
  { name: 'route', place: ({ mockId, routeId }) => `#/mocks/${mockId}/routes/${routeId}` },
  {
    name: 'route-rules',
    place: ({ mockId, routeId }) => `#/mocks/${mockId}/routes/${routeId}`,
    steps: (page) => page.getByLabel(/^Group 2/).scrollIntoViewIfNeeded(),
  },
  {
    name: 'route-new',
    place: ({ mockId }) => `#/mocks/${mockId}/routes/new?method=POST&path=%2Forders%2F%3Aid`,
  },
  { name: 'routes-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/routes` },
  { name: 'routes-grouped', place: ({ mockId }) => `#/mocks/${mockId}/routes?group=path` },
  { name: 'traffic', place: ({ mockId }) => `#/mocks/${mockId}/traffic` },
  { name: 'traffic-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/traffic` },
  { name: 'request', place: ({ mockId }) => `#/mocks/${mockId}/traffic?request=5` },
  {
    name: 'make-route',
    place: ({ mockId }) => `#/mocks/${mockId}/traffic?request=5`,
    steps: (page) => page.getByRole('button', { name: 'Make this a route' }).click(),
  },
  { name: 'traffic-missed', place: ({ mockId }) => `#/mocks/${mockId}/traffic?missed=true` },
  {
    name: 'verified',
    place: ({ mockId }) =>
      `#/mocks/${mockId}/verify?method=GET&path=%2Fpayments%2F42&query=page%3D2&count=exactly&times=2`,
    steps: async (page) => {
      await page.getByRole('button', { name: 'Verify' }).click();
      await page.getByText('Not verified').waitFor();
    },
  },
  { name: 'review', place: ({ mockId }) => `#/mocks/${mockId}/diff` },
  { name: 'review-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/diff` },
  { name: 'review-viewer', place: ({ mockId }) => `#/mocks/${mockId}/diff`, role: 'viewer' },
  {
    name: 'review-discard',
    place: ({ mockId }) => `#/mocks/${mockId}/diff`,
    steps: (page) => page.getByRole('button', { name: 'Discard…' }).click(),
  },
  { name: 'sessions', place: ({ mockId }) => `#/mocks/${mockId}/sessions` },
  { name: 'sessions-empty', place: ({ emptyMockId }) => `#/mocks/${emptyMockId}/sessions` },
  { name: 'session', place: ({ mockId, sessionId }) => `#/mocks/${mockId}/sessions/${sessionId}` },
  {
    name: 'session-end',
    place: ({ mockId, sessionId }) => `#/mocks/${mockId}/sessions/${sessionId}`,
    steps: (page) => page.getByRole('button', { name: 'End…' }).click(),
  },
  { name: 'versions', place: ({ mockId }) => `#/mocks/${mockId}/versions` },
  { name: 'version', place: ({ mockId }) => `#/mocks/${mockId}/versions/1` },
  { name: 'version-compared', place: ({ mockId }) => `#/mocks/${mockId}/versions/1?against=staged` },
  { name: 'verify', place: ({ mockId }) => `#/mocks/${mockId}/verify` },
  { name: 'settings', place: ({ mockId }) => `#/mocks/${mockId}/settings` },
  { name: 'settings-viewer', place: ({ mockId }) => `#/mocks/${mockId}/settings`, role: 'viewer' },
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
  { name: 'gateway-not-running', place: () => '#/gateway' },
  { name: 'gateway-settings', place: () => '#/gateway/settings' },
  { name: 'keys', place: () => '#/keys' },
  { name: 'palette', place: () => '#/mocks', steps: (page) => page.keyboard.press('Control+k') },
  { name: 'help', place: ({ mockId }) => `#/mocks/${mockId}/routes`, steps: (page) => page.keyboard.press('?') },
  { name: 'history', place: () => '#/history' },
  { name: 'history-record', place: ({ mockId }) => `#/history?record=${mockId}` },
  {
    name: 'history-entry',
    place: () => '#/history',
    // Beside the name of the record, which is a link to it.
    steps: (page) =>
      page
        .getByRole('row')
        .first()
        .click({ position: { x: 20, y: 12 } }),
  },
  { name: 'history-empty', place: () => '#/history', owner: 'new' },
  { name: 'history-viewer', place: () => '#/history', role: 'viewer' },
  { name: 'nowhere', place: () => '#/nowhere' },
];
