/** The requests that a mock has received, live. */
import type { JSX } from 'preact';
import type { MockScreenProps } from '../state/mock-screen-props.ts';

export const TrafficScreen = ({ record }: MockScreenProps): JSX.Element => <p class="muted">{record.id}</p>;
