/** The routes of the working copy. */
import type { JSX } from 'preact';
import type { MockScreenProps } from './mock-screen-props.ts';

export const RoutesScreen = ({ record }: MockScreenProps): JSX.Element => <p class="muted">{record.id}</p>;
