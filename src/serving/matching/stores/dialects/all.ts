/** The dialects by name. */
import type { DialectName } from '../../../../model/mocks/stores/store.ts';
import type { Dialect } from './dialect.ts';
import { JSON_SERVER_1 } from './json-server-1.ts';
import { JSON_SERVER } from './json-server.ts';
import { MOCKOON } from './mockoon.ts';
import { REST } from './rest.ts';

export const DIALECT: Readonly<Record<DialectName, Dialect>> = {
  rest: REST,
  'json-server': JSON_SERVER,
  'json-server-1': JSON_SERVER_1,
  mockoon: MOCKOON,
};
