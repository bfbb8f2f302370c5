/** The filters of the traffic screen, kept in the address. */
import { useEffect, useState } from 'preact/hooks';
import { isBlankRule } from '../mocks/routes/new-route.ts';
import { RECORDED_TARGET_CHOICES, ruleText } from '../mocks/routes/route-words.ts';
import { ConditionList, isCondition } from '../mocks/routes/rules-field.tsx';
import { ChoiceFilter, FixedFilter, SearchFilter } from '../parts/filters.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { refine } from '../state/place.ts';
import { rulesOf, textOfRules } from '../verify/expectation.ts';
import { METHODS } from '../parts/request-text.ts';
import type { RouteNames } from './traffic-list.tsx';
import { STREAM_END_CHOICES } from './stream-words.ts';
import type { TrafficFilter } from './traffic-filter.ts';
import { choices } from '../parts/words.ts';

const SHOW = choices({ '': 'All requests', true: 'Misses: no route', false: 'Answered by a route' });

const METHOD_CHOICES = [['', 'Any method'], ...METHODS.map((method) => [method, method] as const)] as const;

interface FilterProps {
  readonly filter: TrafficFilter;
  readonly names: RouteNames;
}

export function TrafficFilters({ filter, names }: FilterProps): JSX.Element {
  const route = names.get(filter.route);
  return (
    <search class="filters">
      <ChoiceFilter name="missed" label="Show" options={SHOW} />
      <SearchFilter
        name="q"
        label="Find in path, headers and body"
        placeholder="Find in path, headers and body…"
        isFind
      />
      <ChoiceFilter name="method" label="Method" options={METHOD_CHOICES} />
      <SearchFilter name="status" label="Status" type="text" inputClass="traffic-status-field" placeholder="Status" />
      <ChoiceFilter name="ended" label="Stream" options={STREAM_END_CHOICES} />
      <FixedFilter
        name="route"
        all="routes"
        text={route === undefined ? `route ${filter.route}` : `${route.method} ${route.path}`}
      />
      <FixedFilter name="trace" all="traces" text={`trace ${filter.trace}`} />
      <FixedFilter name="session" all="sessions" text={`session ${filter.session}`} />
      <TrafficConditions text={filter.rules} />
    </search>
  );
}

/** Pause of text filters. */
const PAUSE_MS = 250;

/** A live stream does not know path parameters. */
const TARGETS = RECORDED_TARGET_CHOICES.filter(([target]) => target !== 'urlParam');

/** Conditions on the listed requests. */
function TrafficConditions({ text }: { readonly text: string }): JSX.Element {
  const [rules, setRules] = useState(() => rulesOf(text));
  const asked = textOfRules(rules.filter((rule) => !isBlankRule(rule)));
  useEffect(() => {
    const timer = setTimeout(() => asked !== text && refine({ rules: asked === '' ? undefined : asked }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [asked]);
  // A link or "back" changed the address.
  useEffect(() => {
    if (text !== asked) setRules(rulesOf(text));
  }, [text]);
  return (
    <details class="traffic-conditions">
      <summary>
        Conditions{rules.length === 0 ? '' : ': '}
        <SafeLine
          text={rules
            .filter(isCondition)
            .map((rule) => ruleText(rule))
            .join(', ')}
          max={120}
        />
      </summary>
      <ConditionList
        rules={rules}
        targets={TARGETS}
        title="h2"
        errorAt={() => undefined}
        onChange={setRules}
        hint={<span class="hint">Lists requests that match all conditions.</span>}
      />
    </details>
  );
}
