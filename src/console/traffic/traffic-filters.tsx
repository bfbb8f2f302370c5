/** The filters of the traffic screen, kept in the address. */
import { Button } from '../parts/controls.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { METHODS } from '../parts/request-text.ts';
import { SafeLine } from '../parts/safe-text.tsx';
import { refine } from '../state/place.ts';
import { TrafficConditions } from './traffic-conditions.tsx';
import type { RouteNames } from './traffic-list.tsx';
import { STREAM_END_CHOICES } from './stream-words.ts';
import type { TrafficFilter } from './traffic-filter.ts';

const SHOW = [
  ['', 'All requests'],
  ['true', 'Misses: no route'],
  ['false', 'Answered by a route'],
] as const;

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
      {filter.route !== '' && (
        <Button onClick={() => refine({ route: undefined })}>
          <span class="visually-hidden">Show all routes, not only </span>
          <SafeLine text={route === undefined ? `route ${filter.route}` : `${route.method} ${route.path}`} max={60} /> ✕
        </Button>
      )}
      {filter.trace !== '' && (
        <Button onClick={() => refine({ trace: undefined })}>
          <span class="visually-hidden">Show all traces, not only </span>
          trace <SafeLine text={filter.trace} max={40} /> ✕
        </Button>
      )}
      {filter.session !== '' && (
        <Button onClick={() => refine({ session: undefined })}>
          <span class="visually-hidden">Show all sessions, not only </span>
          session <SafeLine text={filter.session} max={40} /> ✕
        </Button>
      )}
      <TrafficConditions text={filter.rules} />
    </search>
  );
}
