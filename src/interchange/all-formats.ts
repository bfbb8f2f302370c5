/** Every format that is read. */
import type { MockFormat, RulesFormat } from './format.ts';
import { harFormat } from './formats/har.ts';
import { jsonServerFormat } from './formats/json-server.ts';
import { mockoonFormat } from './formats/mockoon.ts';
import { mockserverFormat } from './formats/mockserver.ts';
import { mountebankFormat } from './formats/mountebank.ts';
import { openapiFormat } from './formats/openapi.ts';
import { postmanFormat } from './formats/postman.ts';
import { requestlyFormat } from './formats/requestly.ts';
import { switchyardFormat } from './formats/switchyard.ts';
import { switchyardRulesFormat } from './formats/switchyard-rules.ts';
import { wiremockFormat } from './formats/wiremock.ts';

/** In the order in which they are asked. */
export const MOCK_FORMATS: readonly MockFormat[] = [
  switchyardFormat,
  openapiFormat,
  harFormat,
  postmanFormat,
  mockoonFormat,
  wiremockFormat,
  mountebankFormat,
  mockserverFormat,
  jsonServerFormat,
];

/** The same for files of rules. */
export const RULES_FORMATS: readonly RulesFormat[] = [switchyardRulesFormat, requestlyFormat];
