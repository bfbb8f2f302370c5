/** Runs once, before all workers of vitest: starts a server with the mock `shop`. */
import { globalSetup } from 'switchyard-server/global-setup';

export default globalSetup({ mocks: ['shop.json'] });
