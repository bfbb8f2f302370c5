/** The saved versions of a mock. */
import type { JSX } from 'preact';
import type { MockScreenProps } from '../state/mock-screen-props.ts';

export const VersionsScreen = ({ record }: MockScreenProps): JSX.Element => <p class="muted">{record.id}</p>;
