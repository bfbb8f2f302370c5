/** The queries of recorded requests: of their list, and of their stream. */
import { listParameters, streamParameters } from '../journal.ts';
import { Type } from '../schema-type.ts';
import { requestFilters } from './traffic.ts';

const { session, ...ofSession } = requestFilters;
const { format, ...page } = listParameters('request', 'list');
const requestQuery = { format, ...ofSession, ...page };

export const requestQuerySchema = Type.Object({ session, ...requestQuery });

/** For one session. */
export const sessionRequestQuerySchema = Type.Object(requestQuery);

const streamQuery = { ...ofSession, ...streamParameters('request') };

export const streamQuerySchema = Type.Object({ session, ...streamQuery });

/** For one session. */
export const sessionStreamQuerySchema = Type.Object(streamQuery);
