/** Which requests are shown. The filters stand in the address. */
import type { JSX } from 'preact';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { refine } from '../state/place.ts';
import { useSearchText } from '../state/search-text.ts';
import type { RouteNames } from './route-names.ts';
import { missedOf, type TrafficFilter } from './traffic-filter.ts';

const SHOW = [
  ['all', 'All requests'],
  ['missed', 'Missed: no route'],
  ['answered', 'Answered by a route'],
] as const;

const METHODS = [
  ['', 'Any method'],
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].map((method) => [method, method] as const),
] as const;

interface FilterProps {
  readonly filter: TrafficFilter;
  readonly names: RouteNames;
}

export function TrafficFilters({ filter, names }: FilterProps): JSX.Element {
  const search = useSearchText('q');
  const status = useSearchText('status');
  const route = names.get(filter.route);
  const label = route === undefined ? `route ${filter.route}` : `${route.method} ${route.path}`;
  return (
    <search class="filters">
      <SelectField
        label="Show"
        hiddenLabel
        value={filter.show}
        options={SHOW}
        onChange={(show) => refine({ missed: missedOf(show) })}
      />
      <TextField
        label="Find in path, headers and body"
        hiddenLabel
        type="search"
        placeholder="Find in path, headers and body…"
        isFind
        {...search}
      />
      <SelectField
        label="Method"
        hiddenLabel
        value={filter.method}
        options={
          METHODS.some(([method]) => method === filter.method) ? METHODS : [...METHODS, [filter.method, filter.method]]
        }
        onChange={(method) => refine({ method })}
      />
      <TextField label="Status" hiddenLabel inputClass="traffic-status-field" placeholder="Status" {...status} />
      {filter.route !== '' && (
        <Button onClick={() => refine({ route: undefined })}>
          <span class="visually-hidden">Show all routes, not only </span>
          <SafeLine text={label} max={60} /> ✕
        </Button>
      )}
      {filter.session !== '' && (
        <Button onClick={() => refine({ session: undefined })}>
          <span class="visually-hidden">Show all sessions, not only </span>
          session <SafeLine text={filter.session} max={40} /> ✕
        </Button>
      )}
    </search>
  );
}
