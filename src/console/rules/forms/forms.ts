/** The forms of the nine rule types, in the order in which they are offered. */
import { cancel } from './cancel.tsx';
import { delay } from './delay.tsx';
import { headers } from './headers.tsx';
import { queryParam } from './query-param.tsx';
import { redirect } from './redirect.tsx';
import { replace } from './replace.tsx';
import { request } from './request.tsx';
import { response } from './response.tsx';
import type { RuleForm, RuleType } from './rule-form.ts';
import { userAgent } from './user-agent.tsx';

export const FORMS: Readonly<Record<RuleType, RuleForm>> = {
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

export const RULE_TYPES = Object.keys(FORMS) as readonly RuleType[];

export const isRuleType = (text: string | undefined): text is RuleType => text !== undefined && text in FORMS;
