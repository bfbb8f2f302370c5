import { defineConfig } from '@playwright/test';

const { PORT = '3000', MOCK_PORT = '8081', CHROMIUM } = process.env;
const SHOP_URL = `http://127.0.0.1:${MOCK_PORT}/__mock/shop`;

export default defineConfig({
  fullyParallel: true,
  workers: 2,
  globalSetup: './start-mocks.ts',
  webServer: { command: 'node server.js', port: Number(PORT), env: { PORT, SHOP_URL } },
  use: {
    baseURL: `http://127.0.0.1:${PORT}`,
    // An installed browser in place of Playwright's own.
    ...(CHROMIUM === undefined ? {} : { launchOptions: { executablePath: CHROMIUM } }),
  },
});
