/**
 * The catalogue of what an import or an export cannot carry over: what is lost in behaviour, not which field was unknown.
 * `switchyard codes` prints it.
 */
import { HAR_CODES } from '../codes/har.ts';
import { IMPORT_CODES } from '../codes/import.ts';
import { JSON_SERVER_CODES } from '../codes/json-server.ts';
import { MOCKOON_CODES } from '../codes/mockoon.ts';
import { MOCKSERVER_CODES } from '../codes/mockserver.ts';
import { MOUNTEBANK_CODES } from '../codes/mountebank.ts';
import { OPENAPI_EXPORT_CODES } from '../codes/openapi-export.ts';
import { OPENAPI_CODES } from '../codes/openapi.ts';
import { POSTMAN_CODES } from '../codes/postman.ts';
import { RULES_CODES } from '../codes/rules.ts';
import { WIREMOCK_CODES } from '../codes/wiremock.ts';
import type { CodeFacts } from '../codes/facts.ts';

const CATALOGUE = {
  ...IMPORT_CODES,
  ...OPENAPI_CODES,
  ...HAR_CODES,
  ...POSTMAN_CODES,
  ...MOCKOON_CODES,
  ...WIREMOCK_CODES,
  ...MOUNTEBANK_CODES,
  ...MOCKSERVER_CODES,
  ...JSON_SERVER_CODES,
  ...OPENAPI_EXPORT_CODES,
  ...RULES_CODES,
} as const satisfies Record<string, CodeFacts>;

export type Code = keyof typeof CATALOGUE;

export const CODES: Readonly<Record<Code, CodeFacts>> = CATALOGUE;
