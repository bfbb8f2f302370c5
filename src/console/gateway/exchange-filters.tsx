/** The filters of live traffic. The address holds them. */
import type { ExchangeCounts } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { numberText } from '../parts/words.ts';
import { refine } from '../state/place.ts';
import { visibleLine } from '../state/visible-text.ts';
import type { ExchangeFilter } from './exchange-filter.ts';
import { OUTCOMES } from './outcome.tsx';

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
  const choices = hits.map(([id, count]) => [id, `${visibleLine(nameOf(id), 50)} (${numberText(count)})`] as const);
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
      <ChoiceFilter name="rule" label="Applied rule" options={[['', 'Any rule'], ...choices]} />
      {filter.session !== '' && (
        <Button onClick={() => refine({ session: undefined })}>
          <span class="visually-hidden">Show all sessions, not only </span>
          session <SafeLine text={filter.session} max={40} /> ✕
        </Button>
      )}
    </search>
  );
}
