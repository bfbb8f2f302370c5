import { globalSetup } from 'switchyard-server/global-setup';

const { MOCK_PORT = '8081' } = process.env;

/** The server under test is told where the mocks are before they run: their port is given. */
export default globalSetup({ mocks: ['shop.json'], args: ['--mock-port', MOCK_PORT] });
