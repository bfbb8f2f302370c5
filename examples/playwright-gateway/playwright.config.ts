import { defineConfig } from '@playwright/test';
import type { MockFixtures } from 'switchyard-server/playwright';

const { PORT = '3000', CHROMIUM } = process.env;

export default defineConfig<MockFixtures>({
  fullyParallel: true,
  workers: 2,
  webServer: { command: 'node server.js', port: Number(PORT), env: { PORT } },
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    // What each test begins with: the mock answers for this host, whoever asks.
    gatewayOverlay: { attach: { 'stock.example.com': 'shop' } },
    // An installed browser in place of Playwright's own.
    ...(CHROMIUM === undefined ? {} : { launchOptions: { executablePath: CHROMIUM } }),
  },
});
