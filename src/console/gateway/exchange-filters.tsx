/** The filters of live traffic: in the address, and in requests to the API. */
import type { ExchangeCounts, ExchangeQuery } from '../../client/shapes.ts';
import { ChoiceFilter, FixedFilter, SearchFilter } from '../parts/filters.tsx';
import { numberText } from '../parts/words.ts';
import { dropEmpty, filtersBy } from '../state/filters.ts';
import { visibleLine } from '../state/visible-text.ts';
import { OUTCOMES } from './outcome.tsx';

export const FILTERS = filtersBy('q', 'host', 'outcome', 'rule', 'session');

export type ExchangeFilter = ReturnType<typeof FILTERS.of>;

export type Selection = Omit<ExchangeQuery, 'limit' | 'before'>;

/** An unknown outcome is sent as typed: the server reports it. */
export const selectionOf = ({ outcome, rule, ...same }: ExchangeFilter): Selection =>
  dropEmpty({ ...same, outcome: outcome as NonNullable<ExchangeQuery['outcome']>, ruleId: rule });

const OUTCOME_CHOICES = [['', 'Any outcome'], ...OUTCOMES] as const;

/** A link can name other rules. */
const RULES_MAX = 50;

interface FiltersProps {
  readonly filter: ExchangeFilter;
  /** undefined until loaded. */
  readonly counts: ExchangeCounts | undefined;
  readonly nameOf: (ruleId: string) => string;
}

export function ExchangeFilters({ filter, counts, nameOf }: FiltersProps): JSX.Element {
  const hits = Object.entries(counts?.rules ?? {})
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, RULES_MAX);
  const rules = hits.map(([id, count]) => [id, `${visibleLine(nameOf(id), 50)} (${numberText(count)})`] as const);
  return (
    <search class="filters">
      <SearchFilter
        name="q"
        label="Find in URL, headers and body"
        placeholder="Find in URL, headers and body…"
        isFind
      />
      <SearchFilter name="host" label="Host" placeholder="Host, or *.example.com" type="text" />
      <ChoiceFilter name="outcome" label="Outcome" options={OUTCOME_CHOICES} />
      <ChoiceFilter name="rule" label="Applied rule" options={[['', 'Any rule'], ...rules]} />
      <FixedFilter name="session" all="sessions" text={`session ${filter.session}`} />
    </search>
  );
}
