/** The dialects by name. */
import type { DialectName } from '../../../../model/mocks/stores/store.ts';
import type { Dialect } from './dialect.ts';
import { REST } from './rest.ts';

export const DIALECT: Readonly<Record<DialectName, Dialect>> = { rest: REST };
