/** What all mocks answer just now. */
import type { JSX } from 'preact';
import { RateChart } from '../parts/rate-chart.tsx';
import { allRates } from './rate-poller.ts';
import { RATE_POINTS } from './rates.ts';

/** On its own: it is drawn again each second. */
export const AllRates = (): JSX.Element => (
  <RateChart label="Requests of all mocks" rates={allRates.value.map(({ classes }) => classes)} seconds={RATE_POINTS} />
);
