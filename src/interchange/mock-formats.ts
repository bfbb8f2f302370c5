/** The names of the formats of mocks, for all who ask for one: clients load nothing else. */

/** Those that are read. */
export const MOCK_FORMAT_NAMES = [
  'switchyard',
  'openapi',
  'har',
  'postman',
  'mockoon',
  'wiremock',
  'mountebank',
  'mockserver',
  'json-server',
] as const;

/** Names among people. */
const TITLES: Readonly<Record<(typeof MOCK_FORMAT_NAMES)[number], string>> = {
  switchyard: 'Switchyard',
  openapi: 'OpenAPI',
  har: 'HAR',
  postman: 'Postman',
  mockoon: 'Mockoon',
  wiremock: 'WireMock',
  mountebank: 'mountebank',
  mockserver: 'MockServer',
  'json-server': 'json-server',
};

/** "Switchyard, OpenAPI or HAR" */
export function formatTitles(): string {
  const titles = Object.values(TITLES);
  return `${titles.slice(0, -1).join(', ')} or ${titles.at(-1)}`;
}

/** Those that are written. */
export const MOCK_EXPORT_NAMES = ['switchyard', 'openapi'] as const;
export type MockExportName = (typeof MOCK_EXPORT_NAMES)[number];
