/** The nine rule types, each with its file. */
import type { RuleType } from '../record-id.ts';
import { cancel } from './cancel.ts';
import { delay } from './delay.ts';
import { headers } from './headers.ts';
import type { PairKind } from './pair-kind.ts';
import { queryParam } from './query-param.ts';
import { redirect } from './redirect.ts';
import { replace } from './replace.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import { userAgent } from './user-agent.ts';

export const PAIR_KINDS: Readonly<Record<RuleType, PairKind>> = {
  Redirect: redirect,
  Cancel: cancel,
  Replace: replace,
  Headers: headers,
  UserAgent: userAgent,
  QueryParam: queryParam,
  Request: request,
  Response: response,
  Delay: delay,
};
