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
] as const;

/** Those that are written. */
export const MOCK_EXPORT_NAMES = ['switchyard', 'openapi', 'mockoon', 'wiremock'] as const;
export type MockExportName = (typeof MOCK_EXPORT_NAMES)[number];
