/** Unsaved drafts of rules and of test requests: names, and addresses that lead back to them. */
import { draftNames, dropDraft } from '../../state/draft.ts';
import { hrefOf } from '../../state/place.ts';
import { FORMS } from '../forms/forms.ts';
import type { RuleType } from '../forms/rule-form.ts';

const NEW = 'new-rule.';
const COPY = 'copied-rule.';

interface Start {
  readonly type: RuleType;
  readonly group?: string | undefined;
  readonly source?: string | undefined;
  /** The gateway exchange that the rule is made from. */
  readonly exchange?: string | undefined;
}

interface UnsavedRule {
  readonly draftName: string;
  readonly what: string;
  readonly href: string;
}

export const newRuleDraft = ({ type, group, source, exchange }: Start): string =>
  NEW + JSON.stringify({ type, group, source, exchange });

export const copyDraft = (ruleId: string): string => COPY + ruleId;

export const unsavedNewRules = (): UnsavedRule[] => [
  ...draftNames(NEW).map((draftName) => {
    const start = JSON.parse(draftName.slice(NEW.length)) as Start;
    return {
      draftName,
      what: `new rule: ${FORMS[start.type].title}`,
      href: hrefOf(['rules', 'new'], { ...start }),
    };
  }),
  ...draftNames(COPY).map((draftName) => {
    const copy = draftName.slice(COPY.length);
    return { draftName, what: 'copy of a rule', href: hrefOf(['rules', 'new'], { copy }) };
  }),
];

export function dropUnsaved({ draftName }: UnsavedRule): void {
  dropDraft(draftName);
  dropDraft(testDraftOf(draftName));
}

/** @param of The name of the rule's own draft. */
export const testDraftOf = (of: string): string => `test.${of}`;
