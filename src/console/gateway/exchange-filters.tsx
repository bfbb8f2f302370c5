/** Which exchanges are shown. The filters stand in the address. */
import type { ExchangeCounts } from '../../client/shapes.ts';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { numberText } from '../parts/words.ts';
import type { NamedRules } from '../rules/common/named-rules.ts';
import { visibleLine } from '../state/visible-text.ts';
import { ruleName } from './exchange-cells.tsx';
import { OUTCOMES } from './outcome.tsx';

const OUTCOME_CHOICES = [['', 'Any outcome'], ...OUTCOMES] as const;

/** Rules to choose from; a link can name any other. */
const RULES_MAX = 50;

interface FiltersProps {
  /** undefined until they are read. */
  readonly counts: ExchangeCounts | undefined;
  readonly rules: NamedRules;
}

export function ExchangeFilters({ counts, rules }: FiltersProps): JSX.Element {
  const hits = Object.entries(counts?.rules ?? {})
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, RULES_MAX);
  const choices = hits.map(
    ([id, count]) => [id, `${visibleLine(ruleName(rules, id), 50)} (${numberText(count)})`] as const,
  );
  return (
    <search class="filters">
      <SearchFilter name="host" label="Host" placeholder="Host, such as api.example.com" isFind />
      <ChoiceFilter name="outcome" label="Outcome" options={OUTCOME_CHOICES} />
      <ChoiceFilter name="rule" label="Rule that acted" options={[['', 'Any rule'], ...choices]} />
    </search>
  );
}
