/** The forms of the nine rule types, in menu order. */
import { request, response } from './body-forms.tsx';
import { headers, queryParam } from './modification-forms.tsx';
import type { RuleForm, RuleType } from './rule-form.ts';
import { cancel, delay, redirect, replace, userAgent } from './simple-forms.tsx';

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
