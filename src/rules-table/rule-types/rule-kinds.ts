/** All nine rule types by name. */
import type { RuleType } from '../../model/record-id.ts';
import { cancel } from './cancel.ts';
import { delay } from './delay.ts';
import { headers } from './headers.ts';
import { queryParam } from './query-param.ts';
import { redirect } from './redirect.ts';
import { replace } from './replace.ts';
import { request } from './request.ts';
import { response } from './response.ts';
import type { RuleKind } from './rule-kind.ts';
import { userAgent } from './user-agent.ts';

export const RULE_KINDS: Readonly<Record<RuleType, RuleKind>> = {
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
