/** The nine types of rules, each with a line on what it does, as ways to a new one. */
import type { JSX } from 'preact';
import { hrefOf } from '../state/place.ts';
import { FORMS, RULE_TYPES } from './forms/forms.ts';

interface RuleTypesProps {
  /** Where the new rule goes. */
  readonly group?: string | undefined;
  readonly source?: string | undefined;
}

export const RuleTypes = ({ group, source }: RuleTypesProps): JSX.Element => (
  <ul class="stack rules-types">
    {RULE_TYPES.map((type) => (
      <li key={type}>
        <a href={hrefOf(['rules', 'new'], { type, group, source })}>{FORMS[type].title}</a>
        <span class="muted">{FORMS[type].explanation}</span>
      </li>
    ))}
  </ul>
);
