/** Ways from an exchange to a rule: each opens the editor of rules, filled in. Nothing is stored before somebody saves it there. */
import type { ExchangeRecord } from '../../client/shapes.ts';
import { draftRules } from '../../model/gateway/rule-drafts.ts';
import { hrefOf } from '../state/place.ts';

const WORDS = {
  Response: 'Answer such requests in place of the upstream',
  Redirect: 'Send them to another URL',
  Headers: 'Change headers',
  Delay: 'Delay them',
  Cancel: 'Block them',
} as const;

export const MakeRule = ({ exchange }: { readonly exchange: ExchangeRecord }): JSX.Element => (
  <details class="gateway-menu">
    <summary class="button primary">Make a rule of this</summary>
    <ul>
      {draftRules(exchange).map(({ ruleType }) => (
        <li key={ruleType}>
          <a href={hrefOf(['rules', 'new'], { type: ruleType, exchange: exchange.id })}>{WORDS[ruleType]}</a>
        </li>
      ))}
    </ul>
  </details>
);
